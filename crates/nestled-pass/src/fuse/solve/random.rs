//! Deterministic pseudo-random numbers, the same in each run.

use nestled_ir::splitmix::SplitMix64;

/// A SplitMix64 generator.
pub struct Random(SplitMix64);

impl Random {
    /// Makes the generator of a seed.
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
