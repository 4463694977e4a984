//! Nested blocks of host code. What is computed in a block is not available after it.

use super::Emitter;
use super::lazy::Computed;
use nestled_ir::build::SuspendedBlock;
use nestled_ir::{HostAtom, HostBlock};

impl Emitter<'_> {
    /// Begins a nested block of host code.
    pub fn open(&mut self) -> Computed {
        self.f.open();
        self.delayed.computed()
    }

    /// Ends the block; values computed in it are no longer available.
    pub fn close(&mut self, outer: Computed, results: Vec<HostAtom>) -> HostBlock {
        self.delayed.forget_since(outer);
        self.f.close(results)
    }

    /// Suspends the block: its results are still to be converted.
    pub fn suspend(&mut self, outer: Computed) -> SuspendedBlock {
        self.delayed.forget_since(outer);
        self.f.suspend()
    }

    /// Resumes a suspended block.
    pub fn resume(&mut self, block: SuspendedBlock) -> Computed {
        self.f.resume(block);
        self.delayed.computed()
    }
}
