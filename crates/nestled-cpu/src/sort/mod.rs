//! Stable sorting and ranking of the rows of an array, by keys of fixed width.
//!
//! ```
//! use nestled_cpu::pool::Pool;
//! use nestled_cpu::sort::{Column, Rows, sort};
//! use nestled_ir::Order;
//!
//! // Two rows, [3, 1, 2] and [9, 7]; names move along.
//! let (keys, names) = ([3, 1, 2, 9, 7], [b'c', b'a', b'b', b'z', b'x']);
//! let (mut sorted, mut moved) = ([0; 5], [0; 5]);
//! let rows = Rows::Offsets(&[0, 3, 5]);
//! sort(Pool::global(), rows, Order::Ascending, &keys, &mut sorted, &mut [Column::new(&names, &mut moved)]);
//! assert_eq!(sorted, [1, 2, 3, 7, 9]);
//! assert_eq!(&moved, b"abcxz");
//! ```
//!
//! Keys become unsigned integers of the same order (`key.rs`; descending is the complement, which keeps sorting stable). If
//! something moves along, or for ranks, each is packed with its position into one integer (`record.rs`), so that there is one stream to
//! write, and no two are equal; what moves along is then gathered once by position.
//!
//! - A long row is partitioned by its highest 8 bits that differ, by all threads (`parallel.rs`); the parts fit the cache and are
//!   sorted by one thread each, from the lowest differing bits up (`serial.rs`). Parts that are still too long are partitioned again.
//! - Bits that are equal everywhere, in the whole or in a part, cost nothing: keys below 1000 have ten bits.
//! - Short rows are shared out in groups of about equally many elements. Very short ones are sorted by comparison.
//!
//! The result of a stable sort is unique, so neither threads nor thresholds can change it.
//!
//! **Measured** on 2 virtual cores (Xeon, KVM) that other programs kept busy, so as processor time of *one* thread, least of four, for 10 M
//! random elements: `u32` 170 ms (std's `sort_unstable`: 210), `f32` 200 ms (std: 290), `i64` 350 ms (std: 220, so **slower**: too many
//! passes over too many bits); `u32` with a `u32` payload 360 ms, rank 350 ms; `u32` in rows of 10 to 10 000: 120 to 150 ms. How well
//! two threads share the work has not been measured; `cargo run --release -p nestled-cpu --example sorting` does it, on a quiet machine.

mod choose;
mod column;
mod digit;
mod job;
mod key;
mod lines;
mod parallel;
mod partition;
mod place;
mod plan;
mod record;
mod rows;
mod scratch;
mod serial;
mod targets;
#[cfg(all(test, not(loom)))]
mod tests;

use crate::pool::Pool;
use nestled_ir::Order;

pub use column::{Column, Element};
pub use key::Key;
pub use rows::Rows;

use choose::{rank_keys, sort_keys};

/// Sorts each row of `keys` into `sorted`, and moves the payload along. Stable. Work O(N) for each 11 bits in which keys differ.
///
/// # Panics
/// If keys, results and payload have not all as many elements as the rows together.
#[allow(unsafe_code)] // Keys are looked at as integers.
pub fn sort<K: Key>(
    pool: &Pool,
    rows: Rows<'_>,
    order: Order,
    keys: &[K],
    sorted: &mut [K],
    payload: &mut [Column<'_>],
) {
    assert_eq!(keys.len(), sorted.len(), "as many results as keys");
    let (len, from, to) = (keys.len(), keys.as_ptr().cast(), sorted.as_mut_ptr().cast());
    // SAFETY: keys of this type, which are borrowed; what is written are keys that were read.
    unsafe { sort_keys(pool, rows, order, K::TYPE, from, to, len, payload) }
}

/// Writes into `ranks`, for each key, the position that it would take in its row if sorted. Work as for [`sort`].
///
/// # Panics
/// If keys and ranks have not as many elements as the rows together.
#[allow(unsafe_code)] // Keys are looked at as integers.
pub fn rank<K: Key>(pool: &Pool, rows: Rows<'_>, order: Order, keys: &[K], ranks: &mut [i64]) {
    // SAFETY: keys of this type, which are borrowed.
    unsafe { rank_keys(pool, rows, order, K::TYPE, keys.as_ptr().cast(), keys.len(), ranks) }
}
