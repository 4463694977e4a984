//! The scratch allocator of launches: a free list of blocks that are kept from one launch to the next.
#![allow(unsafe_code)] // Blocks come from the allocator and are known by address.

use std::alloc::{Layout, alloc, dealloc};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Alignment of blocks, in bytes.
const ALIGN: usize = 64;

/// Number of bytes that vectors may access beyond either end of a block.
const MARGIN: usize = 4096;

/// An uninitialised block of memory.
#[derive(Debug)]
pub struct ScratchBlock {
    start: *mut u8,
    size: usize,
    /// The counter that includes its bytes.
    held: Arc<AtomicU64>,
}

// SAFETY: a block owns its memory, which belongs to no thread: any thread may use it, and give it back to the allocator.
unsafe impl Send for ScratchBlock {}
// SAFETY: a shared reference gives the address and the size, which do not change; following the address is `unsafe` where it is done.
unsafe impl Sync for ScratchBlock {}

impl ScratchBlock {
    /// Returns the address. Vectors may access `MARGIN` bytes beyond both ends.
    pub fn address(&self) -> *mut u8 {
        // SAFETY: every block was allocated with a margin at both ends, so that this is inside.
        unsafe { self.start.add(MARGIN) }
    }

    /// Returns the size in bytes.
    pub fn size(&self) -> usize {
        self.size - 2 * MARGIN
    }
}

impl Drop for ScratchBlock {
    fn drop(&mut self) {
        // SAFETY: `take` allocated it with the layout of this size, and whoever drops the block is the last who knows it.
        unsafe { dealloc(self.start, layout(self.size)) }
        self.held.fetch_sub(self.size as u64, Ordering::Relaxed);
    }
}

fn layout(size: usize) -> Layout {
    Layout::from_size_align(size, ALIGN).expect("sizes are checked when blocks are made")
}

/// The free list, and the total size of all blocks.
#[derive(Debug)]
pub struct Scratch {
    free: Mutex<Vec<ScratchBlock>>,
    /// Bytes of all blocks, the free ones included.
    held: Arc<AtomicU64>,
    /// Maximum number of bytes of all blocks.
    allowed: AtomicU64,
}

/// No blocks, and no limit.
impl Default for Scratch {
    fn default() -> Scratch {
        Scratch { free: Mutex::default(), held: Arc::default(), allowed: AtomicU64::new(u64::MAX) }
    }
}

/// Out of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoMemory {
    /// Number of bytes requested.
    pub wanted: u64,
}

impl Scratch {
    /// Allocates a block of at least `size` bytes.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn take(&self, size: usize) -> Result<ScratchBlock, NoMemory> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |found: usize| found >= size && found / 4 <= size.max(1 << 16);
        let sizes = free.iter().map(ScratchBlock::size).enumerate().filter(|(_, found)| fits(*found));
        let best = sizes.min_by_key(|(_, found)| *found).map(|(at, _)| at);
        if let Some(at) = best {
            return Ok(free.swap_remove(at));
        }
        drop(free);
        let wanted = size.saturating_add(2 * MARGIN).checked_next_multiple_of(ALIGN);
        let none = NoMemory { wanted: size as u64 };
        let wanted = wanted.filter(|&wanted| isize::try_from(wanted).is_ok()).ok_or(none)?;
        if !self.count(wanted as u64) {
            self.clear();
            if !self.count(wanted as u64) {
                return Err(none);
            }
        }
        // SAFETY: the size has both margins in it, so that it is not zero.
        let start = unsafe { alloc(layout(wanted)) };
        if start.is_null() {
            self.held.fetch_sub(wanted as u64, Ordering::Relaxed);
            return Err(none);
        }
        Ok(ScratchBlock { start, size: wanted, held: Arc::clone(&self.held) })
    }

    /// Counts a new block, unless it would exceed the limit.
    fn count(&self, bytes: u64) -> bool {
        let allowed = self.allowed.load(Ordering::Relaxed);
        let more = |held: u64| held.checked_add(bytes).filter(|&held| held <= allowed);
        self.held.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }

    /// Sets the limit of bytes of all blocks.
    pub fn allow(&self, bytes: u64) {
        self.allowed.store(bytes, Ordering::Relaxed);
    }

    /// Returns the bytes of all blocks, the free ones included.
    pub fn held(&self) -> u64 {
        self.held.load(Ordering::Relaxed)
    }

    /// Frees a block, which stays on the free list.
    pub fn give(&self, block: ScratchBlock) {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(block);
    }

    /// Returns all free blocks to the system.
    pub fn clear(&self) {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

#[cfg(test)]
mod tests {
    use super::Scratch;

    #[test]
    fn no_more_is_taken_than_is_allowed() {
        let scratch = Scratch::default();
        scratch.allow(1 << 20);
        let first = scratch.take(600 << 10).unwrap();
        assert_eq!(scratch.take(600 << 10).unwrap_err().wanted, 600 << 10);
        scratch.give(first);
        let held = scratch.held();
        assert!((600 << 10..700 << 10).contains(&held));
        // A block that would fit is free, but it is too small for this one, and has to go.
        let second = scratch.take(900 << 10).unwrap();
        assert!(scratch.held() > held);
        drop(second);
        assert_eq!(scratch.held(), 0);
    }
}
