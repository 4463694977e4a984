//! The Mandelbrot set: how many steps each point of a grid takes until it leaves.

use nestled::{Array, while_with};

const STEPS: i32 = 255;

/// Steps of `n` × `n` points of the square from −2 − 1.25 i, of width 2.5.
pub fn mandelbrot(n: usize) -> Array<i32> {
    let place = |axis, from: f32| Array::<f32>::index(&[n, n], axis) * (2.5 / n as f32) + from;
    let (cy, cx) = (place(0, -1.25), place(1, -2.0));
    let zero = Array::zeros(&[n, n]);
    type State = (Array<f32>, Array<f32>, Array<f32>, Array<f32>, Array<i32>);
    let (.., steps) = while_with(
        (zero.clone(), zero, cx, cy, Array::zeros(&[n, n])),
        |(x, y, _, _, k): &State| (x.square() + y.square()).le(4.0) & k.lt(STEPS),
        |(x, y, cx, cy, k)| (x.square() - y.square() + &cx, x * y * 2.0 + &cy, cx, cy, k + 1),
    );
    steps
}
