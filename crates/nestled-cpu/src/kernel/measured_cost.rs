//! Measured cost of a position of a nest, by which a launch with few positions is worth several threads, or not.
//!
//! Many positions are shared between threads at once. Few may take long too, such as those that compute in loops: the launching thread begins with them alone,
//! and others join when the time so far says that the rest is worth waking them. What was measured is remembered, so that a launch that is known to be short is
//! one piece. Results do not depend on any of it.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

/// Time of work that is worth waking other threads, in nanoseconds.
const WORTH: f32 = 20e3;

/// Nanoseconds for each position, as the bits of an `f32`; not a number until it is measured.
#[derive(Debug)]
pub struct MeasuredCost(AtomicU32);

impl Default for MeasuredCost {
    fn default() -> MeasuredCost {
        MeasuredCost(AtomicU32::new(f32::NAN.to_bits()))
    }
}

impl MeasuredCost {
    /// True unless so many positions are known to take less than waking other threads.
    pub(super) fn may_be_worth(&self, positions: u64) -> bool {
        let each = f32::from_bits(self.0.load(Ordering::Relaxed));
        each.is_nan() || each * positions as f32 > WORTH
    }

    fn set(&self, each: f32) {
        self.0.store(each.to_bits(), Ordering::Relaxed);
    }

    /// Runs the first pieces of `positions` positions, until the rest would take longer than waking other threads. Returns how many it has run.
    pub(super) fn run_first(&self, positions: u64, pieces: usize, body: impl Fn(usize)) -> usize {
        let start = Instant::now();
        for piece in 0..pieces {
            body(piece);
            let done = piece + 1;
            let each = start.elapsed().as_nanos() as f32 / done as f32;
            if done == pieces || each * (pieces - done) as f32 > WORTH {
                self.set(each * pieces as f32 / positions as f32);
                return done;
            }
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn long_pieces_are_left_to_others() {
        let cost = MeasuredCost::default();
        assert!(cost.may_be_worth(64), "nothing is known");
        let slow = |_| std::thread::sleep(Duration::from_micros(100));
        assert_eq!(cost.run_first(1 << 20, 8, slow), 1);
        assert!(cost.may_be_worth(1 << 20));
        assert!(!cost.may_be_worth(1));
    }

    #[test]
    fn short_pieces_are_all_run() {
        let cost = MeasuredCost::default();
        // A busy machine may stop this thread at any piece.
        let all = (0..100).any(|_| cost.run_first(1 << 20, 4, |_| {}) == 4);
        assert!(all);
        assert!((0..100).any(|_| {
            cost.run_first(1 << 20, 4, |_| {});
            !cost.may_be_worth(1 << 10)
        }));
    }
}
