//! The lists that a launch takes while it is prepared. They are used again by the next, so that launches allocate nothing; one that launches others on its way has lists of its
//! own.

use super::launch::Sizes;
use super::machine::{Block, Machine};
use super::memory::{Held, Memory, StorageId};
use nestled_rt::device::BufferId;

/// A launch that is being prepared.
#[derive(Debug, Default)]
pub(super) struct Work {
    pub sizes: Sizes,
    pub block: Block,
    /// Memory for the launch itself, as long as nobody has taken it over.
    pub scratch: Vec<Option<StorageId>>,
    /// What its results lay in before, which it may read.
    pub kept: Vec<StorageId>,
    /// Where it notes faults, likewise.
    pub faults: Option<StorageId>,
    /// What it may read, likewise.
    pub held: Vec<(BufferId, Held)>,
}

impl Work {
    /// Gives back what nobody has taken over.
    pub fn end<M: Machine>(&mut self, memory: &mut Memory<M>) {
        self.scratch
            .drain(..)
            .flatten()
            .chain(self.kept.drain(..))
            .chain(self.faults.take())
            .for_each(|storage| memory.release(storage));
        memory.let_go(&mut self.held);
    }
}
