//! The elements that pass a test, close together.

use nestled::{Array, Result};

/// The elements greater than 0.
///
/// # Errors
/// Errors of evaluation.
pub fn positive(x: &Array<f32>) -> Result<Array<f32>> {
    x.compress(&x.gt(0.0))
}
