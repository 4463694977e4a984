//! Sorting by the sort of the library.

use nestled::Array;

/// The elements, least first.
pub fn sort(x: Array<i32>) -> Array<i32> {
    x.sort(0)
}
