//! Buffers of the reference device, with a limit on their bytes.

use crate::device::{BufferId, Cell, DeviceError, Extent, SharedBuffer, Slice};
use nestled_ir::value::Buffer;
use nestled_ir::{Scalar, ScalarType};
use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Least number of bytes of host elements that are lent, not copied.
const LENT: u64 = 1 << 16;

/// The memory: a bounded number of bytes.
#[derive(Debug)]
pub(super) struct Memory {
    buffers: BTreeMap<BufferId, Stored>,
    next: u64,
    used: u64,
    limit: u64,
}

/// A buffer. The written part may be shorter than the buffer: a filter writes fewer elements than its bound.
#[derive(Debug)]
struct Stored {
    elem: ScalarType,
    len: u64,
    data: Option<Arc<Buffer>>,
    /// True if the memory belongs to another device; it does not count against the limit.
    lent: bool,
}

/// A buffer shared with other devices.
#[derive(Debug)]
struct Written {
    /// Elements of the buffer, of which those that were written come first.
    len: u64,
    data: Arc<Buffer>,
}

impl SharedBuffer for Written {
    fn read(&self, offset: u64, len: u64) -> Result<Buffer, DeviceError> {
        let end = offset.saturating_add(len);
        if end > self.data.len() as u64 {
            return Err(bug(format!("{len} elements from {offset} on are read of {}", self.data.len())));
        }
        Ok(self.data.slice(offset as usize, end as usize))
    }
}

impl Stored {
    fn size(&self) -> u64 {
        if self.lent { 0 } else { self.len * self.elem.size() as u64 }
    }
}

fn bug(what: impl Into<String>) -> DeviceError {
    DeviceError::Bug(what.into())
}

impl Memory {
    pub fn new(limit: u64) -> Memory {
        Memory { buffers: BTreeMap::new(), next: 0, used: 0, limit }
    }

    pub fn limit(&self) -> u64 {
        self.limit
    }

    pub fn used(&self) -> u64 {
        self.used
    }

    pub fn allocate(&mut self, elem: ScalarType, len: u64) -> Result<BufferId, DeviceError> {
        let wanted = len.saturating_mul(elem.size() as u64);
        let free = self.limit - self.used;
        if wanted > free {
            return Err(DeviceError::OutOfMemory { wanted, free: Some(free) });
        }
        let id = BufferId(self.next);
        self.next += 1;
        self.used += wanted;
        self.buffers.insert(id, Stored { elem, len, data: None, lent: false });
        Ok(id)
    }

    pub fn free(&mut self, buffer: BufferId) -> Result<(), DeviceError> {
        let stored = self.buffers.remove(&buffer).ok_or_else(|| bug(format!("{buffer:?} is freed twice")))?;
        self.used -= stored.size();
        Ok(())
    }

    pub fn trim(&mut self, buffer: BufferId, len: u64) -> Result<(), DeviceError> {
        let stored = self.stored_mut(buffer)?;
        let before = stored.size();
        stored.len = stored.len.min(len);
        let longer = stored.data.take_if(|data| data.len() as u64 > len);
        if let Some(data) = longer {
            stored.data = Some(Arc::new(data.slice(0, len as usize)));
        }
        let after = stored.size();
        self.used -= before - after;
        Ok(())
    }

    /// The written elements of a buffer, shared with other devices.
    pub fn share(&self, buffer: BufferId) -> Option<Arc<dyn SharedBuffer>> {
        let Stored { elem, len, data, .. } = self.buffers.get(&buffer)?;
        let data = data.clone().unwrap_or_else(|| Arc::new(Buffer::zeroed(*elem, 0)));
        Some(Arc::new(Written { len: *len, data }))
    }

    /// A buffer for memory that another device shares. It does not count against this device's limit.
    pub fn adopt(&mut self, shared: &dyn SharedBuffer) -> Option<BufferId> {
        let Written { len, data } = (shared as &dyn Any).downcast_ref::<Written>()?;
        let id = BufferId(self.next);
        self.next += 1;
        let (elem, data) = (data.elem(), Some(Arc::clone(data)));
        self.buffers.insert(id, Stored { elem, len: *len, data, lent: true });
        Some(id)
    }

    /// A buffer of elements of the host, where that spares much copying. It counts as others do.
    pub fn lend(&mut self, data: &Arc<Buffer>) -> Option<BufferId> {
        if data.size() < LENT {
            return None;
        }
        let id = self.allocate(data.elem(), data.len() as u64).ok()?;
        self.stored_mut(id).ok()?.data = Some(Arc::clone(data));
        Some(id)
    }

    fn stored(&self, buffer: BufferId) -> Result<&Stored, DeviceError> {
        self.buffers.get(&buffer).ok_or_else(|| bug(format!("{buffer:?} is used after it was freed")))
    }

    fn stored_mut(&mut self, buffer: BufferId) -> Result<&mut Stored, DeviceError> {
        self.buffers.get_mut(&buffer).ok_or_else(|| bug(format!("{buffer:?} is used after it was freed")))
    }

    /// Number of elements of a slice that have been written.
    pub fn written(&self, slice: Slice) -> Result<u64, DeviceError> {
        let stored = self.stored(slice.buffer)?;
        let written = stored.data.as_ref().map_or(0, |data| data.len() as u64);
        Ok(written.saturating_sub(slice.offset).min(slice.len))
    }

    /// The elements of a slice, all of which must have been written.
    pub fn read(&self, slice: Slice) -> Result<Arc<Buffer>, DeviceError> {
        let stored = self.stored(slice.buffer)?;
        let end = slice.offset + slice.len;
        if end > stored.len {
            return Err(bug(format!("{slice:?} is longer than its buffer of {}", stored.len)));
        }
        let data = match &stored.data {
            Some(data) if data.len() as u64 >= end => data,
            None if slice.len == 0 => return Ok(Arc::new(Buffer::zeroed(stored.elem, 0))),
            _ => return Err(bug(format!("{slice:?} is read before it is written"))),
        };
        if slice.offset == 0 && end == data.len() as u64 {
            return Ok(Arc::clone(data));
        }
        Ok(Arc::new(data.slice(slice.offset as usize, end as usize)))
    }

    /// As [`read`](Self::read), at the last use of the buffer: nothing of it counts as written afterwards.
    pub fn take(&mut self, slice: Slice) -> Result<Arc<Buffer>, DeviceError> {
        let data = self.read(slice)?;
        self.stored_mut(slice.buffer)?.data = None;
        Ok(data)
    }

    /// The first elements of a slice of indices.
    pub fn indices(&self, slice: Slice, len: u64) -> Result<Vec<i64>, DeviceError> {
        let data = self.read(Slice { len, ..slice })?;
        match &*data {
            Buffer::Idx(indices) => Ok(indices.clone()),
            other => Err(bug(format!("indices are wanted, not {}", other.elem()))),
        }
    }

    /// One number.
    pub fn number(&self, cell: Cell) -> Result<Scalar, DeviceError> {
        let slice = Slice { buffer: cell.buffer, offset: cell.at, len: 1 };
        let stored = self.stored(cell.buffer)?;
        match &stored.data {
            Some(data) if (data.len() as u64) > cell.at => Ok(data.get(cell.at as usize)),
            _ => Err(bug(format!("{slice:?} is read before it is written"))),
        }
    }

    /// The exact value of an extent, kept within its bound.
    pub fn exact(&self, extent: Extent) -> Result<u64, DeviceError> {
        let Some(cell) = extent.exact else { return Ok(extent.bound) };
        let value = self.number(cell)?.as_integer().unwrap_or(0);
        Ok((value.max(0) as u64).min(extent.bound))
    }

    /// Writes the first elements of a slice.
    pub fn write(&mut self, slice: Slice, data: Arc<Buffer>) -> Result<(), DeviceError> {
        let stored = self.stored_mut(slice.buffer)?;
        let len = data.len() as u64;
        if data.elem() != stored.elem || len > slice.len || slice.offset + slice.len > stored.len {
            return Err(bug(format!("{len} of {} do not fit {slice:?} of {stored:?}", data.elem())));
        }
        if slice.offset == 0 && (slice.len == stored.len || len == stored.len) {
            stored.data = Some(data);
            return Ok(());
        }
        let zeros = || Arc::new(Buffer::zeroed(stored.elem, stored.len as usize));
        let mut whole = Arc::unwrap_or_clone(stored.data.take().unwrap_or_else(zeros));
        while (whole.len() as u64) < stored.len {
            whole.push(Scalar::zero(stored.elem));
        }
        for at in 0..data.len() {
            whole.set(slice.offset as usize + at, data.get(at));
        }
        stored.data = Some(Arc::new(whole));
        Ok(())
    }

    /// Fills a slice with rubbish.
    pub fn spoil(&mut self, slice: Slice) -> Result<(), DeviceError> {
        let elem = self.stored(slice.buffer)?.elem;
        let rubbish = vec![Scalar::from_bits(elem, 0xa5a5_a5a5_a5a5_a5a5); slice.len as usize];
        self.write(slice, Arc::new(Buffer::from_scalars(elem, &rubbish)))
    }
}
