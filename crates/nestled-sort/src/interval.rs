//! Intervals of keys, by which a row is partitioned: as wide as each other, between two keys, or all keys of the same highest bits.
//!
//! Sampled keys tell the range in which most keys lie, and the intervals divide that alone: floats between 0 and 1 differ in the low bits of their
//! exponents, and most values of these bits never occur. Keys outside of the range belong to the first interval or to the last.

use super::digit::BitDifferences;

/// Intervals of keys, of the same width, which is a power of two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Intervals {
    /// The first key of the first interval.
    base: u64,
    /// The width of an interval, as a number of bits.
    shift: u32,
    /// The last interval.
    last: u64,
    /// True if no key lies outside.
    hold_all: bool,
}

impl Intervals {
    /// By the highest of the bits in which keys differ (there are some), at most `bits` of them.
    pub(super) fn highest(keys: BitDifferences, bits: u32) -> Intervals {
        let differing = u64::BITS - keys.differ().leading_zeros();
        let shift = differing.saturating_sub(bits);
        let base = keys.common().checked_shr(differing).map_or(0, |high| high << differing);
        Intervals { base, shift, last: (1 << bits.min(differing)) - 1, hold_all: true }
    }

    /// Between two keys, and around them as long as there are at most 2 to the `bits` of them.
    pub(super) fn around(least: u64, greatest: u64, bits: u32) -> Intervals {
        let Intervals { base, shift, last, .. } = Intervals::between(least, greatest, bits);
        let spare = (1 << bits) - 1 - last;
        let before = (spare / 2).min(base >> shift);
        Intervals { base: base - (before << shift), shift, last: last + spare, hold_all: false }
    }

    /// Between two keys, at most 2 to the `bits` of them.
    pub(super) fn between(least: u64, greatest: u64, bits: u32) -> Intervals {
        let distance = |shift: u32| (greatest >> shift) - (least >> shift);
        let shift = (u64::BITS - distance(0).leading_zeros()).saturating_sub(bits);
        // With a border between them there may be one interval too many.
        let shift = if distance(shift) >> bits == 0 { shift } else { shift + 1 };
        Intervals { base: least >> shift << shift, shift, last: distance(shift), hold_all: false }
    }

    /// The number of intervals.
    pub(super) fn count(self) -> usize {
        self.last as usize + 1
    }

    /// The interval of a key.
    #[inline(always)]
    pub(super) fn of(self, key: u64) -> usize {
        (key.saturating_sub(self.base) >> self.shift).min(self.last) as usize
    }

    /// The interval of a key that lies in one of them.
    #[inline(always)]
    pub(super) fn of_inner(self, key: u64) -> usize {
        (key.wrapping_sub(self.base) >> self.shift) as usize
    }

    /// Of the bits in which keys differ, those in which keys of the same interval may.
    pub(super) fn below(self, differ: u64) -> u64 {
        if self.hold_all { differ & ((1 << self.shift) - 1) } else { differ }
    }
}

#[cfg(test)]
mod tests {
    use super::{BitDifferences, Intervals};

    #[test]
    fn intervals_are_in_the_order_of_keys() {
        let all = |keys: &[u64]| {
            let or = keys.iter().fold(0, |or, key| or | key);
            BitDifferences::new(or, keys.iter().fold(u64::MAX, |and, key| and & key))
        };
        for (least, greatest) in [(0, 1), (5, 9), (0, u64::MAX), (u64::MAX - 1, u64::MAX), (1 << 40, 3 << 39)]
        {
            for bits in [1, 4, 11] {
                let between = Intervals::between(least, greatest, bits);
                let around = Intervals::around(least, greatest, bits);
                let highest = Intervals::highest(all(&[least, greatest]), bits);
                for intervals in [between, around, highest] {
                    assert!(intervals.count() <= 1 << bits, "{intervals:?}");
                    assert!(intervals.of(least) < intervals.of(greatest), "{intervals:?}");
                    let middle = least + (greatest - least) / 2;
                    assert!(intervals.of(least) <= intervals.of(middle), "{intervals:?}");
                    assert!(intervals.of(middle) <= intervals.of(greatest), "{intervals:?}");
                    assert!(intervals.of(greatest) < intervals.count(), "{intervals:?}");
                }
                assert_eq!(between.of(0), 0);
                assert_eq!(between.of(u64::MAX), between.count() - 1);
                assert_eq!(around.count(), 1 << bits);
                // Keys of one interval differ in no other bits.
                if greatest - least > 1 && highest.of(least) == highest.of(least + 1) {
                    assert_eq!((least ^ (least + 1)) & !highest.below(u64::MAX), 0);
                }
            }
        }
    }
}
