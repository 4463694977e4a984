//! Sorting of one long row by all threads: they partition it by its highest digit, and then share the parts.

use super::partition::{ROW_BLOCK, block_of, partition};
use super::record::View;
use super::serial::{self, RADIX, Side};
use crate::pool::Pool;

/// Sorts `data`; `other` is as long.
pub(super) fn sort<V: View>(pool: &Pool, data: &mut [V::Raw], other: &mut [V::Raw], into: Side) {
    let len = data.len();
    if pool.threads() == 1 || len < 2 * ROW_BLOCK {
        return serial::sort::<V>(data, other, into);
    }
    let differ = differing::<V>(pool, data);
    if differ == 0 {
        return place(pool, data, other, into);
    }
    let ends = partition::<V>(pool, data, other, serial::highest_digit(differ));
    // Sorted as rows of the other buffer; the longest first, so that no thread is left with one at the end.
    let mut parts = split(other, data, ends);
    parts.sort_by_key(|(part, _)| std::cmp::Reverse(part.len()));
    let fair = len / (2 * pool.threads());
    let n_long = parts.partition_point(|(part, _)| part.len() > fair);
    let (long, short) = parts.split_at_mut(n_long);
    for (part, scratch) in long {
        sort::<V>(pool, part, scratch, into.seen_from_other());
    }
    pool.for_each_mut(short, |_, (part, scratch)| serial::sort::<V>(part, scratch, into.seen_from_other()));
}

/// The bits in which the keys differ.
fn differing<V: View>(pool: &Pool, data: &[V::Raw]) -> u64 {
    let mut blocks = vec![(0, 0); data.len().div_ceil(ROW_BLOCK)];
    pool.for_each_mut(&mut blocks, |block, extremes| {
        *extremes = serial::extremes::<V>(block_of(data, block));
    });
    let (or, and) = blocks.into_iter().fold((0, u64::MAX), |(or, and), block| (or | block.0, and & block.1));
    or ^ and
}

/// The parts of two buffers that are not empty.
fn split<'a, R>(
    mut data: &'a mut [R],
    mut other: &'a mut [R],
    ends: [usize; RADIX],
) -> Vec<(&'a mut [R], &'a mut [R])> {
    let mut parts = Vec::with_capacity(RADIX);
    for range in serial::parts(ends).filter(|range| !range.is_empty()) {
        let (part, rest) = data.split_at_mut(range.len());
        let (scratch, rest_scratch) = other.split_at_mut(range.len());
        (data, other) = (rest, rest_scratch);
        parts.push((part, scratch));
    }
    parts
}

/// As [`serial::place`], with all threads.
fn place<R: Copy + Send + Sync>(pool: &Pool, data: &[R], other: &mut [R], into: Side) {
    let mut blocks: Vec<_> = other.chunks_mut(ROW_BLOCK).collect();
    pool.for_each_mut(&mut blocks, |block, other| serial::place(block_of(data, block), other, into));
}
