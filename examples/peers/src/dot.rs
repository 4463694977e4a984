//! The dot product of two vectors.

use nestled::Array;

/// `Σ x[i] · y[i]`
pub fn dot(x: Array<f32>, y: Array<f32>) -> Array<f32> {
    (x * y).sum()
}
