//! How far each pixel of the left image is displaced in the right one: the displacement with the least sum of squared differences over 7×7 pixels.

use nestled::{Array, Border};

/// The sum of seven neighbours along an axis.
fn seven(image: &Array<f32>, axis: usize) -> Array<f32> {
    let shifted = |by: i64| image.shift(&if axis == 0 { [by, 0] } else { [0, by] }, Border::Clamp);
    (-3..=3).map(shifted).reduce(|sum, next| sum + next).unwrap_or_else(|| image.clone())
}

/// The best of the displacements `0..candidates`, the least of equal ones.
pub fn stereo(left: Array<f32>, right: Array<f32>, candidates: i32) -> Array<i32> {
    let mut best = Array::fill(f32::INFINITY, left.shape());
    let mut found = Array::zeros(left.shape());
    for d in 0..candidates {
        let difference = (&left - right.shift(&[0, i64::from(d)], Border::Clamp)).square();
        let cost = seven(&seven(&difference, 0), 1);
        found = cost.lt(&best).select(d, found);
        best = cost.minimum(best);
    }
    found
}
