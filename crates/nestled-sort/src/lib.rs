//! Stable radix sort: sorting and ranking of the rows of an array, by keys of fixed width.
//!
//! ```
//! use nestled_pool::Pool;
//! use nestled_sort::{Column, Order, Rows, sort};
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
//! Keys become unsigned integers of the same order (`key.rs`; descending is the complement, which keeps sorting stable). The sort moves
//! *records* (`job.rs`): keys alone; or a key above and, below, the payload element, if it is the only one and not larger than the key; or
//! else the position that the key comes from, by which everything is gathered at the end, or ranked.
//!
//! - Counting sort: in a row whose keys lie close together every element goes straight to its place (`counting.rs`).
//! - Partition: another long row is partitioned by all threads (`parallel.rs`), until the parts fit the cache: into up to 2048 intervals of keys, which divide
//!   the range of a few of them (`interval.rs`). Records are written in whole lines of the cache, and past it (`lines.rs`).
//! - Serial radix sort: the parts, and rows that fit the cache, are sorted by one thread each (`serial.rs`): parts by a single pass and insertion; others by the
//!   cheapest plan (`plan.rs`): from the lowest digit up over all bits that differ, or over as many of the highest as tell nearly all keys apart, or by comparing.
//! - Bits that are equal everywhere, in the whole or in a part, cost nothing: keys below 1000 have ten bits. A long row that is in
//!   order already is copied.
//! - Short rows are shared out in groups of about equally many elements.
//!
//! The result of a stable sort is unique, so neither threads nor plans can change it.
//!
//! **Memory.** A long row takes scratch for its records (4, 8 or 16 bytes each), twice that if parts do not fit the cache. Scratch is kept for the
//! next call, up to 512 MiB in all (`scratch.rs`).
//!
//! **Measured** on 2 virtual cores of an EPYC of the first kind (AVX2), idle, least of five, milliseconds for 10 M random elements with one thread and with
//! two; in brackets std's `sort_unstable`: `u32` 286 and 140 (529), `f32` 236 and 121 (833), `i64` 360 and 195 (576), `f64` 350 and 176 (900); `u32` with a `u32`
//! payload 388 and 189, `i64` with one 429 and 217; rank of `u32` 533 and 263, of `i64` 594 and 300. `u32` in rows of 10: 133 and 67, of 100: 150 and 75, of 1000: 108
//! and 68. Where std looks for order or equal elements it may be quicker. `cargo run --release -p nestled-sort --example sorting` measures it.

mod choose;
mod column;
mod counting;
mod digit;
mod interval;
mod job;
mod key;
mod lines;
mod parallel;
mod partition;
mod place;
mod plan;
mod raw;
mod record;
mod rows;
mod scratch;
mod serial;
mod targets;
#[cfg(test)]
mod tests;

use nestled_pool::Pool;

pub use column::{Column, Element};
pub use key::{Key, Order};
pub use rows::Rows;

use choose::{rank_keys, sort_keys};
use key::KeyType;

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
    unsafe { sort_keys(pool, rows, order, KeyType::of::<K>(), from, to, len, payload) }
}

/// Writes into `ranks`, for each key, the position that it would take in its row if sorted. Work as for [`sort`].
///
/// # Panics
/// If keys and ranks have not as many elements as the rows together.
#[allow(unsafe_code)] // Keys are looked at as integers.
pub fn rank<K: Key>(pool: &Pool, rows: Rows<'_>, order: Order, keys: &[K], ranks: &mut [i64]) {
    // SAFETY: keys of this type, which are borrowed.
    unsafe { rank_keys(pool, rows, order, KeyType::of::<K>(), keys.as_ptr().cast(), keys.len(), ranks) }
}
