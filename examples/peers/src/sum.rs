//! The sum of the absolute values of a matrix.

use nestled::Array;

/// `Σ |x[i, j]|`
pub fn sum(x: Array<f32>) -> Array<f32> {
    x.abs().sum()
}
