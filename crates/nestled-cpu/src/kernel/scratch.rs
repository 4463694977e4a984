//! Memory that launches use for themselves, kept from one launch to the next.
#![allow(unsafe_code)] // Blocks come from the allocator and are known by address.

use std::alloc::{Layout, alloc, dealloc};
use std::sync::{Mutex, PoisonError};

/// Blocks begin at multiples of this.
const ALIGN: usize = 64;

/// Vectors may reach this far over either end of a block.
const MARGIN: usize = 4096;

/// A block of memory; what is in it means nothing.
#[derive(Debug)]
pub struct Block {
    start: *mut u8,
    size: usize,
}

// SAFETY: a block is memory that nobody else knows of.
unsafe impl Send for Block {}

impl Block {
    /// The address; vectors may reach some 4000 bytes over both ends.
    pub fn address(&self) -> *mut u8 {
        // SAFETY: blocks have a margin at both ends.
        unsafe { self.start.add(MARGIN) }
    }

    /// How many bytes there are.
    pub fn size(&self) -> usize {
        self.size - 2 * MARGIN
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: it was allocated with this layout.
        unsafe { dealloc(self.start, layout(self.size)) }
    }
}

fn layout(size: usize) -> Layout {
    Layout::from_size_align(size, ALIGN).expect("sizes are checked when blocks are made")
}

/// Blocks that are free.
#[derive(Debug, Default)]
pub struct Scratch {
    free: Mutex<Vec<Block>>,
}

/// There is not so much memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoMemory {
    /// Bytes that were wanted.
    pub wanted: u64,
}

impl Scratch {
    /// A block of at least so many bytes.
    ///
    /// # Errors
    /// If there is not so much memory.
    pub fn take(&self, size: usize) -> Result<Block, NoMemory> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |found: usize| found >= size && found / 4 <= size.max(1 << 16);
        let sizes = free.iter().map(Block::size).enumerate().filter(|(_, found)| fits(*found));
        let best = sizes.min_by_key(|(_, found)| *found).map(|(at, _)| at);
        if let Some(at) = best {
            return Ok(free.swap_remove(at));
        }
        drop(free);
        let wanted = size.saturating_add(2 * MARGIN).checked_next_multiple_of(ALIGN);
        let none = NoMemory { wanted: size as u64 };
        let wanted = wanted.filter(|&wanted| isize::try_from(wanted).is_ok()).ok_or(none)?;
        // SAFETY: the size is not zero.
        let start = unsafe { alloc(layout(wanted)) };
        if start.is_null() { Err(none) } else { Ok(Block { start, size: wanted }) }
    }

    /// Gives a block back.
    pub fn give(&self, block: Block) {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(block);
    }

    /// Gives all free blocks back to the system.
    pub fn clear(&self) {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
