//! Corners, by the method of Kanade, Lucas and Tomasi.

use crate::blur::{gaussian, separable};
use nestled::{Array, Border};

/// How much of a corner each pixel is: `λ₁/2 + λ₂` of the structure tensor.
pub fn corners(image: Array<f32>) -> Array<f32> {
    let smooth = separable(&image, &gaussian(2, 1.0));
    let slope = |by: &[i64; 2]| {
        let back = [-by[0], -by[1]];
        (smooth.shift(&back, Border::Clamp) - smooth.shift(by, Border::Clamp)) * 0.5
    };
    let (gx, gy) = (slope(&[0, 1]), slope(&[1, 0]));
    let wide = gaussian(4, 2.0);
    let a = separable(&gx.square(), &wide);
    let b = separable(&(&gx * &gy), &wide);
    let c = separable(&gy.square(), &wide);
    let middle = (&a + &c) * 0.5;
    let spread = (((a - c) * 0.5).square() + b.square()).sqrt();
    middle * 1.5 - spread * 0.5
}
