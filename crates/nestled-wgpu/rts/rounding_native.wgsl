// For machines whose division and square root of 32 bits are rounded as IEEE 754 asks.

fn div_f32(a: f32, b: f32) -> f32 { return opaque_f32(left_f32(a) / right_f32(b)); }

fn sqrt_f32(a: f32) -> f32 { return opaque_f32(sqrt(a)); }
