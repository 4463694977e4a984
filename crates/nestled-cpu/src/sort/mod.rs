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
//! sort(Pool::global(), rows, Order::Ascending, &keys, &mut sorted, &mut [&mut Column::new(&names, &mut moved)]);
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

mod column;
mod key;
mod parallel;
mod partition;
mod record;
mod rows;
mod serial;
mod targets;
#[cfg(all(test, not(loom)))]
mod tests;

use crate::pool::Pool;
use column::{Positions, Records};
use nestled_ir::Order;
use record::{Plain, Tag32, Tag64, Tagged, View};
use targets::Targets;

pub use column::{Column, Payload};
pub use key::Key;
pub use rows::Rows;

/// So many elements make a piece of work.
const BLOCK: usize = 1 << 14;

/// Sorts each row of `keys` into `sorted`, and moves the payload along. Stable. Work O(N) for each 8 bits in which keys differ.
///
/// # Panics
/// If keys, results and payload have not all as many elements as the rows together.
pub fn sort<K: Key>(
    pool: &Pool,
    rows: Rows<'_>,
    order: Order,
    keys: &[K],
    sorted: &mut [K],
    payload: &mut [&mut dyn Payload],
) {
    assert_eq!(keys.len(), sorted.len(), "as many results as keys");
    assert!(payload.iter().all(|column| column.len() == keys.len()), "as much payload as keys");
    if payload.is_empty() {
        let records = sorted_records::<K, Plain<K::Word>>(pool, rows, order, keys);
        unpack::<K, Plain<K::Word>>(pool, order, &records, sorted);
    } else if narrow::<K>(keys.len()) {
        let records = sorted_records::<K, Tag32>(pool, rows, order, keys);
        unpack::<K, Tag32>(pool, order, &records, sorted);
        payload.iter_mut().for_each(|column| column.gather(pool, Positions(Records::Narrow(&records))));
    } else {
        let records = sorted_records::<K, Tag64>(pool, rows, order, keys);
        unpack::<K, Tag64>(pool, order, &records, sorted);
        payload.iter_mut().for_each(|column| column.gather(pool, Positions(Records::Wide(&records))));
    }
}

/// Writes into `ranks`, for each key, the position that it would take in its row if sorted. Work as for [`sort`].
///
/// # Panics
/// If keys and ranks have not as many elements as the rows together.
pub fn rank<K: Key>(pool: &Pool, rows: Rows<'_>, order: Order, keys: &[K], ranks: &mut [i64]) {
    assert_eq!(keys.len(), ranks.len(), "as many ranks as keys");
    if narrow::<K>(keys.len()) {
        write_ranks::<Tag32>(pool, rows, &sorted_records::<K, Tag32>(pool, rows, order, keys), ranks);
    } else {
        write_ranks::<Tag64>(pool, rows, &sorted_records::<K, Tag64>(pool, rows, order, keys), ranks);
    }
}

/// Whether a key and the position of any of `len` fit into 64 bits together.
fn narrow<K: Key>(len: usize) -> bool {
    K::WIDTH <= 32 && u32::try_from(len).is_ok()
}

/// What descending keys are combined with by exclusive or.
fn flip<K: Key>(order: Order) -> u64 {
    match order {
        Order::Ascending => 0,
        Order::Descending => u64::MAX >> (64 - K::WIDTH),
    }
}

/// The keys as records, sorted row by row.
fn sorted_records<K: Key, V: View>(pool: &Pool, rows: Rows<'_>, order: Order, keys: &[K]) -> Vec<V::Raw> {
    assert_eq!(rows.total(keys.len()), keys.len(), "as many keys as the rows have elements");
    let flip = flip::<K>(order);
    // Zeros come from the system as pages that nobody has touched; the threads touch them.
    let mut records = vec![V::Raw::default(); keys.len()];
    let mut scratch = vec![V::Raw::default(); keys.len()];
    let mut blocks: Vec<_> = records.chunks_mut(BLOCK).zip(keys.chunks(BLOCK)).collect();
    pool.for_each_mut(&mut blocks, |block, (records, keys)| {
        for (position, (record, key)) in records.iter_mut().zip(*keys).enumerate() {
            *record = V::pack(key.ordered() ^ flip, block * BLOCK + position);
        }
    });
    rows::sort::<V>(pool, rows, &mut records, &mut scratch);
    records
}

fn unpack<K: Key, V: View>(pool: &Pool, order: Order, records: &[V::Raw], keys: &mut [K]) {
    let flip = flip::<K>(order);
    let mut blocks: Vec<_> = keys.chunks_mut(BLOCK).zip(records.chunks(BLOCK)).collect();
    pool.for_each_mut(&mut blocks, |_, (keys, records)| {
        for (key, record) in keys.iter_mut().zip(*records) {
            *key = K::from_ordered(V::bits(*record) ^ flip);
        }
    });
}

fn write_ranks<V: Tagged>(pool: &Pool, rows: Rows<'_>, records: &[V::Raw], ranks: &mut [i64]) {
    let targets = Targets::new(ranks);
    pool.for_each_chunk(records.len().div_ceil(BLOCK), |block| {
        let begin = block * BLOCK;
        let end = records.len().min(begin + BLOCK);
        let mut row = rows.of(begin);
        for (position, record) in (begin..end).zip(&records[begin..end]) {
            while rows.range(row).end <= position {
                row += 1;
            }
            targets.set(V::tag(*record), (position - rows.range(row).start) as i64);
        }
    });
}
