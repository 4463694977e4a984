//! Grain size: into how many pieces a launch is cut, and where each begins and ends.
//!
//! A piece is what one thread runs at a time (a chunk of a parallel loop). What is computed does not depend on the number of pieces.

use super::measured_cost::MeasuredCost;
use super::running::Running;
use std::ops::Range;

/// Number of positions after which a thread polls for an interrupt.
const POLL_INTERVAL: u64 = 1 << 20;

/// The same, where each position may take long.
const POLL_INTERVAL_OF_LOOPS: u64 = 1 << 6;

impl Running<'_> {
    /// Chooses the number of pieces: a few for each thread if positions are many or may take long, and enough to poll for interrupts.
    pub(super) fn pieces(&self, positions: u64, cost: &MeasuredCost) -> u64 {
        let threads = self.pool.threads() as u64;
        let is_shared = self.is_parallel(positions) || (threads > 1 && cost.may_be_worth(positions));
        let wanted = if is_shared { threads * 4 } else { 1 };
        let interval = if self.kernel.loops { POLL_INTERVAL_OF_LOOPS } else { POLL_INTERVAL };
        let polls =
            if self.interrupt.is_some() { (positions / interval).next_multiple_of(threads * 4) } else { 0 };
        wanted.max(polls)
    }
}

/// Returns the number and the size of pieces when `total` is cut into about `pieces` pieces, with sizes a multiple of `multiple`.
pub(super) fn cut(total: u64, pieces: u64, multiple: u64) -> (usize, u64) {
    let size = total.div_ceil(pieces).max(1).next_multiple_of(multiple);
    (total.div_ceil(size) as usize, size)
}

/// Returns the range of piece `number`.
pub(super) fn piece_range(number: usize, size: u64, total: u64) -> Range<u64> {
    let from = number as u64 * size;
    from..(from + size).min(total)
}
