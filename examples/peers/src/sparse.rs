//! A sparse matrix times a vector: a row has as many entries as it needs.

use nestled::{Array, Outside, Ragged};

/// `y[i] = Σ entries[i, k] · x[columns[i, k]]`; columns are given for all rows one after another.
pub fn multiply(entries: Ragged<f32>, columns: Array<i32>, x: Array<f32>) -> Array<f32> {
    entries.map(|entry| entry * x.take(0, &columns, Outside::Clamp)).sum()
}
