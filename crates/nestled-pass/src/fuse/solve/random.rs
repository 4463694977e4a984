//! Numbers that look random and are always the same.

use nestled_ir::splitmix::SplitMix64;

/// A generator.
pub struct Random(SplitMix64);

impl Random {
    /// The generator of a seed.
    pub fn seeded(seed: u64) -> Random {
        Random(SplitMix64(seed))
    }

    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0.bits()
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}
