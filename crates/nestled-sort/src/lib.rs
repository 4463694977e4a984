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
//! **Measured** on 2 virtual cores (Zen 5, KVM) that other programs kept busy, so as processor time, least of five, for 10 M random
//! elements, with two threads (both together) and with one; in brackets std's `sort_unstable`: `i32` 60 and 62 ms (137), `f32` 74 and 72 (254),
//! `i64` 87 and 86 (141), `f64` 116 and 114 (262); `u32` with a `u32` payload 82 (137, as `u64`), `i64` with an `i64` payload 131; rank of
//! `u32` 109, of `i64` 158. A radix sort written in C for `i32` takes 78. Of 12 M `i32`, in rows of 4: 78 (58), of 100: 84 (75), of 1000 to 100 000:
//! 45 to 50 (117 to 150), of lengths by a power law: 64 (118). Where std looks for order or equal elements it may be quicker: `i64` in 16 values 65 (32),
//! reversed 112 (7). `cargo run --release -p nestled-sort --example sorting` measures it.

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
