//! An image of four interleaved channels, turned by 10° about its centre. What comes from outside is 0.

use nestled::{Array, Outside};

/// The image, turned; pixels between four others are mixed from them.
pub fn turn(image: Array<f32>) -> Array<f32> {
    let shape = [image.len_of(0), image.len_of(1), 1];
    let (sin, cos) = 10f64.to_radians().sin_cos();
    let (sin, cos) = (sin as f32, cos as f32);
    let middle = (shape[0] - 1) as f32 / 2.0;
    let (y, x) = (Array::<f32>::index(&shape, 0) - middle, Array::<f32>::index(&shape, 1) - middle);
    let sx = &x * cos + &y * sin + middle;
    let sy = y * cos - x * sin + middle;
    let (fx, fy) = (sx.fract(), sy.fract());
    let (ix, iy) = (sx.floor_to::<i32>(), sy.floor_to::<i32>());
    let channel = Array::<i32>::index(&[1, 1, image.len_of(2)], 2);
    let tap = |dy: i32, dx: i32| image.gather(&[&(&iy + dy), &(&ix + dx), &channel], Outside::Default(0.0));
    let mix = |a: Array<f32>, b: Array<f32>, f: &Array<f32>| a * (1.0 - f) + b * f;
    mix(mix(tap(0, 0), tap(0, 1), &fx), mix(tap(1, 0), tap(1, 1), &fx), &fy)
}
