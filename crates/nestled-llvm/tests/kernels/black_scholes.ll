; Black-Scholes prices of calls and puts, sixteen at a time: interest 2 %, volatility 30 %.
;
; Arrays of spot prices, strikes, times, then room for calls and puts; the count is a multiple of sixteen.
; Explicit vectors, elementary functions as polynomials in place, `#0` wants registers of 512 bits.

define void @black_scholes(ptr noalias %spots, ptr noalias %strikes, ptr noalias %times, ptr noalias %calls, ptr noalias %puts, i64 %n) #0 {
entry:
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %loop, label %done

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %spots.at = getelementptr inbounds float, ptr %spots, i64 %i
  %strikes.at = getelementptr inbounds float, ptr %strikes, i64 %i
  %times.at = getelementptr inbounds float, ptr %times, i64 %i
  %calls.at = getelementptr inbounds float, ptr %calls, i64 %i
  %puts.at = getelementptr inbounds float, ptr %puts, i64 %i
  %spot = load <16 x float>, ptr %spots.at, align 4
  %strike = load <16 x float>, ptr %strikes.at, align 4
  %time = load <16 x float>, ptr %times.at, align 4
  ; d1 = (ln(spot / strike) + (r + v^2 / 2) t) / (v sqrt(t)), d2 = d1 - v sqrt(t)
  %v1 = call <16 x float> @llvm.sqrt.v16f32(<16 x float> %time)
  %v2 = fdiv contract arcp <16 x float> %spot, %strike
  %v3 = call <16 x float> @log(<16 x float> %v2)
  %v4 = call contract arcp <16 x float> @llvm.fmuladd.v16f32(<16 x float> %time, <16 x float> <float 0x3FB0A3D700000000, float 0x3FB0A3D700000000, float 0x3FB0A3D700000000, float 0x3FB0A3D700000000, float 0x3FB0A3D700000000, float 0x3FB0A3D700000000, float 0x3FB0A3D700000000, float 0x3FB0A3D700000000, float 0x3FB0A3D700000000, float 0x3FB0A3D700000000, float 0x3FB0A3D700000000, float 0x3FB0A3D700000000, float 0x3FB0A3D700000000, float 0x3FB0A3D700000000, float 0x3FB0A3D700000000, float 0x3FB0A3D700000000>, <16 x float> %v3)
  %v5 = fmul contract arcp <16 x float> %v1, <float 0x3FD3333340000000, float 0x3FD3333340000000, float 0x3FD3333340000000, float 0x3FD3333340000000, float 0x3FD3333340000000, float 0x3FD3333340000000, float 0x3FD3333340000000, float 0x3FD3333340000000, float 0x3FD3333340000000, float 0x3FD3333340000000, float 0x3FD3333340000000, float 0x3FD3333340000000, float 0x3FD3333340000000, float 0x3FD3333340000000, float 0x3FD3333340000000, float 0x3FD3333340000000>
  %v6 = fdiv contract arcp <16 x float> %v4, %v5
  %v7 = fsub contract arcp <16 x float> %v6, %v5
  %v8 = call <16 x float> @normal(<16 x float> %v6)
  %v9 = call <16 x float> @normal(<16 x float> %v7)
  %v10 = fmul contract arcp <16 x float> %time, <float 0xBF947AE140000000, float 0xBF947AE140000000, float 0xBF947AE140000000, float 0xBF947AE140000000, float 0xBF947AE140000000, float 0xBF947AE140000000, float 0xBF947AE140000000, float 0xBF947AE140000000, float 0xBF947AE140000000, float 0xBF947AE140000000, float 0xBF947AE140000000, float 0xBF947AE140000000, float 0xBF947AE140000000, float 0xBF947AE140000000, float 0xBF947AE140000000, float 0xBF947AE140000000>
  %v11 = call <16 x float> @exp(<16 x float> %v10)
  %v12 = fmul contract arcp <16 x float> %strike, %v11
  ; call = spot N(d1) - strike e^(-rt) N(d2), put = call - spot + strike e^(-rt)
  %v13 = fmul contract arcp <16 x float> %spot, %v8
  %v14 = fmul contract arcp <16 x float> %v12, %v9
  %v15 = fsub contract arcp <16 x float> %v13, %v14
  %v16 = fsub contract arcp <16 x float> %v15, %spot
  %v17 = fadd contract arcp <16 x float> %v16, %v12
  store <16 x float> %v15, ptr %calls.at, align 4
  store <16 x float> %v17, ptr %puts.at, align 4
  %next = add nsw i64 %i, 16
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done

done:
  ret void
}

; e^x: 2^n times a polynomial of what is left, which is at most half of ln 2.
define internal <16 x float> @exp(<16 x float> %given) #1 {
  %v18 = fcmp olt <16 x float> %given, <float 0xC055D33340000000, float 0xC055D33340000000, float 0xC055D33340000000, float 0xC055D33340000000, float 0xC055D33340000000, float 0xC055D33340000000, float 0xC055D33340000000, float 0xC055D33340000000, float 0xC055D33340000000, float 0xC055D33340000000, float 0xC055D33340000000, float 0xC055D33340000000, float 0xC055D33340000000, float 0xC055D33340000000, float 0xC055D33340000000, float 0xC055D33340000000>
  %v19 = select <16 x i1> %v18, <16 x float> <float 0xC055D33340000000, float 0xC055D33340000000, float 0xC055D33340000000, float 0xC055D33340000000, float 0xC055D33340000000, float 0xC055D33340000000, float 0xC055D33340000000, float 0xC055D33340000000, float 0xC055D33340000000, float 0xC055D33340000000, float 0xC055D33340000000, float 0xC055D33340000000, float 0xC055D33340000000, float 0xC055D33340000000, float 0xC055D33340000000, float 0xC055D33340000000>, <16 x float> %given
  %v20 = fcmp ogt <16 x float> %v19, <float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000>
  %v21 = select <16 x i1> %v20, <16 x float> <float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000, float 0x4056000000000000>, <16 x float> %v19
  %v22 = fmul contract arcp <16 x float> %v21, <float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000>
  %v23 = call <16 x float> @llvm.rint.v16f32(<16 x float> %v22)
  %v24 = call contract arcp <16 x float> @llvm.fmuladd.v16f32(<16 x float> %v23, <16 x float> <float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000, float 0xBFE6300000000000>, <16 x float> %v21)
  %v25 = call contract arcp <16 x float> @llvm.fmuladd.v16f32(<16 x float> %v23, <16 x float> <float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000, float 0x3F2BD01060000000>, <16 x float> %v24)
  %v26 = call contract arcp <16 x float> @llvm.fmuladd.v16f32(<16 x float> <float 0x3F2A01A020000000, float 0x3F2A01A020000000, float 0x3F2A01A020000000, float 0x3F2A01A020000000, float 0x3F2A01A020000000, float 0x3F2A01A020000000, float 0x3F2A01A020000000, float 0x3F2A01A020000000, float 0x3F2A01A020000000, float 0x3F2A01A020000000, float 0x3F2A01A020000000, float 0x3F2A01A020000000, float 0x3F2A01A020000000, float 0x3F2A01A020000000, float 0x3F2A01A020000000, float 0x3F2A01A020000000>, <16 x float> %v25, <16 x float> <float 0x3F56C16C20000000, float 0x3F56C16C20000000, float 0x3F56C16C20000000, float 0x3F56C16C20000000, float 0x3F56C16C20000000, float 0x3F56C16C20000000, float 0x3F56C16C20000000, float 0x3F56C16C20000000, float 0x3F56C16C20000000, float 0x3F56C16C20000000, float 0x3F56C16C20000000, float 0x3F56C16C20000000, float 0x3F56C16C20000000, float 0x3F56C16C20000000, float 0x3F56C16C20000000, float 0x3F56C16C20000000>)
  %v27 = call contract arcp <16 x float> @llvm.fmuladd.v16f32(<16 x float> %v26, <16 x float> %v25, <16 x float> <float 0x3F81111120000000, float 0x3F81111120000000, float 0x3F81111120000000, float 0x3F81111120000000, float 0x3F81111120000000, float 0x3F81111120000000, float 0x3F81111120000000, float 0x3F81111120000000, float 0x3F81111120000000, float 0x3F81111120000000, float 0x3F81111120000000, float 0x3F81111120000000, float 0x3F81111120000000, float 0x3F81111120000000, float 0x3F81111120000000, float 0x3F81111120000000>)
  %v28 = call contract arcp <16 x float> @llvm.fmuladd.v16f32(<16 x float> %v27, <16 x float> %v25, <16 x float> <float 0x3FA5555560000000, float 0x3FA5555560000000, float 0x3FA5555560000000, float 0x3FA5555560000000, float 0x3FA5555560000000, float 0x3FA5555560000000, float 0x3FA5555560000000, float 0x3FA5555560000000, float 0x3FA5555560000000, float 0x3FA5555560000000, float 0x3FA5555560000000, float 0x3FA5555560000000, float 0x3FA5555560000000, float 0x3FA5555560000000, float 0x3FA5555560000000, float 0x3FA5555560000000>)
  %v29 = call contract arcp <16 x float> @llvm.fmuladd.v16f32(<16 x float> %v28, <16 x float> %v25, <16 x float> <float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000, float 0x3FC5555560000000>)
  %v30 = call contract arcp <16 x float> @llvm.fmuladd.v16f32(<16 x float> %v29, <16 x float> %v25, <16 x float> <float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000, float 0x3FE0000000000000>)
  %v31 = call contract arcp <16 x float> @llvm.fmuladd.v16f32(<16 x float> %v30, <16 x float> %v25, <16 x float> <float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000>)
  %v32 = call contract arcp <16 x float> @llvm.fmuladd.v16f32(<16 x float> %v31, <16 x float> %v25, <16 x float> <float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000>)
  %v33 = fptosi <16 x float> %v23 to <16 x i32>
  %v34 = add <16 x i32> %v33, <i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127, i32 127>
  %v35 = shl <16 x i32> %v34, <i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23>
  %v36 = bitcast <16 x i32> %v35 to <16 x float>
  %v37 = fmul contract arcp <16 x float> %v32, %v36
  ret <16 x float> %v37
}

; ln x, x normal: x = m 2^e with m around 1; ln m = 2 artanh((m - 1) / (m + 1)).
define internal <16 x float> @log(<16 x float> %x) #1 {
  %v38 = bitcast <16 x float> %x to <16 x i32>
  %v39 = sub <16 x i32> %v38, <i32 1060439283, i32 1060439283, i32 1060439283, i32 1060439283, i32 1060439283, i32 1060439283, i32 1060439283, i32 1060439283, i32 1060439283, i32 1060439283, i32 1060439283, i32 1060439283, i32 1060439283, i32 1060439283, i32 1060439283, i32 1060439283>
  %v40 = ashr <16 x i32> %v39, <i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23>
  %v41 = shl <16 x i32> %v40, <i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23, i32 23>
  %v42 = sub <16 x i32> %v38, %v41
  %v43 = bitcast <16 x i32> %v42 to <16 x float>
  %v44 = sitofp <16 x i32> %v40 to <16 x float>
  %v45 = fsub contract arcp <16 x float> %v43, <float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000>
  %v46 = fadd contract arcp <16 x float> %v43, <float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000>
  %v47 = fdiv contract arcp <16 x float> %v45, %v46
  %v48 = fmul contract arcp <16 x float> %v47, %v47
  %v49 = call contract arcp <16 x float> @llvm.fmuladd.v16f32(<16 x float> <float 0x3FCC71C720000000, float 0x3FCC71C720000000, float 0x3FCC71C720000000, float 0x3FCC71C720000000, float 0x3FCC71C720000000, float 0x3FCC71C720000000, float 0x3FCC71C720000000, float 0x3FCC71C720000000, float 0x3FCC71C720000000, float 0x3FCC71C720000000, float 0x3FCC71C720000000, float 0x3FCC71C720000000, float 0x3FCC71C720000000, float 0x3FCC71C720000000, float 0x3FCC71C720000000, float 0x3FCC71C720000000>, <16 x float> %v48, <16 x float> <float 0x3FD24924A0000000, float 0x3FD24924A0000000, float 0x3FD24924A0000000, float 0x3FD24924A0000000, float 0x3FD24924A0000000, float 0x3FD24924A0000000, float 0x3FD24924A0000000, float 0x3FD24924A0000000, float 0x3FD24924A0000000, float 0x3FD24924A0000000, float 0x3FD24924A0000000, float 0x3FD24924A0000000, float 0x3FD24924A0000000, float 0x3FD24924A0000000, float 0x3FD24924A0000000, float 0x3FD24924A0000000>)
  %v50 = call contract arcp <16 x float> @llvm.fmuladd.v16f32(<16 x float> %v49, <16 x float> %v48, <16 x float> <float 0x3FD99999A0000000, float 0x3FD99999A0000000, float 0x3FD99999A0000000, float 0x3FD99999A0000000, float 0x3FD99999A0000000, float 0x3FD99999A0000000, float 0x3FD99999A0000000, float 0x3FD99999A0000000, float 0x3FD99999A0000000, float 0x3FD99999A0000000, float 0x3FD99999A0000000, float 0x3FD99999A0000000, float 0x3FD99999A0000000, float 0x3FD99999A0000000, float 0x3FD99999A0000000, float 0x3FD99999A0000000>)
  %v51 = call contract arcp <16 x float> @llvm.fmuladd.v16f32(<16 x float> %v50, <16 x float> %v48, <16 x float> <float 0x3FE5555560000000, float 0x3FE5555560000000, float 0x3FE5555560000000, float 0x3FE5555560000000, float 0x3FE5555560000000, float 0x3FE5555560000000, float 0x3FE5555560000000, float 0x3FE5555560000000, float 0x3FE5555560000000, float 0x3FE5555560000000, float 0x3FE5555560000000, float 0x3FE5555560000000, float 0x3FE5555560000000, float 0x3FE5555560000000, float 0x3FE5555560000000, float 0x3FE5555560000000>)
  %v52 = call contract arcp <16 x float> @llvm.fmuladd.v16f32(<16 x float> %v51, <16 x float> %v48, <16 x float> <float 0x4000000000000000, float 0x4000000000000000, float 0x4000000000000000, float 0x4000000000000000, float 0x4000000000000000, float 0x4000000000000000, float 0x4000000000000000, float 0x4000000000000000, float 0x4000000000000000, float 0x4000000000000000, float 0x4000000000000000, float 0x4000000000000000, float 0x4000000000000000, float 0x4000000000000000, float 0x4000000000000000, float 0x4000000000000000>)
  %v53 = fmul contract arcp <16 x float> %v52, %v47
  %v54 = call contract arcp <16 x float> @llvm.fmuladd.v16f32(<16 x float> %v44, <16 x float> <float 0x3FE62E4300000000, float 0x3FE62E4300000000, float 0x3FE62E4300000000, float 0x3FE62E4300000000, float 0x3FE62E4300000000, float 0x3FE62E4300000000, float 0x3FE62E4300000000, float 0x3FE62E4300000000, float 0x3FE62E4300000000, float 0x3FE62E4300000000, float 0x3FE62E4300000000, float 0x3FE62E4300000000, float 0x3FE62E4300000000, float 0x3FE62E4300000000, float 0x3FE62E4300000000, float 0x3FE62E4300000000>, <16 x float> %v53)
  ret <16 x float> %v54
}

; The normal distribution, by the polynomial of Abramowitz and Stegun, 26.2.17.
define internal <16 x float> @normal(<16 x float> %d) #1 {
  %v55 = call <16 x float> @llvm.fabs.v16f32(<16 x float> %d)
  %v56 = call contract arcp <16 x float> @llvm.fmuladd.v16f32(<16 x float> %v55, <16 x float> <float 0x3FCDA67120000000, float 0x3FCDA67120000000, float 0x3FCDA67120000000, float 0x3FCDA67120000000, float 0x3FCDA67120000000, float 0x3FCDA67120000000, float 0x3FCDA67120000000, float 0x3FCDA67120000000, float 0x3FCDA67120000000, float 0x3FCDA67120000000, float 0x3FCDA67120000000, float 0x3FCDA67120000000, float 0x3FCDA67120000000, float 0x3FCDA67120000000, float 0x3FCDA67120000000, float 0x3FCDA67120000000>, <16 x float> <float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000>)
  %v57 = fdiv contract arcp <16 x float> <float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000>, %v56
  %v58 = fmul contract arcp <16 x float> %d, %d
  %v59 = fmul contract arcp <16 x float> %v58, <float 0xBFE0000000000000, float 0xBFE0000000000000, float 0xBFE0000000000000, float 0xBFE0000000000000, float 0xBFE0000000000000, float 0xBFE0000000000000, float 0xBFE0000000000000, float 0xBFE0000000000000, float 0xBFE0000000000000, float 0xBFE0000000000000, float 0xBFE0000000000000, float 0xBFE0000000000000, float 0xBFE0000000000000, float 0xBFE0000000000000, float 0xBFE0000000000000, float 0xBFE0000000000000>
  %v60 = call <16 x float> @exp(<16 x float> %v59)
  %v61 = call contract arcp <16 x float> @llvm.fmuladd.v16f32(<16 x float> <float 0x3FF548CDE0000000, float 0x3FF548CDE0000000, float 0x3FF548CDE0000000, float 0x3FF548CDE0000000, float 0x3FF548CDE0000000, float 0x3FF548CDE0000000, float 0x3FF548CDE0000000, float 0x3FF548CDE0000000, float 0x3FF548CDE0000000, float 0x3FF548CDE0000000, float 0x3FF548CDE0000000, float 0x3FF548CDE0000000, float 0x3FF548CDE0000000, float 0x3FF548CDE0000000, float 0x3FF548CDE0000000, float 0x3FF548CDE0000000>, <16 x float> %v57, <16 x float> <float 0xBFFD23DD40000000, float 0xBFFD23DD40000000, float 0xBFFD23DD40000000, float 0xBFFD23DD40000000, float 0xBFFD23DD40000000, float 0xBFFD23DD40000000, float 0xBFFD23DD40000000, float 0xBFFD23DD40000000, float 0xBFFD23DD40000000, float 0xBFFD23DD40000000, float 0xBFFD23DD40000000, float 0xBFFD23DD40000000, float 0xBFFD23DD40000000, float 0xBFFD23DD40000000, float 0xBFFD23DD40000000, float 0xBFFD23DD40000000>)
  %v62 = call contract arcp <16 x float> @llvm.fmuladd.v16f32(<16 x float> %v61, <16 x float> %v57, <16 x float> <float 0x3FFC80EF00000000, float 0x3FFC80EF00000000, float 0x3FFC80EF00000000, float 0x3FFC80EF00000000, float 0x3FFC80EF00000000, float 0x3FFC80EF00000000, float 0x3FFC80EF00000000, float 0x3FFC80EF00000000, float 0x3FFC80EF00000000, float 0x3FFC80EF00000000, float 0x3FFC80EF00000000, float 0x3FFC80EF00000000, float 0x3FFC80EF00000000, float 0x3FFC80EF00000000, float 0x3FFC80EF00000000, float 0x3FFC80EF00000000>)
  %v63 = call contract arcp <16 x float> @llvm.fmuladd.v16f32(<16 x float> %v62, <16 x float> %v57, <16 x float> <float 0xBFD6D1F0E0000000, float 0xBFD6D1F0E0000000, float 0xBFD6D1F0E0000000, float 0xBFD6D1F0E0000000, float 0xBFD6D1F0E0000000, float 0xBFD6D1F0E0000000, float 0xBFD6D1F0E0000000, float 0xBFD6D1F0E0000000, float 0xBFD6D1F0E0000000, float 0xBFD6D1F0E0000000, float 0xBFD6D1F0E0000000, float 0xBFD6D1F0E0000000, float 0xBFD6D1F0E0000000, float 0xBFD6D1F0E0000000, float 0xBFD6D1F0E0000000, float 0xBFD6D1F0E0000000>)
  %v64 = call contract arcp <16 x float> @llvm.fmuladd.v16f32(<16 x float> %v63, <16 x float> %v57, <16 x float> <float 0x3FD470BF40000000, float 0x3FD470BF40000000, float 0x3FD470BF40000000, float 0x3FD470BF40000000, float 0x3FD470BF40000000, float 0x3FD470BF40000000, float 0x3FD470BF40000000, float 0x3FD470BF40000000, float 0x3FD470BF40000000, float 0x3FD470BF40000000, float 0x3FD470BF40000000, float 0x3FD470BF40000000, float 0x3FD470BF40000000, float 0x3FD470BF40000000, float 0x3FD470BF40000000, float 0x3FD470BF40000000>)
  %v65 = fmul contract arcp <16 x float> %v64, %v57
  %v66 = fmul contract arcp <16 x float> %v65, %v60
  %v67 = fmul contract arcp <16 x float> %v66, <float 0x3FD9884540000000, float 0x3FD9884540000000, float 0x3FD9884540000000, float 0x3FD9884540000000, float 0x3FD9884540000000, float 0x3FD9884540000000, float 0x3FD9884540000000, float 0x3FD9884540000000, float 0x3FD9884540000000, float 0x3FD9884540000000, float 0x3FD9884540000000, float 0x3FD9884540000000, float 0x3FD9884540000000, float 0x3FD9884540000000, float 0x3FD9884540000000, float 0x3FD9884540000000>
  %v68 = fsub contract arcp <16 x float> <float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000>, %v67
  %v69 = fcmp ogt <16 x float> %d, <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>
  %v70 = select <16 x i1> %v69, <16 x float> %v68, <16 x float> %v67
  ret <16 x float> %v70
}

declare <16 x float> @llvm.rint.v16f32(<16 x float>)
declare <16 x float> @llvm.fabs.v16f32(<16 x float>)
declare <16 x float> @llvm.sqrt.v16f32(<16 x float>)
declare <16 x float> @llvm.fmuladd.v16f32(<16 x float>, <16 x float>, <16 x float>)

attributes #0 = { nounwind "prefer-vector-width"="512" }
attributes #1 = { nounwind alwaysinline "prefer-vector-width"="512" }
