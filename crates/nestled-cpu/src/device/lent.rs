//! Immutable blocks that are shared by several devices.
#![allow(unsafe_code)] // Elements are read through the pointer of a block.

use super::block::Block;
use super::caching_allocator::CachingAllocator;
use super::element::{Element, each_element};
use nestled_fork as fork;
use nestled_ir::ScalarType;
use nestled_ir::value::Buffer;
use nestled_rt::device::{DeviceError, SharedBuffer};
use std::ptr::NonNull;
use std::sync::{Arc, Mutex};

/// An immutable block. It returns to the allocator with its last reference.
#[derive(Debug)]
pub(super) struct Lent {
    /// `None` while it is returned, and for memory of the host.
    block: Option<Block>,
    /// Memory of the host, which counts as in use while it is lent.
    host: Option<Arc<Buffer>>,
    pub elem: ScalarType,
    /// Number of elements written.
    pub len: u64,
    allocator: Arc<Mutex<CachingAllocator>>,
}

// SAFETY: nobody writes the block, so threads may read it at the same time; who has it last gives it back.
unsafe impl Sync for Lent {}

impl Lent {
    pub(super) fn new(
        block: Block,
        elem: ScalarType,
        len: u64,
        allocator: &Arc<Mutex<CachingAllocator>>,
    ) -> Lent {
        Lent { block: Some(block), host: None, elem, len, allocator: Arc::clone(allocator) }
    }

    /// Wraps memory of the host, of which `len` elements may be used.
    pub(super) fn of_host(host: Arc<Buffer>, len: u64, allocator: &Arc<Mutex<CachingAllocator>>) -> Lent {
        Lent { block: None, elem: host.elem(), host: Some(host), len, allocator: Arc::clone(allocator) }
    }

    /// Returns the address of the first byte.
    pub(super) fn start(&self) -> NonNull<u8> {
        match (&self.block, &self.host) {
            (Some(block), _) => block.start(),
            (None, Some(host)) => NonNull::new(host.start().cast_mut()).unwrap_or(NonNull::dangling()),
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
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(block) = self.block.take() {
            fork::lock(&self.allocator).give(block);
        }
        if let Some(host) = self.host.take() {
            fork::lock(&self.allocator).take_back(host.size());
        }
    }
}
