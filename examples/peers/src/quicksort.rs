//! Quicksort as in `examples/quicksort.nesl`: both sides at once, on every level.

use crate::nesl::functions;
use nestled::Array;

nestled::nesl! {
    functions(include_str!("../../quicksort.nesl"));
    /// The elements, least first.
    pub fn quicksort(v: Array<i64>) -> Array<i64>;
}
