//! Sorting by one thread: radix sort from the lowest digit in the cache, after a partition by the highest where it does not fit.

use super::record::View;
use std::ops::Range;

/// Below this length comparing is taken to be quicker than counting.
const SHORT: usize = 256;
/// Up to this many bytes data and scratch are in the cache of one core.
const CACHE: usize = 512 << 10;
/// The bits of a digit.
const DIGIT: u32 = 8;
/// The number of digits.
pub(super) const RADIX: usize = 1 << DIGIT;

/// Which of the two buffers the result goes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    /// Where the data is.
    Data,
    /// The other one.
    Other,
}

impl Side {
    /// The same buffer as seen from the other one.
    pub(super) fn seen_from_other(self) -> Side {
        match self {
            Side::Data => Side::Other,
            Side::Other => Side::Data,
        }
    }
}

/// The digit of a record.
pub(super) fn digit<V: View>(record: V::Raw, shift: u32) -> usize {
    (V::bits(record) >> shift) as usize % RADIX
}

/// The disjunction and conjunction of the keys' bits; what is in one only, differs.
pub(super) fn extremes<V: View>(data: &[V::Raw]) -> (u64, u64) {
    data.iter().fold((0, u64::MAX), |(or, and), record| (or | V::bits(*record), and & V::bits(*record)))
}

/// The shift of the digit that holds the highest bit of `differ`, which is not 0.
pub(super) fn highest_digit(differ: u64) -> u32 {
    (u64::BITS - differ.leading_zeros()).saturating_sub(DIGIT)
}

/// How many records have each digit.
pub(super) fn count<V: View>(data: &[V::Raw], shift: u32) -> [usize; RADIX] {
    let mut counts = [0; RADIX];
    data.iter().for_each(|record| counts[digit::<V>(*record, shift)] += 1);
    counts
}

/// Sorts `data`; `other` is as long.
pub(super) fn sort<V: View>(data: &mut [V::Raw], other: &mut [V::Raw], into: Side) {
    if data.len() < SHORT {
        // Records with a position are all different, and those without cannot be told apart: this is stable.
        data.sort_unstable();
        return place(data, other, into);
    }
    let (or, and) = extremes::<V>(data);
    let differ = or ^ and;
    if differ == 0 {
        place(data, other, into);
    } else if size_of_val(data) > CACHE {
        by_highest::<V>(data, other, into, highest_digit(differ));
    } else {
        by_lowest::<V>(data, other, into, differ);
    }
}

/// Brings what is sorted in place to the right side.
pub(super) fn place<R: Copy>(data: &[R], other: &mut [R], into: Side) {
    if into == Side::Other {
        other.copy_from_slice(data);
    }
}

fn by_highest<V: View>(data: &mut [V::Raw], other: &mut [V::Raw], into: Side, shift: u32) {
    let mut next = count::<V>(data, shift);
    let ends = begins(&mut next);
    scatter::<V>(data, other, shift, &mut next);
    for part in parts(ends) {
        sort::<V>(&mut other[part.clone()], &mut data[part], into.seen_from_other());
    }
}

/// Turns counts into where each digit begins; gives where they end.
fn begins(counts: &mut [usize; RADIX]) -> [usize; RADIX] {
    let (mut sum, mut ends) = (0, [0; RADIX]);
    for (count, end) in counts.iter_mut().zip(&mut ends) {
        sum += std::mem::replace(count, sum);
        *end = sum;
    }
    ends
}

fn scatter<V: View>(from: &[V::Raw], to: &mut [V::Raw], shift: u32, next: &mut [usize; RADIX]) {
    for record in from {
        let next = &mut next[digit::<V>(*record, shift)];
        to[*next] = *record;
        *next += 1;
    }
}

fn by_lowest<V: View>(data: &mut [V::Raw], other: &mut [V::Raw], into: Side, differ: u64) {
    let (mut from, mut to) = (&mut *data, &mut *other);
    let mut side = Side::Data;
    let mut left = differ;
    while left != 0 {
        let shift = left.trailing_zeros();
        left &= !((RADIX as u64 - 1) << shift);
        let mut next = count::<V>(from, shift);
        begins(&mut next);
        scatter::<V>(from, to, shift, &mut next);
        (from, to) = (to, from);
        side = side.seen_from_other();
    }
    if side != into {
        to.copy_from_slice(from);
    }
}

/// The parts of a whole, from where they end.
pub(super) fn parts(ends: [usize; RADIX]) -> impl Iterator<Item = Range<usize>> {
    let mut begin = 0;
    ends.into_iter().map(move |end| std::mem::replace(&mut begin, end)..end)
}
