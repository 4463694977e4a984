//! Random inputs, the same in every run.

use nestled_ir::splitmix::SplitMix64;

/// A generator for inputs.
#[derive(Clone, Debug)]
pub struct Random {
    state: SplitMix64,
}

impl Random {
    /// A generator for the inputs of a benchmark: its name says which.
    pub fn new(name: &str) -> Random {
        let mix = |state: u64, byte: u8| (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Random { state: SplitMix64(name.bytes().fold(0xcbf2_9ce4_8422_2325, mix)) }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state.bits()
    }

    /// A number of [0, 1), a multiple of 2⁻²⁴, so that an `f32` holds it exactly.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 40) as f64 / (1u64 << 24) as f64
    }

    /// A number between two others.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(n)) >> 64) as u64
    }

    /// `n` numbers between two others.
    pub fn floats(&mut self, n: usize, low: f64, high: f64) -> Vec<f32> {
        (0..n).map(|_| self.between(low, high) as f32).collect()
    }

    /// A number of at least 1 that exceeds x with probability x^(−shape).
    pub fn pareto(&mut self, shape: f64) -> f64 {
        (1.0 - self.unit()).powf(-1.0 / shape)
    }
}
