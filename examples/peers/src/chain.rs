//! Eight operations on each element, which are one kernel.

use nestled::Array;

/// `√|(1.5 x + y)² − x| · 0.7 + y`
pub fn chain(x: Array<f32>, y: Array<f32>) -> Array<f32> {
    (((&x * 1.5 + &y).square() - x).abs().sqrt()) * 0.7 + y
}
