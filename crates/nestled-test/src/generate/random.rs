//! Random numbers that are the same on every machine: SplitMix64.
//!
//! Every state is a good one, so that a seed may be any number, and [`Random::fork`] gives independent streams: what one part of a
//! program draws does not change what another part draws.

use nestled_ir::splitmix::SplitMix64;

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random {
    state: SplitMix64,
}

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Random {
        // Neighbouring seeds would otherwise give streams that are shifts of each other.
        Random { state: SplitMix64(SplitMix64(seed).bits() ^ seed.rotate_left(32)) }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state.bits()
    }

    /// A number below `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// A number from `from` to `to`, both included.
    pub fn between(&mut self, from: i64, to: i64) -> i64 {
        from + self.below((to - from) as usize + 1) as i64
    }

    /// True `percent` times in a hundred.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of the items. The slice must not be empty.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// The position of one weight, chosen in proportion. The sum must not be zero.
    pub fn weighted(&mut self, weights: &[usize]) -> usize {
        let mut at = self.below(weights.iter().sum());
        for (position, &weight) in weights.iter().enumerate() {
            if at < weight {
                return position;
            }
            at -= weight;
        }
        unreachable!("the weights have a sum that is not zero")
    }

    /// An independent stream.
    pub fn fork(&mut self) -> Random {
        Random::new(self.bits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_in_their_range_and_reach_its_ends() {
        let mut random = Random::new(7);
        let drawn: Vec<i64> = (0..1000).map(|_| random.between(-2, 2)).collect();
        assert_eq!(drawn.iter().min(), Some(&-2));
        assert_eq!(drawn.iter().max(), Some(&2));
        assert_eq!(random.below(0), 0);
    }

    #[test]
    fn weights_of_zero_are_never_chosen() {
        let mut random = Random::new(1);
        assert!((0..200).all(|_| random.weighted(&[0, 3, 0, 1]) % 2 == 1));
    }
}
