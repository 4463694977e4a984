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
mod tests {
    use super::*;

    fn memory(limit: u64) -> Memory {
        Memory::new(CachingAllocator::shared(limit), limit)
    }

    fn whole(buffer: BufferId, len: u64) -> Slice {
        Slice { buffer, offset: 0, len }
    }

    #[test]
    fn what_is_written_is_read() {
        let mut memory = memory(1 << 20);
        for elem in ScalarType::ALL {
            let buffer = memory.allocate(elem, 5).unwrap();
            let scalars: Vec<Scalar> = [0, 1, 0, 1, 1].map(|bits| Scalar::from_bits(elem, bits)).into();
            memory.write(whole(buffer, 5), &Buffer::from_scalars(elem, &scalars)).unwrap();
            let part = memory.read(Slice { buffer, offset: 3, len: 2 }).unwrap();
            assert_eq!((part.elem(), part.get(0), part.get(1)), (elem, scalars[3], scalars[4]));
            assert_eq!(memory.number(Cell { buffer, at: 1 }), Ok(scalars[1]));
            memory.free(buffer).unwrap();
        }
        assert_eq!(memory.in_use(), 0);
    }

    #[test]
    fn devices_read_what_others_wrote() {
        let allocator = CachingAllocator::shared(1 << 30);
        let [mut one, mut other] = [(); 2].map(|()| Memory::new(Arc::clone(&allocator), 1 << 30));
        let elements = Buffer::from_scalars(ScalarType::I64, &[Scalar::I64(4), Scalar::I64(5)]);
        let same = |found: &Buffer| (found.get(0), found.get(1)) == (elements.get(0), elements.get(1));
        let buffer = one.allocate(ScalarType::I64, 1 << 20).unwrap();
        one.write(whole(buffer, 2), &elements).unwrap();
        one.trim(buffer, 2).unwrap();
        let shared = one.share(buffer).unwrap();
        assert!(one.in_use() <= 2 << 20, "{}", one.in_use());
        let there = other.adopt(&shared).unwrap();
        one.free(buffer).unwrap();
        assert!(same(&other.read(whole(there, 2)).unwrap()));
        other.free(there).unwrap();
        drop((one, other));
        assert!(same(&shared.read(0, 2).unwrap()));
        assert!(shared.read(1, 2).is_err());
        drop(shared);
        assert_eq!(allocator.lock().unwrap().in_use(), 0);
    }

    #[test]
    fn memory_of_the_host_is_used_where_it_is() {
        let mut memory = memory(64 << 20);
        let mut data = Buffer::with_margin(ScalarType::I64, 1 << 20);
        data.set(7, Scalar::I64(9));
        let data = Arc::new(data);
        let buffer = memory.lend(&data).unwrap();
        assert_eq!(memory.in_use(), 8 << 20);
        let place = memory.place(whole(buffer, 1 << 20)).unwrap();
        assert_eq!(place.data.cast_const(), data.start());
        assert_eq!(memory.number(Cell { buffer, at: 7 }), Ok(Scalar::I64(9)));
        let shared = memory.share(buffer).unwrap();
        let there = memory.adopt(&shared).unwrap();
        memory.free(buffer).unwrap();
        assert_eq!(memory.number(Cell { buffer: there, at: 7 }), Ok(Scalar::I64(9)));
        assert_eq!(shared.read(7, 1).unwrap().get(0), Scalar::I64(9));
        memory.free(there).unwrap();
        assert_eq!(memory.in_use(), 8 << 20);
        drop(shared);
        assert_eq!((memory.in_use(), Arc::strong_count(&data)), (0, 1));
        // Not lent: memory unreadable past its end, small data, and data that exceeds the limit.
        assert!(memory.lend(&Arc::new(Buffer::I64(vec![0; 1 << 20]))).is_none());
        assert!(memory.lend(&Arc::new(Buffer::with_margin(ScalarType::U8, 1 << 19))).is_none());
        assert!(memory.lend(&Arc::new(Buffer::with_margin(ScalarType::U8, 65 << 20))).is_none());
        let kept = memory.lend(&data).unwrap();
        let allocator = Arc::clone(&memory.allocator);
        drop(memory);
        let _ = kept;
        assert_eq!((allocator.lock().unwrap().in_use(), Arc::strong_count(&data)), (0, 1));
    }

    #[test]
    fn memory_of_others_is_used_where_it_is() {
        /// Bytes from a multiple of `PAGE` on, so that the end of the page is known.
        struct Owned(Vec<u8>, usize);
        impl AsRef<[u8]> for Owned {
            fn as_ref(&self) -> &[u8] {
                let from = (self.0.as_ptr() as usize).wrapping_neg() % 4096;
                &self.0[from..from + self.1]
            }
        }
        let mut memory = memory(64 << 20);
        let lent = |memory: &mut Memory, bytes: usize| {
            let mut room = vec![0; bytes + 4096];
            let from = (room.as_ptr() as usize).wrapping_neg() % 4096;
            room[from + 7] = 9;
            let owned = HostMemory::new(Owned(room, bytes), ScalarType::U8).unwrap();
            let (start, shared) = (owned.bytes().as_ptr(), Arc::new(owned) as Arc<dyn SharedBuffer>);
            (start, memory.adopt(&shared))
        };
        let size = (2 << 20) - MARGIN;
        let (start, buffer) = lent(&mut memory, size);
        let buffer = buffer.unwrap();
        assert_eq!(memory.place(whole(buffer, size as u64)).unwrap().data.cast_const(), start);
        assert_eq!(memory.number(Cell { buffer, at: 7 }), Ok(Scalar::U8(9)));
        let shared = memory.share(buffer).unwrap();
        assert_eq!(shared.host().map(<[u8]>::as_ptr), Some(start));
        memory.free(buffer).unwrap();
        assert_eq!(memory.in_use(), size as u64);
        drop(shared);
        assert_eq!(memory.in_use(), 0);
        // Not used as it lies: what ends too near to the end of a page, small data, and data that exceeds the limit.
        for bytes in [size + 1, 2 << 20, 1000, (65 << 20) - MARGIN] {
            assert_eq!(lent(&mut memory, bytes).1, None, "{bytes}");
        }
    }

    #[test]
    fn what_is_read_for_the_last_time_goes() {
        let mut memory = memory(1 << 30);
        for (elem, len) in [(ScalarType::I64, 5 << 20), (ScalarType::Bool, 33 << 20), (ScalarType::F32, 3)] {
            let numbers: Vec<Scalar> = (0..len).map(|at| Scalar::from_bits(elem, at % 2)).collect();
            let elements = Buffer::from_scalars(elem, &numbers);
            let buffer = memory.allocate(elem, len).unwrap();
            memory.write(whole(buffer, len), &elements).unwrap();
            let taken = memory.take_out(whole(buffer, len)).unwrap();
            assert!((0..len as usize).all(|at| taken.get(at) == numbers[at]), "{elem}");
            assert!(len == 3 || cfg!(not(unix)) || memory.in_use() <= 4 << 20, "{}", memory.in_use());
            memory.free(buffer).unwrap();
            assert_eq!(memory.in_use(), 0);
        }
    }

    #[test]
    fn freed_buffers_are_not_found() {
        let mut memory = memory(1 << 20);
        let first = memory.allocate(ScalarType::I64, 4).unwrap();
        memory.free(first).unwrap();
        let second = memory.allocate(ScalarType::I64, 4).unwrap();
        assert_ne!(first, second);
        assert!(matches!(memory.read(whole(first, 4)), Err(DeviceError::Bug(_))));
        assert!(matches!(memory.free(first), Err(DeviceError::Bug(_))));
        assert!(memory.read(whole(second, 4)).is_ok());
        assert!(matches!(memory.read(whole(second, 5)), Err(DeviceError::Bug(_))));
        assert!(matches!(
            memory.read(Slice { buffer: second, offset: u64::MAX, len: 2 }),
            Err(DeviceError::Bug(_))
        ));
    }

    #[test]
    fn trimmed_buffers_give_way() {
        let mut memory = memory(20 << 20);
        let buffer = memory.allocate(ScalarType::U8, 16 << 20).unwrap();
        let refused = memory.allocate(ScalarType::U8, 8 << 20);
        assert!(
            matches!(refused, Err(DeviceError::OutOfMemory { wanted, free: Some(free) }) if wanted == 8 << 20 && free < 4 << 20)
        );
        memory.trim(buffer, 1 << 20).unwrap();
        assert!(cfg!(not(unix)) || memory.allocate(ScalarType::U8, 8 << 20).is_ok());
        assert!(memory.read(whole(buffer, 1 << 20)).is_ok());
    }

    #[test]
    fn nothing_is_so_large() {
        let mut memory = memory(u64::MAX);
        for len in [u64::MAX, u64::MAX / 8, 1 << 60] {
            let refused = memory.allocate(ScalarType::F64, len);
            assert!(matches!(refused, Err(DeviceError::OutOfMemory { .. })), "{refused:?}");
        }
    }
}
