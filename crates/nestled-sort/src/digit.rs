//! Digits: some bits of a key, by which records are counted.

/// The most bits of a digit. (With lines of 64 bytes for each digit, `lines.rs` then needs 128 KiB.)
pub(super) const MOST_BITS: u32 = 11;

/// Some bits of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Digit {
    /// Position of the lowest bit.
    pub(super) shift: u32,
    /// Number of bits.
    pub(super) bits: u32,
}

impl Digit {
    /// The radix: number of values of the digit.
    pub(super) fn radix(self) -> usize {
        1 << self.bits
    }

    /// The digit of a key.
    #[inline(always)]
    pub(super) fn of(self, key: u64) -> usize {
        (key >> self.shift) as usize & (self.radix() - 1)
    }
}

/// Disjunction and conjunction of keys: together they tell the bits in which keys differ.
#[derive(Clone, Copy, Debug)]
pub(super) struct BitDifferences {
    or: u64,
    and: u64,
}

impl BitDifferences {
    pub(super) const NONE: BitDifferences = BitDifferences { or: 0, and: u64::MAX };

    /// From the disjunction and the conjunction of some keys.
    pub(super) fn new(or: u64, and: u64) -> BitDifferences {
        BitDifferences { or, and }
    }

    /// Of keys that differ in each of so many bits.
    pub(super) fn of_width(width: u32) -> BitDifferences {
        BitDifferences { or: u64::MAX.checked_shr(u64::BITS - width).unwrap_or(0), and: 0 }
    }

    pub(super) fn join(self, other: BitDifferences) -> BitDifferences {
        BitDifferences { or: self.or | other.or, and: self.and & other.and }
    }

    /// The bits that are set in all keys.
    pub(super) fn common(self) -> u64 {
        self.and
    }

    /// The bits in which the keys differ; there must have been a key.
    pub(super) fn differ(self) -> u64 {
        self.or ^ self.and
    }
}

/// Exclusive prefix sum: turns counts into the begin of each digit, the first at `begin`.
pub(super) fn begins<T: Copy + std::ops::Add<Output = T>>(counts: &mut [T], begin: T) {
    let mut sum = begin;
    for count in counts {
        let next = sum + *count;
        *count = sum;
        sum = next;
    }
}
