//! A histogram.

use nestled::Array;

/// How many of the numbers from 0 to 1 lie in each of 256 parts.
pub fn histogram(x: Array<f32>) -> Array<i64> {
    (x * 256.0).floor_to::<i32>().histogram(256)
}
