//! Buffers of the device, in slots with generation counters: an id leads to a block without a search.
#![allow(unsafe_code)] // Elements are read and written through the pointers of blocks.

use super::block::Block;
use super::caching_allocator::CachingAllocator;
use super::element::{Element, each_element};
use super::lent::Lent;
use crate::kernel::RawSlice;
use nestled_fork as fork;
use nestled_ir::value::{Buffer, MARGIN};
use nestled_ir::{Scalar, ScalarType};
use nestled_rt::device::{BufferId, Cell, DeviceError, Extent, HostMemory, SharedBuffer, Slice};
use std::any::Any;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard};

/// The buffers.
#[derive(Debug)]
pub(super) struct Memory {
    slots: Vec<Slot>,
    vacant: Vec<u32>,
    /// The allocator of blocks, which may be shared with other devices.
    allocator: Arc<Mutex<CachingAllocator>>,
    /// Maximum bytes of all blocks.
    limit: u64,
    /// Bytes of the limit that this device uses for other purposes.
    reserved: u64,
}

/// A slot for a buffer, possibly vacant.
#[derive(Debug)]
struct Slot {
    /// Number of earlier buffers in this slot; their ids are invalid.
    generation: u32,
    elem: ScalarType,
    /// Number of usable elements.
    len: u64,
    /// The storage; `None` if the slot is vacant.
    block: Option<Held>,
}

/// The storage of a buffer.
#[derive(Debug)]
enum Held {
    Own(Block),
    /// A shared block, which is immutable.
    Lent(Arc<Lent>),
    /// Memory of the host, which is immutable.
    Host(Arc<Buffer>),
}

impl Held {
    fn start(&self) -> NonNull<u8> {
        match self {
            Held::Own(block) => block.start(),
            Held::Lent(lent) => lent.start(),
            Held::Host(data) => NonNull::new(data.start().cast_mut()).unwrap_or(NonNull::dangling()),
        }
    }
}

/// Number of unused bytes of a block from which it is shrunk before it is shared.
const WASTE: usize = 1 << 20;

/// Minimum size in bytes of memory that is lent; smaller data is copied.
const LENT: u64 = 1 << 20;

/// Minimum size in bytes of a buffer whose last read returns memory to the system piece by piece, so that there are never two copies of it.
const TAKEN: u64 = 32 << 20;

/// Size in bytes of such a piece, for which the system takes back whole pages.
const PIECE: usize = 4 << 20;

pub(super) fn bug(what: impl Into<String>) -> DeviceError {
    DeviceError::Bug(what.into())
}

#[cold]
fn freed(buffer: BufferId) -> DeviceError {
    bug(format!("{buffer:?} is used after it was freed"))
}

#[cold]
fn outside(slice: Slice) -> DeviceError {
    bug(format!("{slice:?} is longer than its buffer"))
}

impl Memory {
    /// Creates buffers with blocks of an allocator, up to `limit` bytes in use.
    pub(super) fn new(allocator: Arc<Mutex<CachingAllocator>>, limit: u64) -> Memory {
        Memory { slots: Vec::new(), vacant: Vec::new(), allocator, limit, reserved: 0 }
    }

    fn allocator(&self) -> MutexGuard<'_, CachingAllocator> {
        fork::lock(&self.allocator)
    }

    /// Returns the maximum bytes of buffers.
    pub(super) fn limit(&self) -> u64 {
        self.limit
    }

    /// Returns the bytes of buffers.
    pub(super) fn in_use(&self) -> u64 {
        self.allocator().in_use()
    }

    /// Sets the number of bytes used for other purposes.
    pub(super) fn reserve(&mut self, bytes: u64) {
        if bytes != self.reserved {
            self.allocator().reserve(self.reserved, bytes);
            self.reserved = bytes;
        }
    }

    /// Returns the bytes that are available temporarily. If `much` are needed and memory is scarce, free blocks are returned to the system first.
    pub(super) fn room_for(&mut self, much: bool) -> u64 {
        let mut allocator = self.allocator();
        if much && allocator.free() < allocator.limit() / 2 {
            allocator.release();
        }
        allocator.unused()
    }

    /// Shares a buffer with other devices. It is immutable from then on.
    pub(super) fn share(&mut self, buffer: BufferId) -> Option<Arc<dyn SharedBuffer>> {
        Some(self.lent_out(buffer)?)
    }

    /// The offsets that are kept with lengths, in a buffer.
    pub(super) fn kept_offsets(&mut self, lengths: Slice) -> Option<BufferId> {
        let offsets = self.shared(lengths.buffer)?.offsets(lengths.offset, lengths.len)?;
        self.enter(offsets.elem, offsets.len, Held::Lent(offsets)).ok()
    }

    /// True if offsets can be kept with these lengths.
    pub(super) fn wants_offsets(&self, lengths: Slice) -> bool {
        self.shared(lengths.buffer).is_some_and(|lent| !lent.keeps_offsets())
    }

    /// Keeps offsets with lengths that are shared.
    pub(super) fn keep_offsets(&mut self, lengths: Slice, offsets: BufferId) {
        if let Some(offsets) = self.lent_out(offsets)
            && let Some(lent) = self.shared(lengths.buffer)
        {
            lent.keep_offsets(lengths.offset, lengths.len, offsets);
        }
    }

    /// The block of a buffer that is shared already.
    fn shared(&self, buffer: BufferId) -> Option<&Lent> {
        match &self.slot(buffer).ok()?.block {
            Some(Held::Lent(lent)) => Some(lent),
            _ => None,
        }
    }

    fn lent_out(&mut self, buffer: BufferId) -> Option<Arc<Lent>> {
        let allocator = Arc::clone(&self.allocator);
        let slot = self.slot_mut(buffer).ok()?;
        let lent = match slot.block.take()? {
            Held::Lent(lent) => lent,
            Held::Host(data) => Arc::new(Lent::of_host(data, slot.len, &allocator)),
            Held::Own(mut block) => {
                let size = slot.len as usize * slot.elem.size();
                if block.capacity() > 2 * size + WASTE {
                    fork::lock(&allocator).shrink(&mut block, size);
                }
                Arc::new(Lent::new(block, slot.elem, slot.len, &allocator))
            }
        };
        slot.block = Some(Held::Lent(Arc::clone(&lent)));
        Some(lent)
    }

    /// Makes a buffer of one that another device has shared, or of memory of the host where that can be used as it lies.
    pub(super) fn adopt(&mut self, shared: &Arc<dyn SharedBuffer>) -> Option<BufferId> {
        let shared: Arc<dyn Any + Send + Sync> = Arc::clone(shared) as _;
        let lent = match shared.downcast::<Lent>() {
            Ok(lent) => lent,
            Err(other) => {
                Arc::new(Lent::of_foreign(other.downcast::<HostMemory>().ok()?, LENT, &self.allocator)?)
            }
        };
        self.enter(lent.elem, lent.len, Held::Lent(lent)).ok()
    }

    /// Makes a buffer of host memory without a copy, if it is large enough, and readable past its end as far as a block. It counts as in use.
    pub(super) fn lend(&mut self, data: &Arc<Buffer>) -> Option<BufferId> {
        let size = data.size();
        let is_readable = data.capacity() as u64 >= size + MARGIN as u64;
        if size < LENT || !is_readable || !self.allocator().lend(size) {
            return None;
        }
        self.enter(data.elem(), data.len() as u64, Held::Host(Arc::clone(data))).ok()
    }

    /// Reads a slice of a buffer whose only later use is to be freed.
    pub(super) fn take_out(&mut self, slice: Slice) -> Result<Buffer, DeviceError> {
        let (elem, size) = (self.elem(slice.buffer)?, self.elem(slice.buffer)?.size());
        let is_own = matches!(self.slot(slice.buffer)?.block, Some(Held::Own(_)));
        if !is_own || slice.offset > 0 || slice.len.saturating_mul(size as u64) < TAKEN {
            return self.read(slice);
        }
        self.place(slice)?;
        let mut elements = Buffer::with_margin(elem, slice.len as usize);
        let mut end = slice.len;
        while end > 0 {
            let start = end.saturating_sub((PIECE / size) as u64);
            elements.put(start as usize, &self.read(Slice { offset: start, len: end - start, ..slice })?);
            let allocator = Arc::clone(&self.allocator);
            let slot = self.slot_mut(slice.buffer)?;
            // The memory past `start` must not be read any more.
            slot.len = start;
            if let Some(Held::Own(block)) = &mut slot.block {
                fork::lock(&allocator).shrink(block, start as usize * size);
            }
            end = start;
        }
        Ok(elements)
    }

    pub(super) fn allocate(&mut self, elem: ScalarType, len: u64) -> Result<BufferId, DeviceError> {
        let wanted = len.saturating_mul(elem.size() as u64);
        let Some(block) = self.take(wanted) else {
            return Err(DeviceError::OutOfMemory { wanted, free: Some(self.allocator().free()) });
        };
        self.enter(elem, len, Held::Own(block))
    }

    #[inline]
    fn enter(&mut self, elem: ScalarType, len: u64, block: Held) -> Result<BufferId, DeviceError> {
        let at = match self.vacant.pop() {
            Some(at) => at,
            None => {
                let at = u32::try_from(self.slots.len()).map_err(|_| bug("too many buffers"))?;
                self.slots.push(Slot { generation: 0, elem, len, block: None });
                at
            }
        };
        let slot = &mut self.slots[at as usize];
        *slot = Slot { generation: slot.generation, elem, len, block: Some(block) };
        Ok(BufferId(u64::from(slot.generation) << 32 | u64::from(at)))
    }

    #[inline]
    fn take(&mut self, size: u64) -> Option<Block> {
        let size = usize::try_from(size).ok()?;
        let taken = self.allocator().take(size);
        taken.or_else(|| {
            self.shrink_all();
            self.allocator().take(size)
        })
    }

    /// Returns the memory of trimmed buffers to the system. Deferred until memory is scarce, since a larger block serves later runs better.
    #[cold]
    fn shrink_all(&mut self) {
        let mut allocator = fork::lock(&self.allocator);
        for slot in &mut self.slots {
            if let Some(Held::Own(block)) = &mut slot.block {
                allocator.shrink(block, slot.len as usize * slot.elem.size());
            }
        }
    }

    pub(super) fn free(&mut self, buffer: BufferId) -> Result<(), DeviceError> {
        let slot = self.slot_mut(buffer)?;
        let block = slot.block.take().ok_or_else(|| freed(buffer))?;
        slot.generation = slot.generation.wrapping_add(1);
        self.vacant.push(buffer.0 as u32);
        match block {
            Held::Own(block) => self.allocator().give(block),
            Held::Host(data) => self.allocator().take_back(data.size()),
            Held::Lent(_) => {}
        }
        Ok(())
    }

    pub(super) fn trim(&mut self, buffer: BufferId, len: u64) -> Result<(), DeviceError> {
        let slot = self.slot_mut(buffer)?;
        slot.len = slot.len.min(len);
        Ok(())
    }

    #[inline]
    fn slot(&self, buffer: BufferId) -> Result<&Slot, DeviceError> {
        match self.slots.get(buffer.0 as u32 as usize) {
            Some(slot) if slot.generation == (buffer.0 >> 32) as u32 => Ok(slot),
            Some(_) | None => Err(freed(buffer)),
        }
    }

    fn slot_mut(&mut self, buffer: BufferId) -> Result<&mut Slot, DeviceError> {
        match self.slots.get_mut(buffer.0 as u32 as usize) {
            Some(slot) if slot.generation == (buffer.0 >> 32) as u32 => Ok(slot),
            Some(_) | None => Err(freed(buffer)),
        }
    }

    /// Returns the type of a buffer's elements.
    pub(super) fn elem(&self, buffer: BufferId) -> Result<ScalarType, DeviceError> {
        Ok(self.slot(buffer)?.elem)
    }

    /// Returns the address of a slice, after checking that it is inside its buffer.
    #[inline]
    pub(super) fn place(&self, slice: Slice) -> Result<RawSlice, DeviceError> {
        let slot = self.slot(slice.buffer)?;
        let Some(block) = &slot.block else { return Err(freed(slice.buffer)) };
        if slice.offset.checked_add(slice.len).is_none_or(|end| end > slot.len) {
            return Err(outside(slice));
        }
        let start = block.start().as_ptr();
        // SAFETY: the block has room for `slot.len` elements, of which `offset` are not all.
        Ok(RawSlice { data: unsafe { start.add(slice.offset as usize * slot.elem.size()) }, len: slice.len })
    }

    /// Reads the elements of a slice. If another type was written before, the elements are unspecified, but valid.
    pub(super) fn read(&self, slice: Slice) -> Result<Buffer, DeviceError> {
        let elem = self.elem(slice.buffer)?;
        let RawSlice { data, len } = self.place(slice)?;
        Ok(each_element!(elem, T => {
            // SAFETY: `place` has found so many elements; blocks are aligned for all of them, and were zeroed once.
            let stored = unsafe { std::slice::from_raw_parts(data.cast::<<T as Element>::Stored>(), len as usize) };
            T::buffer(stored)
        }))
    }

    /// Writes the first elements of a slice.
    pub(super) fn write(&mut self, slice: Slice, elements: &Buffer) -> Result<(), DeviceError> {
        let elem = self.elem(slice.buffer)?;
        let RawSlice { data, len } = self.place(slice)?;
        if elements.elem() != elem || elements.len() as u64 > len {
            return Err(bug(format!("{} of {} do not fit {slice:?}", elements.len(), elements.elem())));
        }
        each_element!(elem, T => {
            let from = T::elements(elements);
            // SAFETY: `place` has found room for `len` elements of this type; nobody else writes here, since `self` is borrowed mutably.
            unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), data.cast(), from.len()) };
        });
        Ok(())
    }

    /// Reads one number.
    #[inline]
    pub(super) fn number(&self, cell: Cell) -> Result<Scalar, DeviceError> {
        let elem = self.elem(cell.buffer)?;
        let place = self.place(Slice { buffer: cell.buffer, offset: cell.at, len: 1 })?;
        // SAFETY: `place` has found the element.
        Ok(each_element!(elem, T => unsafe { T::scalar(*place.data.cast::<<T as Element>::Stored>()) }))
    }

    /// Returns the exact value of an extent, clamped to its bound.
    #[inline]
    pub(super) fn exact(&self, extent: Extent) -> Result<u64, DeviceError> {
        let Some(cell) = extent.exact else { return Ok(extent.bound) };
        let value = self.number(cell)?.as_integer().unwrap_or(0);
        Ok((value.max(0) as u64).min(extent.bound))
    }
}

/// Frees all blocks, and the bytes reserved beside them.
impl Drop for Memory {
    fn drop(&mut self) {
        self.reserve(0);
        let held: Vec<Held> = self.slots.drain(..).filter_map(|slot| slot.block).collect();
        let mut allocator = fork::lock(&self.allocator);
        for held in &held {
            if let Held::Host(data) = held {
                allocator.take_back(data.size());
            }
        }
        let own = held.into_iter().filter_map(|held| match held {
            Held::Own(block) => Some(block),
            Held::Lent(_) | Held::Host(_) => None,
        });
        own.for_each(|block| allocator.give(block));
    }
}

#[cfg(test)]
mod tests;
