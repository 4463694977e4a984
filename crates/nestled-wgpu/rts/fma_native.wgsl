// For machines on which `fma` rounds once.

fn fma_f32(a: f32, b: f32, c: f32) -> f32 { return opaque_f32(fma(operand_f32(a), operand_f32(b), operand_f32(c))); }

fn fma_f64(a: f64, b: f64, c: f64) -> f64 { return opaque_f64(fma(operand_f64(a), operand_f64(b), operand_f64(c))); }
