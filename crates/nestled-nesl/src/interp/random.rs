//! Counter-based random numbers: a number is a function of the seed, the instance, and the count of draws.
//!
//! Every instance of an apply-to-each has a key of its own, made from its parent's key, the number of draws and splits that the parent made before, and its
//! position. So the numbers do not depend on how the program is run.

use nestled_ir::interp::threefry2x32;

/// The generator of one instance: its key, and the count of draws and splits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Random {
    key: [u32; 2],
    used: u32,
}

impl Random {
    pub fn seeded(seed: i64) -> Random {
        Random { key: [seed as u32, (seed >> 32) as u32], used: 0 }
    }

    /// Draws the next 64 bits.
    pub fn draw(&mut self) -> u64 {
        let bits = threefry2x32(self.key, [self.used, 0]);
        self.used = self.used.wrapping_add(1);
        u64::from(bits[0]) | u64::from(bits[1]) << 32
    }

    /// Returns the count for an apply-to-each that begins here.
    pub fn split(&mut self) -> u32 {
        let split = self.used;
        self.used = self.used.wrapping_add(1);
        split
    }

    /// Returns the generator of the instance at a position of the apply-to-each with this count.
    pub fn instance(&self, split: u32, position: usize) -> Random {
        Random { key: threefry2x32(self.key, [split, (position as u32).wrapping_add(1)]), used: 0 }
    }
}
