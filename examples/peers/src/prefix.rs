//! Prefix sums.

use nestled::Array;

/// The sum of each element and all before it.
pub fn floats(x: Array<f32>) -> Array<f32> {
    x.cumsum(0)
}

/// The same of integers, in their own width.
pub fn integers(x: Array<i32>) -> Array<i32> {
    x.wrapping_cumsum(0)
}
