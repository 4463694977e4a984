//! Sums of rows of any lengths.

use nestled::{Array, Ragged};

/// The sum of each row.
pub fn sums(rows: Ragged<f32>) -> Array<f32> {
    rows.sum()
}
