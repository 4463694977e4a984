//! Recycled buffers of a launch in preparation, so that launches allocate nothing. A launch that starts other launches on its way uses separate lists
//! for each.

use super::launch::Sizes;
use super::machine::{Block, Machine};
use super::memory::{Held, Memory, StorageId};
use nestled_rt::device::BufferId;

/// A launch in preparation.
#[derive(Debug, Default)]
pub(super) struct Work {
    pub sizes: Sizes,
    pub block: Block,
    /// Scratch of the launch, until its ownership moves.
    pub scratch: Vec<Option<StorageId>>,
    /// Old storage of its results, which it may read.
    pub kept: Vec<StorageId>,
    /// Its fault words, until their ownership moves.
    pub faults: Option<StorageId>,
    /// The buffers that it may read, until their ownership moves.
    pub held: Vec<(BufferId, Held)>,
}

impl Work {
    /// Releases everything whose ownership has not moved.
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
