//! Reference-counted device memory: buffer ids map to storage, which is freed with its last holder.

use super::bug;
use super::elements::{from_words, to_words};
use super::machine::{Block, Machine, Place, Product};
use super::queue::Queue;
use super::shared::Shared;
use super::slot_map::SlotMap;
use super::window::{WORD, Window};
use crate::dialect::Dialect;
use crate::params::COUNTERS;
use crate::repr::bytes;
use nestled_ir::value::Buffer;
use nestled_ir::{Scalar, ScalarType};
use nestled_rt::device::{
    Arg, BufferId, Cell as Number, Copied, DeviceError, Launch, LaunchMemory, ShapeArg, Slice,
};
use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

/// A handle to storage. Each holder releases it once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct StorageId(u64);

#[derive(Debug)]
struct Storage<M: Machine> {
    place: Place,
    bytes: u64,
    /// Reference count; the storage is freed when it reaches zero.
    holders: u32,
    /// Set if other devices read it too: it is read-only then, and freed with the last of them.
    shared: Option<Arc<Shared<M>>>,
}

/// A buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    elem: ScalarType,
    len: u64,
    storage: StorageId,
    begin: Place,
}

impl Held {
    /// Returns the type and number of its elements.
    pub fn content(&self) -> (ScalarType, u64) {
        (self.elem, self.len)
    }

    /// Returns the address of a slice.
    fn place(&self, slice: Slice) -> Result<Located, DeviceError> {
        if slice.offset.checked_add(slice.len).is_none_or(|end| end > self.len) {
            return Err(bug(format!("{slice:?} is longer than its buffer of {}", self.len)));
        }
        let size = bytes(self.elem);
        Ok(Located { place: self.begin.plus(slice.offset * size), unit: size.min(WORD) })
    }

    /// Returns the words that a slice overlaps.
    pub fn window(&self, slice: Slice) -> Result<Window, DeviceError> {
        let Located { place, .. } = self.place(slice)?;
        Ok(Window::of(place, slice.len * bytes(self.elem)))
    }
}

/// An address, and the unit in which WGSL counts up to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Located {
    pub place: Place,
    /// The unit in bytes.
    pub unit: u64,
}

impl From<Place> for Located {
    fn from(place: Place) -> Located {
        Located { place, unit: WORD }
    }
}

/// The ownership of a slice's contents after a renewal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Renewed {
    /// Owned by the buffer alone.
    Own,
    /// Owned by the buffer alone, which has moved to new storage. The old storage is still held once on behalf of the caller, so that a launch may
    /// read from it; the caller releases it.
    Moved(StorageId),
    /// Shared with others, and there is no memory for a copy.
    Needed,
}

/// Returns the number of words of some elements.
fn words_of(elem: ScalarType, len: u64) -> u64 {
    len.saturating_mul(bytes(elem)).div_ceil(WORD)
}

/// The buffers and storages of a device.
#[derive(Debug)]
pub(super) struct Memory<M: Machine> {
    queue: Queue<M>,
    buffers: SlotMap<Held>,
    storages: SlotMap<Storage<M>>,
    in_use: u64,
    /// Statistics of copies to and from the host.
    copied: Cell<Copied>,
    traffic: Cell<Traffic>,
}

/// Number of reads and writes of memory by the host, and of waits that blocked it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Traffic {
    pub reads: u64,
    pub writes: u64,
    pub blocked: u64,
}

impl<M: Machine> Memory<M> {
    /// Beside those of other devices.
    pub fn new(queue: &Queue<M>) -> Memory<M> {
        Memory {
            queue: queue.join(),
            buffers: SlotMap::default(),
            storages: SlotMap::default(),
            in_use: 0,
            copied: Cell::default(),
            traffic: Cell::default(),
        }
    }

    pub fn dialect(&self) -> &Dialect {
        self.queue.dialect()
    }

    pub fn in_use(&self) -> u64 {
        self.in_use
    }

    /// The machine.
    pub fn queue(&self) -> &Queue<M> {
        &self.queue
    }

    pub fn run(&self, code: &M::Code, block: &Block) -> Result<(), DeviceError> {
        self.queue.lock()?.run(code, block)
    }

    pub fn multiply(&self, product: &Product) -> Result<bool, DeviceError> {
        self.queue.lock()?.multiply(product)
    }

    pub fn time_kernels(&self, on: bool) {
        if let Ok(mut machine) = self.queue.lock() {
            machine.time_kernels(on);
        }
    }

    pub fn kernel_time(&self) -> Option<Duration> {
        self.queue.lock().ok()?.kernel_time()
    }

    /// Allocates the counters of a launch.
    pub fn give_zeros(&mut self, block: &mut Block) -> Result<(), DeviceError> {
        let place = self.queue.lock()?.zeros(block.words.len() as u64)?;
        block.address(self.dialect().language, COUNTERS, place);
        Ok(())
    }

    pub fn finish(&self) -> Result<(), DeviceError> {
        self.count(Traffic { blocked: 1, ..Traffic::default() });
        self.queue.finish()
    }

    /// Allocates storage that is no buffer, with one holder.
    pub fn take(&mut self, words: u64) -> Result<StorageId, DeviceError> {
        let bytes = words.saturating_mul(4).max(4);
        let place = self.queue.lock()?.allocate(bytes)?;
        Ok(StorageId(self.storages.insert(Storage { place, bytes, holders: 1, shared: None })))
    }

    /// Returns the address of storage.
    pub fn begin(&self, storage: StorageId) -> Place {
        self.storage(storage).place
    }

    fn storage(&self, storage: StorageId) -> &Storage<M> {
        self.storages.get(storage.0).expect("memory stays while somebody holds it")
    }

    /// Adds a holder.
    pub fn retain(&mut self, storage: StorageId) {
        self.storages.get_mut(storage.0).expect("memory stays while somebody holds it").holders += 1;
    }

    /// Removes a holder.
    pub fn release(&mut self, storage: StorageId) {
        let held = self.storages.get_mut(storage.0).expect("memory stays while somebody holds it");
        held.holders -= 1;
        if held.holders == 0
            && let Some(Storage { place, bytes, holders: _, shared }) = self.storages.remove(storage.0)
            && shared.is_none()
        {
            self.queue.free(place, bytes);
        }
    }

    pub fn allocate(&mut self, elem: ScalarType, len: u64) -> Result<BufferId, DeviceError> {
        let storage = self.take(words_of(elem, len))?;
        Ok(self.adopt(storage, elem, len).buffer)
    }

    /// Makes a buffer of allocated storage.
    pub fn adopt(&mut self, storage: StorageId, elem: ScalarType, len: u64) -> Slice {
        let &Storage { place: begin, bytes, .. } = self.storage(storage);
        self.in_use += bytes;
        let buffer = BufferId(self.buffers.insert(Held { elem, len, storage, begin }));
        Slice { buffer, offset: 0, len }
    }

    pub fn free(&mut self, buffer: BufferId) {
        let freed = self.buffers.remove(buffer.0);
        debug_assert!(freed.is_some(), "{buffer:?} is freed twice");
        if let Some(held) = freed {
            self.in_use -= self.storage(held.storage).bytes;
            self.release(held.storage);
        }
    }

    fn held(&self, buffer: BufferId) -> Result<&Held, DeviceError> {
        self.buffers.get(buffer.0).ok_or_else(|| bug(format!("{buffer:?} is used after it was freed")))
    }

    /// Returns the address of a slice.
    pub fn place(&self, slice: Slice) -> Result<Located, DeviceError> {
        self.held(slice.buffer)?.place(slice)
    }

    /// Returns the words that a slice overlaps, and the type of its elements.
    pub fn window(&self, slice: Slice) -> Result<(Window, ScalarType), DeviceError> {
        let held = self.held(slice.buffer)?;
        Ok((held.window(slice)?, held.elem))
    }

    /// Returns the words that contain a number.
    pub fn cell_window(&self, cell: Number) -> Result<Window, DeviceError> {
        self.held(cell.buffer)?.window(Slice { buffer: cell.buffer, offset: cell.at, len: 1 })
    }

    /// Makes the buffer the sole owner of a slice that is to be overwritten: moves it to new storage, without a copy, if the old one is shared.
    pub fn renew(&mut self, slice: Slice) -> Result<Renewed, DeviceError> {
        let held = *self.held(slice.buffer)?;
        let storage = self.storage(held.storage);
        if storage.holders == 1 && storage.shared.is_none() {
            return Ok(Renewed::Own);
        }
        if slice.offset != 0 || slice.len != held.len {
            return Ok(Renewed::Needed);
        }
        match self.take(words_of(held.elem, held.len)) {
            Err(DeviceError::OutOfMemory { .. }) => Ok(Renewed::Needed),
            taken => {
                let storage = taken?;
                let begin = self.begin(storage);
                self.in_use += self.storage(storage).bytes;
                self.in_use -= self.storage(held.storage).bytes;
                if let Some(buffer) = self.buffers.get_mut(slice.buffer.0) {
                    *buffer = Held { storage, begin, ..held };
                }
                Ok(Renewed::Moved(held.storage))
            }
        }
    }

    /// Retains all that a launch may read.
    pub fn hold(&mut self, launch: &Launch<'_>, into: &mut Vec<(BufferId, Held)>) -> Result<(), DeviceError> {
        for shape in launch.shapes {
            match shape {
                ShapeArg::Extent(extent) | ShapeArg::Regular { length: extent } => {
                    extent.exact.map_or(Ok(()), |cell| self.hold_buffer(cell.buffer, into))?;
                }
                ShapeArg::Offsets { offsets, total } => {
                    self.hold_buffer(offsets.buffer, into)?;
                    total.exact.map_or(Ok(()), |cell| self.hold_buffer(cell.buffer, into))?;
                }
            }
        }
        for arg in launch.args {
            match arg {
                Arg::Scalar(_) => {}
                Arg::Cell(cell) => self.hold_buffer(cell.buffer, into)?,
                Arg::Dense(slice) => self.hold_buffer(slice.buffer, into)?,
                Arg::View { data, starts } => {
                    self.hold_buffer(data.buffer, into)?;
                    self.hold_buffer(starts.buffer, into)?;
                }
            }
        }
        Ok(())
    }

    fn hold_buffer(&mut self, buffer: BufferId, into: &mut Vec<(BufferId, Held)>) -> Result<(), DeviceError> {
        let held = *self.held(buffer)?;
        self.retain(held.storage);
        into.push((buffer, held));
        Ok(())
    }

    /// Releases all that `hold` retained.
    pub fn let_go(&mut self, held: &mut Vec<(BufferId, Held)>) {
        held.drain(..).for_each(|(_, held)| self.release(held.storage));
    }

    pub fn traffic(&self) -> Traffic {
        self.traffic.get()
    }

    fn count(&self, more: Traffic) {
        let Traffic { reads, writes, blocked } = self.traffic.get();
        let (reads, writes) = (reads + more.reads, writes + more.writes);
        self.traffic.set(Traffic { reads, writes, blocked: blocked + more.blocked });
    }

    /// Reads words of several places and counts that.
    fn fetch(&self, places: &[(Place, u64)], into: &mut Vec<u32>) -> Result<(), DeviceError> {
        self.count(Traffic { reads: 1, blocked: 1, ..Traffic::default() });
        self.queue.read(places, into)
    }

    /// Begins to read words of several places and counts that.
    pub fn begin_read(&self, places: &[(Place, u64)]) -> Result<M::Wait, DeviceError> {
        self.count(Traffic { reads: 1, ..Traffic::default() });
        self.queue.begin_read(places)
    }

    /// Writes words.
    fn put(&self, place: Place, words: Vec<u32>) -> Result<(), DeviceError> {
        self.count(Traffic { writes: 1, ..Traffic::default() });
        self.queue.write(place, words)
    }

    /// Queues a copy of a slice into one of another buffer.
    pub fn copy(&mut self, from: Slice, to: Slice) -> Result<(), DeviceError> {
        let (source, target) = (self.held(from.buffer)?, self.held(to.buffer)?);
        if source.elem != target.elem || source.storage == target.storage {
            return Err(bug(format!("{from:?} is copied to {to:?}")));
        }
        let bytes = from.len * bytes(source.elem);
        let (source, target) = (source.place(from)?.place, target.place(to)?.place);
        if bytes == 0 { Ok(()) } else { self.queue.lock()?.copy(source, target, bytes) }
    }

    /// Writes the first elements of a slice.
    pub fn write(&mut self, slice: Slice, data: &Buffer) -> Result<(), DeviceError> {
        let held = self.held(slice.buffer)?;
        let Located { place, .. } = held.place(slice)?;
        if data.elem() != held.elem || data.len() as u64 > slice.len {
            return Err(bug(format!("{} of {} do not fit {slice:?}", data.len(), data.elem())));
        }
        if data.is_empty() {
            return Ok(());
        }
        let size = data.size();
        if place.address.is_multiple_of(WORD) && (size.is_multiple_of(WORD) || data.len() as u64 == held.len)
        {
            // The rest of the last word is padding.
            return self.put(place, to_words(data));
        }
        // The edge words are shared with neighbouring elements, which the host does not know.
        let storage = self.take(size.div_ceil(WORD))?;
        let begin = self.begin(storage);
        let written = self.put(begin, to_words(data));
        let copied = written.and_then(|()| self.queue.lock()?.copy(begin, place, size));
        self.release(storage);
        copied
    }

    /// Writes the result of an operation that fell back to the host.
    pub fn bring_back(&mut self, slice: Slice, data: &Buffer) -> Result<(), DeviceError> {
        let copied = self.copied.get();
        self.copied.set(Copied { to_device: copied.to_device + data.size(), ..copied });
        self.write(slice, data)
    }

    /// Returns the statistics of copies for operations that fell back to the host.
    pub fn copied(&self) -> Copied {
        self.copied.get()
    }

    /// Counts a buffer that was copied to the host for such an operation.
    pub fn fetched(&self, data: Buffer) -> Arc<Buffer> {
        let copied = self.copied.get();
        self.copied.set(Copied { to_host: copied.to_host + data.size(), ..copied });
        Arc::new(data)
    }

    /// Reads the elements of a slice.
    pub fn read(&self, slice: Slice) -> Result<Buffer, DeviceError> {
        self.read_held(self.held(slice.buffer)?, slice)
    }

    fn read_held(&self, held: &Held, slice: Slice) -> Result<Buffer, DeviceError> {
        let window = held.window(slice)?;
        if slice.len == 0 {
            return Ok(Buffer::zeroed(held.elem, 0));
        }
        let mut found = Vec::new();
        self.fetch(&[(window.place, window.words)], &mut found)?;
        Ok(from_words(held.elem, &found, window.skip as usize, slice.len as usize))
    }

    /// Reads one number.
    pub fn cell(&self, cell: Number) -> Result<Scalar, DeviceError> {
        Ok(self.read(Slice { buffer: cell.buffer, offset: cell.at, len: 1 })?.get(0))
    }

    /// Reads words of several places. Replaces the contents of `into`.
    pub fn words(&self, places: &[(Place, u64)], into: &mut Vec<u32>) -> Result<(), DeviceError> {
        self.fetch(places, into)
    }

    /// Returns the type of a number.
    pub fn cell_type(&self, cell: Number) -> Result<ScalarType, DeviceError> {
        Ok(self.held(cell.buffer)?.elem)
    }
}

/// Sharing with other devices.
impl<M: Machine> Memory<M> {
    /// Shares a buffer with other devices.
    pub fn share(&mut self, buffer: BufferId) -> Option<Arc<Shared<M>>> {
        let Held { elem, len, storage, .. } = *self.held(buffer).ok()?;
        let queue = self.queue.clone();
        let storage = self.storages.get_mut(storage.0)?;
        let Storage { place, bytes, .. } = *storage;
        let shared =
            storage.shared.get_or_insert_with(|| Arc::new(Shared { queue, place, bytes, elem, len }));
        Some(Arc::clone(shared))
    }

    /// Makes a buffer of shared memory, if it belongs to the same machine.
    pub fn lent(&mut self, shared: &Arc<Shared<M>>) -> Option<BufferId> {
        let Shared { ref queue, place, bytes, elem, len } = **shared;
        if !queue.is(&self.queue) {
            return None;
        }
        let storage = Storage { place, bytes, holders: 1, shared: Some(Arc::clone(shared)) };
        let storage = StorageId(self.storages.insert(storage));
        Some(self.adopt(storage, elem, len).buffer)
    }
}

impl<M: Machine> Drop for Memory<M> {
    /// The machine may outlive the device.
    fn drop(&mut self) {
        for Storage { place, bytes, shared, .. } in self.storages.drain() {
            if shared.is_none() {
                self.queue.free(place, bytes);
            }
        }
        self.queue.leave();
    }
}

impl<M: Machine> LaunchMemory for Memory<M> {
    fn read(&self, slice: Slice) -> Result<Arc<Buffer>, DeviceError> {
        Memory::read(self, slice).map(|data| self.fetched(data))
    }

    fn number(&self, cell: Number) -> Result<Scalar, DeviceError> {
        self.cell(cell)
    }

    fn limit(&self) -> u64 {
        self.queue.describe().memory.unwrap_or(u64::MAX)
    }
}

/// A snapshot of the memory that a launch read.
#[derive(Debug)]
pub(super) struct Past<'a, M: Machine> {
    pub memory: &'a Memory<M>,
    pub held: &'a [(BufferId, Held)],
}

impl<M: Machine> LaunchMemory for Past<'_, M> {
    fn read(&self, slice: Slice) -> Result<Arc<Buffer>, DeviceError> {
        let held = self.held.iter().find(|(id, _)| *id == slice.buffer);
        let (_, held) = held.ok_or_else(|| bug("a launch reads what it did not hold"))?;
        self.memory.read_held(held, slice).map(|data| self.memory.fetched(data))
    }

    fn number(&self, cell: Number) -> Result<Scalar, DeviceError> {
        Ok(self.read(Slice { buffer: cell.buffer, offset: cell.at, len: 1 })?.get(0))
    }

    fn limit(&self) -> u64 {
        self.memory.limit()
    }
}
