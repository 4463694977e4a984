// For machines on which `fma` rounds once.

fn fma_f32(a: f32, b: f32, c: f32) -> f32 { return opaque_f32(fma(left_f32(a), right_f32(b), opaque_f32(c))); }

fn fma_f64(a: f64, b: f64, c: f64) -> f64 { return opaque_f64(fma(left_f64(a), right_f64(b), opaque_f64(c))); }
