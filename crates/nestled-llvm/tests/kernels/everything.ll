; One use of everything a loader has to know: constants, a jump table, variables with addresses in them, zeros, calls inside and outside.
@table = internal constant [4 x i64] [i64 10, i64 20, i64 30, i64 40]
@pointer = internal global ptr getelementptr ([4 x i64], ptr @table, i64 0, i64 2)
@counter = internal global i64 5
@zeros = internal global [1000 x i64] zeroinitializer
@shared = global i64 7
@outside_word = external global i64

declare i64 @outside_call(i64)

; table[i] + 30 + zeros + 7: 40 + 30 + 0 + 7 for 3
define i64 @data(i64 %i) nounwind {
  %at = getelementptr [4 x i64], ptr @table, i64 0, i64 %i
  %a = load i64, ptr %at
  %p = load ptr, ptr @pointer
  %b = load i64, ptr %p
  %z.at = getelementptr [1000 x i64], ptr @zeros, i64 0, i64 %i
  %z = load i64, ptr %z.at
  %s = load i64, ptr @shared
  %ab = add i64 %a, %b
  %abz = add i64 %ab, %z
  %sum = add i64 %abz, %s
  ret i64 %sum
}

define i64 @count() nounwind {
  %old = load i64, ptr @counter
  %new = add i64 %old, 1
  store i64 %new, ptr @counter
  ret i64 %new
}

define i64 @choose(i64 %i) nounwind {
  switch i64 %i, label %other [ i64 0, label %c0
                                i64 1, label %c1
                                i64 2, label %c2
                                i64 3, label %c3
                                i64 4, label %c4
                                i64 5, label %c5 ]
c0:
  %r0 = call i64 @outside_call(i64 100)
  ret i64 %r0
c1:
  %r1 = call i64 @data(i64 1)
  ret i64 %r1
c2:
  %r2 = call i64 @count()
  ret i64 %r2
c3:
  %r3 = call i64 @outside_call(i64 300)
  ret i64 %r3
c4:
  ret i64 444
c5:
  %r5 = load i64, ptr @outside_word
  ret i64 %r5
other:
  ret i64 -1
}

define <4 x double> @constants(<4 x double> %x) nounwind {
  %y = fadd <4 x double> %x, <double 1.5, double 2.5, double 3.5, double 4.5>
  ret <4 x double> %y
}
