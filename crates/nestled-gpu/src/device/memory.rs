//! Buffers of a machine: ids lead to storage, which lives as long as anybody needs it.

use super::bug;
use super::machine::{Block, Machine};
use crate::code::Module;
use crate::dialect::Dialect;
use crate::repr::{scalar_words, words};
use nestled_ir::value::Buffer;
use nestled_ir::{Scalar, ScalarType};
use nestled_rt::device::{
    Arg, BufferId, Cell as Number, Copied, DeviceError, Launch, LaunchMemory, ShapeArg, Slice,
};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;

/// Memory of the machine, until it is dropped.
#[derive(Debug)]
pub struct Storage {
    address: u64,
    bytes: u64,
    dropped: Rc<RefCell<Vec<(u64, u64)>>>,
}

impl Storage {
    /// Where it is.
    pub fn address(&self) -> u64 {
        self.address
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        self.dropped.borrow_mut().push((self.address, self.bytes));
    }
}

/// A buffer.
#[derive(Clone, Debug)]
pub(super) struct Held {
    elem: ScalarType,
    len: u64,
    storage: Rc<Storage>,
}

impl Held {
    /// Where a slice begins.
    fn place(&self, slice: Slice) -> Result<u64, DeviceError> {
        if slice.offset.checked_add(slice.len).is_none_or(|end| end > self.len) {
            return Err(bug(format!("{slice:?} is longer than its buffer of {}", self.len)));
        }
        Ok(self.storage.address + slice.offset * words(self.elem) * 4)
    }
}

/// The buffers.
#[derive(Debug)]
pub(super) struct Memory<M: Machine> {
    machine: RefCell<M>,
    dialect: Dialect,
    buffers: HashMap<BufferId, Held>,
    next: u64,
    in_use: u64,
    /// What the host read and wrote for itself.
    copied: Cell<Copied>,
    dropped: Rc<RefCell<Vec<(u64, u64)>>>,
}

impl<M: Machine> Memory<M> {
    pub fn new(machine: M) -> Memory<M> {
        let dialect = machine.dialect().clone();
        let (machine, dropped) = (RefCell::new(machine), Rc::default());
        Memory {
            machine,
            dialect,
            buffers: HashMap::new(),
            next: 0,
            in_use: 0,
            copied: Cell::default(),
            dropped,
        }
    }

    pub fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    pub fn in_use(&self) -> u64 {
        self.in_use
    }

    pub fn compile(&self, module: &Module) -> Result<M::Code, DeviceError> {
        self.machine.borrow_mut().compile(module)
    }

    pub fn run(&self, code: &M::Code, block: &Block) -> Result<(), DeviceError> {
        self.machine.borrow_mut().run(code, block)
    }

    pub fn finish(&self) -> Result<(), DeviceError> {
        self.machine.borrow_mut().finish()
    }

    /// Memory that is no buffer.
    pub fn take(&self, words: u64) -> Result<Rc<Storage>, DeviceError> {
        let mut machine = self.machine.borrow_mut();
        for (address, bytes) in self.dropped.borrow_mut().drain(..) {
            machine.free(address, bytes);
        }
        let bytes = words.saturating_mul(4).max(4);
        let address = machine.allocate(bytes)?;
        Ok(Rc::new(Storage { address, bytes, dropped: Rc::clone(&self.dropped) }))
    }

    pub fn allocate(&mut self, elem: ScalarType, len: u64) -> Result<BufferId, DeviceError> {
        let storage = self.take(len.saturating_mul(words(elem)))?;
        self.in_use += storage.bytes;
        let id = BufferId(self.next);
        self.next += 1;
        self.buffers.insert(id, Held { elem, len, storage });
        Ok(id)
    }

    /// A buffer of memory that was taken.
    pub fn adopt(&mut self, storage: Rc<Storage>, elem: ScalarType, len: u64) -> Slice {
        self.in_use += storage.bytes;
        let buffer = BufferId(self.next);
        self.next += 1;
        self.buffers.insert(buffer, Held { elem, len, storage });
        Slice { buffer, offset: 0, len }
    }

    pub fn free(&mut self, buffer: BufferId) {
        let freed = self.buffers.remove(&buffer);
        debug_assert!(freed.is_some(), "{buffer:?} is freed twice");
        if let Some(held) = freed {
            self.in_use -= held.storage.bytes;
        }
    }

    fn held(&self, buffer: BufferId) -> Result<&Held, DeviceError> {
        self.buffers.get(&buffer).ok_or_else(|| bug(format!("{buffer:?} is used after it was freed")))
    }

    /// The address of a slice.
    pub fn place(&self, slice: Slice) -> Result<u64, DeviceError> {
        self.held(slice.buffer)?.place(slice)
    }

    /// The address of a number, and how many words it takes.
    pub fn cell_place(&self, cell: Number) -> Result<(u64, u32), DeviceError> {
        let held = self.held(cell.buffer)?;
        let place = held.place(Slice { buffer: cell.buffer, offset: cell.at, len: 1 })?;
        Ok((place, words(held.elem) as u32))
    }

    /// Sees to it that only the buffer itself needs what lies in a slice; answers whether that could be done.
    pub fn renew(&mut self, slice: Slice) -> Result<bool, DeviceError> {
        let held = self.held(slice.buffer)?;
        if Rc::strong_count(&held.storage) == 1 {
            return Ok(true);
        }
        if slice.offset != 0 || slice.len != held.len {
            return Ok(false);
        }
        match self.take(held.len.saturating_mul(words(held.elem))) {
            Err(DeviceError::OutOfMemory { .. }) => Ok(false),
            taken => {
                let storage = taken?;
                if let Some(held) = self.buffers.get_mut(&slice.buffer) {
                    held.storage = storage;
                }
                Ok(true)
            }
        }
    }

    /// All that a launch may read, so that it stays.
    pub fn hold(&self, launch: &Launch<'_>) -> Result<Vec<(BufferId, Held)>, DeviceError> {
        let mut buffers = BTreeMap::new();
        let mut hold = |buffer: BufferId| -> Result<(), DeviceError> {
            buffers.insert(buffer, self.held(buffer)?.clone());
            Ok(())
        };
        for shape in launch.shapes {
            match shape {
                ShapeArg::Extent(extent) | ShapeArg::Regular { length: extent } => {
                    extent.exact.map_or(Ok(()), |cell| hold(cell.buffer))?;
                }
                ShapeArg::Offsets { offsets, total } => {
                    hold(offsets.buffer)?;
                    total.exact.map_or(Ok(()), |cell| hold(cell.buffer))?;
                }
            }
        }
        for arg in launch.args {
            match arg {
                Arg::Scalar(_) => {}
                Arg::Cell(cell) => hold(cell.buffer)?,
                Arg::Dense(slice) => hold(slice.buffer)?,
                Arg::View { data, starts } => {
                    hold(data.buffer)?;
                    hold(starts.buffer)?;
                }
            }
        }
        Ok(buffers.into_iter().collect())
    }

    /// Writes the first elements of a slice.
    pub fn write(&self, slice: Slice, data: &Buffer) -> Result<(), DeviceError> {
        let held = self.held(slice.buffer)?;
        let place = held.place(slice)?;
        if data.elem() != held.elem || data.len() as u64 > slice.len {
            return Err(bug(format!("{} of {} do not fit {slice:?}", data.len(), data.elem())));
        }
        if data.is_empty() {
            return Ok(());
        }
        self.machine.borrow_mut().write(place, &to_words(data))
    }

    /// Writes what the host made of something that was left to it.
    pub fn bring_back(&self, slice: Slice, data: &Buffer) -> Result<(), DeviceError> {
        let copied = self.copied.get();
        self.copied.set(Copied { to_device: copied.to_device + data.size(), ..copied });
        self.write(slice, data)
    }

    /// What was copied because something was left to the host.
    pub fn copied(&self) -> Copied {
        self.copied.get()
    }

    /// A buffer that the host needs for what was left to it.
    fn fetched(&self, data: Buffer) -> Arc<Buffer> {
        let copied = self.copied.get();
        self.copied.set(Copied { to_host: copied.to_host + data.size(), ..copied });
        Arc::new(data)
    }

    /// The elements of a slice.
    pub fn read(&self, slice: Slice) -> Result<Buffer, DeviceError> {
        self.read_held(self.held(slice.buffer)?, slice)
    }

    fn read_held(&self, held: &Held, slice: Slice) -> Result<Buffer, DeviceError> {
        let place = held.place(slice)?;
        if slice.len == 0 {
            return Ok(Buffer::zeroed(held.elem, 0));
        }
        let words = self.machine.borrow_mut().read(&[(place, slice.len * words(held.elem))])?;
        Ok(from_words(held.elem, &words))
    }

    /// One number.
    pub fn cell(&self, cell: Number) -> Result<Scalar, DeviceError> {
        Ok(self.read(Slice { buffer: cell.buffer, offset: cell.at, len: 1 })?.get(0))
    }

    /// Words of several pieces of memory.
    pub fn words(&self, places: &[(u64, u64)]) -> Result<Vec<u32>, DeviceError> {
        self.machine.borrow_mut().read(places)
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
        self.machine.borrow().describe().memory.unwrap_or(u64::MAX)
    }
}

/// What a launch read, as it was then.
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

fn to_words(data: &Buffer) -> Vec<u32> {
    match data {
        Buffer::Bool(data) => data.iter().map(|&x| u32::from(x)).collect(),
        Buffer::U8(data) => data.iter().map(|&x| u32::from(x)).collect(),
        Buffer::F16(data) => data.iter().map(|&x| u32::from(x)).collect(),
        Buffer::I32(data) => data.iter().map(|&x| x as u32).collect(),
        Buffer::U32(data) => data.clone(),
        Buffer::F32(data) => data.iter().map(|x| x.to_bits()).collect(),
        Buffer::I64(data) | Buffer::Idx(data) => {
            data.iter().flat_map(|&x| scalar_words(Scalar::I64(x))).collect()
        }
        Buffer::F64(data) => data.iter().flat_map(|&x| scalar_words(Scalar::F64(x))).collect(),
    }
}

fn from_words(elem: ScalarType, data: &[u32]) -> Buffer {
    let wide = || data.chunks_exact(2).map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32);
    match elem {
        ScalarType::Bool => Buffer::Bool(data.iter().map(|&x| x != 0).collect()),
        ScalarType::U8 => Buffer::U8(data.iter().map(|&x| x as u8).collect()),
        ScalarType::F16 => Buffer::F16(data.iter().map(|&x| x as u16).collect()),
        ScalarType::I32 => Buffer::I32(data.iter().map(|&x| x as i32).collect()),
        ScalarType::U32 => Buffer::U32(data.to_vec()),
        ScalarType::F32 => Buffer::F32(data.iter().map(|&x| f32::from_bits(x)).collect()),
        ScalarType::I64 => Buffer::I64(wide().map(|x| x as i64).collect()),
        ScalarType::Idx => Buffer::Idx(wide().map(|x| x as i64).collect()),
        ScalarType::F64 => Buffer::F64(wide().map(f64::from_bits).collect()),
    }
}
