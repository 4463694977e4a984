//! Random numbers, a function of a seed.

use nestled_ir::splitmix::SplitMix64;

/// A generator.
#[derive(Clone, Debug)]
pub struct Random(SplitMix64);

impl Random {
    /// The generator of a seed.
    #[must_use]
    pub fn seeded(seed: u64) -> Random {
        Random(SplitMix64(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d))
    }

    /// The next bits.
    pub fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    /// A number below a bound; 0 if the bound is.
    pub fn below(&mut self, bound: usize) -> usize {
        if bound == 0 { 0 } else { (self.bits() % bound as u64) as usize }
    }

    /// A random element of a slice.
    pub fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}
