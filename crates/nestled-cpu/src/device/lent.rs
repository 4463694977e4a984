//! Immutable blocks that are shared by several devices, and memory of the host that is used like them.
#![allow(unsafe_code)] // Elements are read through the pointer of a block.

use super::block::Block;
use super::caching_allocator::CachingAllocator;
use super::element::{Element, each_element};
use nestled_fork as fork;
use nestled_ir::ScalarType;
use nestled_ir::value::{Buffer, MARGIN};
use nestled_rt::device::{DeviceError, HostMemory, SharedBuffer};
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, OnceLock};

/// An immutable block. It returns to the allocator with its last reference.
#[derive(Debug)]
pub(super) struct Lent {
    /// `None` while it is returned, and for memory of the host.
    block: Option<Block>,
    /// Memory of the host, which counts as in use while it is lent.
    host: Option<Host>,
    pub elem: ScalarType,
    /// Number of elements written.
    pub len: u64,
    allocator: Arc<Mutex<CachingAllocator>>,
    /// The offsets of segments whose lengths these elements are.
    offsets: OnceLock<Offsets>,
}

/// Offsets of segments whose lengths are so many elements of a block.
#[derive(Debug)]
struct Offsets {
    start: u64,
    count: u64,
    block: Arc<Lent>,
}

/// Memory of the host: our own, or that of somebody else with the address of its first byte.
#[derive(Debug)]
enum Host {
    Own(Arc<Buffer>),
    Foreign(Arc<HostMemory>, NonNull<u8>),
}

// SAFETY: nobody writes the block or the memory of the host, so threads may read it at the same time; who has it last gives it back.
unsafe impl Sync for Lent {}
// SAFETY: it is memory that is bound to no thread, and its owner may be dropped by any.
unsafe impl Send for Lent {}

/// Memory is readable by pages of so many bytes at least: up to the end of its last page no read leaves what the system has mapped.
const PAGE: usize = 4096;

impl Lent {
    pub(super) fn new(
        block: Block,
        elem: ScalarType,
        len: u64,
        allocator: &Arc<Mutex<CachingAllocator>>,
    ) -> Lent {
        let (allocator, offsets) = (Arc::clone(allocator), OnceLock::new());
        Lent { block: Some(block), host: None, elem, len, allocator, offsets }
    }

    /// Wraps memory of the host, of which `len` elements may be used.
    pub(super) fn of_host(host: Arc<Buffer>, len: u64, allocator: &Arc<Mutex<CachingAllocator>>) -> Lent {
        let elem = host.elem();
        let (allocator, offsets) = (Arc::clone(allocator), OnceLock::new());
        Lent { block: None, elem, host: Some(Host::Own(host)), len, allocator, offsets }
    }

    /// Wraps memory of somebody else where it lies, if it has at least `least` bytes and there is room for them. It must be readable past its end as far as a block;
    /// what lies there belongs to others, and is never used.
    pub(super) fn of_foreign(
        memory: Arc<HostMemory>,
        least: u64,
        allocator: &Arc<Mutex<CachingAllocator>>,
    ) -> Option<Lent> {
        let (elem, bytes) = (memory.elem(), memory.bytes());
        let (start, size) = (bytes.as_ptr(), memory.len() * elem.size());
        // An owner may give other bytes than it gave when it was asked first.
        let is_whole = bytes.len() == size && (start as usize).is_multiple_of(elem.size());
        let behind = (start as usize + size).wrapping_neg() % PAGE;
        if !is_whole || behind < MARGIN || (size as u64) < least || !fork::lock(allocator).lend(size as u64) {
            return None;
        }
        let start = NonNull::new(start.cast_mut())?;
        let (len, host) = (memory.len() as u64, Some(Host::Foreign(memory, start)));
        let (allocator, offsets) = (Arc::clone(allocator), OnceLock::new());
        Some(Lent { block: None, elem, host, len, allocator, offsets })
    }

    /// True if offsets are kept with some of these elements.
    pub(super) fn keeps_offsets(&self) -> bool {
        self.offsets.get().is_some()
    }

    /// The offsets of segments whose lengths are `count` elements from `start` on, if these are kept.
    pub(super) fn offsets(&self, start: u64, count: u64) -> Option<Arc<Lent>> {
        let kept = self.offsets.get()?;
        (kept.start == start && kept.count == count).then(|| Arc::clone(&kept.block))
    }

    /// Keeps the offsets of segments whose lengths are these elements, unless some are kept already.
    pub(super) fn keep_offsets(&self, start: u64, count: u64, block: Arc<Lent>) {
        // Two threads may have computed them.
        let _ = self.offsets.set(Offsets { start, count, block });
    }

    /// Returns the address of the first byte.
    pub(super) fn start(&self) -> NonNull<u8> {
        match (&self.block, &self.host) {
            (Some(block), _) => block.start(),
            (None, Some(Host::Own(host))) => {
                NonNull::new(host.start().cast_mut()).unwrap_or(NonNull::dangling())
            }
            (None, Some(Host::Foreign(_, start))) => *start,
            (None, None) => NonNull::dangling(),
        }
    }
}

impl SharedBuffer for Lent {
    fn read(&self, offset: u64, len: u64) -> Result<Buffer, DeviceError> {
        if offset.checked_add(len).is_none_or(|end| end > self.len) {
            let what = format!("{len} elements from {offset} on are read of {}", self.len);
            return Err(DeviceError::Bug(what));
        }
        let (start, offset, len) = (self.start().as_ptr(), offset as usize, len as usize);
        Ok(each_element!(self.elem, T => {
            // SAFETY: the block has `self.len` elements of this type, and the slice is inside of them; nobody writes it.
            let stored = unsafe { std::slice::from_raw_parts(start.cast::<<T as Element>::Stored>().add(offset), len) };
            T::buffer(stored)
        }))
    }

    fn host(&self) -> Option<&[u8]> {
        let size = self.len as usize * self.elem.size();
        // SAFETY: the block has `self.len` elements, whose bytes were zeroed once; nobody writes it as long as this is borrowed.
        Some(unsafe { std::slice::from_raw_parts(self.start().as_ptr(), size) })
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(block) = self.block.take() {
            fork::lock(&self.allocator).give(block);
        }
        let size = match self.host.take() {
            Some(Host::Own(host)) => host.size(),
            Some(Host::Foreign(memory, _)) => memory.len() as u64 * self.elem.size() as u64,
            None => return,
        };
        fork::lock(&self.allocator).take_back(size);
    }
}
