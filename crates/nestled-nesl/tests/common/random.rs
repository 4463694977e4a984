//! Numbers for tests that try random things.

/// A small generator of numbers.
pub struct Random(u64);

impl Random {
    /// `SEED=7` in the environment gives other numbers.
    pub fn new(own: u64) -> Random {
        let seed = std::env::var("SEED").ok().and_then(|seed| seed.parse::<u64>().ok()).unwrap_or(0);
        Random(own.wrapping_add(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    /// Below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % bound
    }

    /// One of these words.
    pub fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }
}
