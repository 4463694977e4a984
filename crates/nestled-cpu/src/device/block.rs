//! Memory blocks, and the size classes of small ones.
#![allow(unsafe_code)] // Blocks go to other threads.

use super::region::Region;
use std::ptr::NonNull;

/// The maximum size of a small block, in bytes.
pub(super) const SMALL: usize = 64 << 10;

/// Number of size classes of small blocks.
pub(super) const CLASSES: usize = 36;

/// A block.
#[derive(Debug)]
pub(super) enum Block {
    /// Cut from a chunk.
    Small {
        /// The first byte.
        start: NonNull<u8>,
        /// The size class.
        class: usize,
    },
    /// A region of its own.
    Large(Region),
}

// SAFETY: a block is memory that nobody else knows of, and that is bound to no thread: what was cut from a chunk is in no list as long as the block is there.
unsafe impl Send for Block {}

impl Block {
    /// Returns the address of the first byte.
    pub(super) fn start(&self) -> NonNull<u8> {
        match self {
            Block::Small { start, .. } => *start,
            Block::Large(region) => region.start(),
        }
    }

    /// Returns the capacity in bytes.
    pub(super) fn capacity(&self) -> usize {
        match self {
            Block::Small { class, .. } => capacity(*class),
            Block::Large(region) => region.size(),
        }
    }
}

/// Returns the smallest class that holds `size` bytes, at most [`SMALL`].
pub(super) fn class(size: usize) -> usize {
    let last = size.max(1) - 1;
    if last < 256 {
        return last / 64;
    }
    let doubling = last.ilog2() as usize;
    4 * (doubling - 7) + (last >> (doubling - 2) & 3)
}

/// Returns the size of a block of a class, in bytes.
pub(super) fn capacity(class: usize) -> usize {
    if class < 4 { 64 * (class + 1) } else { (1 << (class / 4 + 7)) / 4 * (class % 4 + 5) }
}
