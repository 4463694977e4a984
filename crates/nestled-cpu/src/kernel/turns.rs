//! Sequential sections of parallel pieces, in the order of the pieces (a ticket lock).

use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of the piece whose turn it is.
#[derive(Debug, Default)]
pub(super) struct Turns {
    next: AtomicUsize,
}

impl Turns {
    /// Waits until all earlier pieces have had their turn. Pieces are claimed in order, so the earlier ones are running.
    pub(super) fn wait(&self, piece: usize) {
        let mut rounds = 0u32;
        while self.next.load(Ordering::Acquire) != piece {
            rounds += 1;
            if rounds < 1 << 12 { std::hint::spin_loop() } else { std::thread::yield_now() }
        }
    }

    /// Ends the turn of a piece.
    pub(super) fn done(&self, piece: usize) {
        self.next.store(piece + 1, Ordering::Release);
    }
}
