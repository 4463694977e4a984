//! Serial sections of pieces, in the order of the pieces.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Whose turn it is.
#[derive(Debug, Default)]
pub(super) struct Turns {
    next: AtomicUsize,
}

impl Turns {
    /// Waits until all pieces before have had their turn. Pieces are claimed in order, so those before are under way.
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
