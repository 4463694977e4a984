; y[i] = a x[i] + y[i], one element at a time: small, and vectorised by the passes if they are asked to.
define void @axpy(float %a, ptr noalias %x, ptr noalias %y, i64 %n) nounwind {
entry:
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %loop, label %done

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %x.at = getelementptr inbounds float, ptr %x, i64 %i
  %y.at = getelementptr inbounds float, ptr %y, i64 %i
  %x.i = load float, ptr %x.at, align 4
  %y.i = load float, ptr %y.at, align 4
  %product = fmul float %a, %x.i
  %sum = fadd float %product, %y.i
  store float %sum, ptr %y.at, align 4
  %next = add nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done

done:
  ret void
}
