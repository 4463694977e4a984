//! Shared arrays: results on a device that other threads read at the same time.

use crate::device::{Device, HostMemory, SharedBuffer};
use crate::error::Error;
use crate::exec::{ArrayData, Datum, DeviceBuffer, LiveBuffers, cell_at};
use crate::executable::Executable;
use crate::handle::Handle;
use nestled_ir::ScalarType;
use nestled_ir::value::{Array, AxisValue, Buffer, Value};
use std::rc::Rc;
use std::sync::Arc;

/// A read-only dense array or number, on a device with memory that can be shared.
#[derive(Clone, Debug)]
pub struct SharedArray {
    buffer: Arc<dyn SharedBuffer>,
    elem: ScalarType,
    offset: u64,
    /// Nothing of a number.
    extents: Option<Vec<u64>>,
}

impl Handle {
    /// The value for other threads; waits for extents that only the device knows. Nothing if it is no dense array over extents and no number that one would have to
    /// wait for, or if its device shares no memory.
    pub fn share(&self) -> Option<SharedArray> {
        match self.datum() {
            Datum::Array(array) if array.view.is_none() => {
                let extents = self.fetched_extents().or_else(|| self.awaited_extents())?;
                let buffer = self.device().share(array.data.id)?;
                Some(SharedArray {
                    buffer,
                    elem: array.data.elem,
                    offset: array.offset,
                    extents: Some(extents),
                })
            }
            Datum::Cell(cell)
                if cell.known.get().is_none()
                    && !self.is_extent()
                    && !self.device().describe().waits_are_free =>
            {
                let buffer = self.device().share(cell.buffer.id)?;
                Some(SharedArray { buffer, elem: cell.buffer.elem, offset: cell.at, extents: None })
            }
            Datum::Array(_) | Datum::Cell(_) | Datum::Scalar(_) | Datum::Seg(_) | Datum::Empty => None,
        }
    }
}

impl SharedArray {
    /// A vector in memory of the host that somebody else owns.
    pub fn of_host(memory: HostMemory) -> SharedArray {
        let (elem, extents) = (memory.elem(), Some(vec![memory.len() as u64]));
        SharedArray { buffer: Arc::new(memory), elem, offset: 0, extents }
    }

    /// The same elements over other extents; nothing if these are not as many.
    pub fn shaped(self, extents: Vec<u64>) -> Option<SharedArray> {
        let size = extents.iter().try_fold(1u64, |size, &extent| size.checked_mul(extent))?;
        (size == self.len()).then_some(SharedArray { extents: Some(extents), ..self })
    }

    /// The bytes of its elements, where the host can read them without a copy.
    pub fn host(&self) -> Option<&[u8]> {
        let size = self.elem.size();
        let from = usize::try_from(self.offset).ok()?.checked_mul(size)?;
        let until = usize::try_from(self.len()).ok()?.checked_mul(size)?.checked_add(from)?;
        self.buffer.host()?.get(from..until)
    }

    /// The address of its first element, where other libraries for CUDA can read them; all that writes them is done then.
    ///
    /// # Errors
    /// The device is lost.
    pub fn cuda(&self) -> Result<Option<u64>, Error> {
        let first = self.offset * self.elem.size() as u64;
        Ok(self.buffer.cuda()?.map(|address| address + first))
    }

    /// The elements, on the host.
    ///
    /// # Errors
    /// Something is wrong in Nestled.
    pub fn read(&self) -> Result<Buffer, Error> {
        Ok(self.buffer.read(self.offset, self.len())?)
    }

    fn len(&self) -> u64 {
        self.extents.iter().flatten().product()
    }

    /// A handle on this array for a device that can share its memory.
    fn adopted(&self, device: &Rc<dyn Device>, live_buffers: &Rc<LiveBuffers>) -> Option<Handle> {
        let id = device.adopt(&self.buffer)?;
        let len = self.len();
        let data = DeviceBuffer::adopted(device, live_buffers, id, self.elem, self.offset + len);
        let Some(extents) = &self.extents else {
            return Some(Handle::lent(device, cell_at(&Rc::new(data), self.offset), Vec::new()));
        };
        let array = ArrayData { offset: self.offset, len, ..ArrayData::whole(Rc::new(data)) };
        let axes = extents.iter().map(|&extent| Datum::extent(extent)).collect();
        Some(Handle::lent(device, Datum::Array(Rc::new(array)), axes))
    }
}

impl Executable {
    /// A value that was shared, if this device can read it where it lies.
    pub fn adopt_in_place(&self, shared: &SharedArray) -> Option<Handle> {
        shared.adopted(&self.device, &self.live_buffers)
    }

    /// A value that was shared, on this device: in place if the device can read it there, else copied.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn adopt(&self, shared: &SharedArray) -> Result<Handle, Error> {
        if let Some(handle) = self.adopt_in_place(shared) {
            return Ok(handle);
        }
        let data = shared.read()?;
        let Some(extents) = &shared.extents else { return Ok(Handle::scalar(&self.device, data.get(0))) };
        let shape = extents.iter().map(|&extent| AxisValue::Extent(extent)).collect();
        let array = Array { elem: shared.elem, shape, starts: None, data: Arc::new(data) };
        Ok(self.put(&[Value::Array(array)])?.remove(0))
    }
}

impl Drop for Executable {
    fn drop(&mut self) {
        self.compiled_kernels().for_each(|compiled| self.device.forget(compiled.handle));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Another shape has as many elements, no more and no fewer.
    #[test]
    fn shapes_have_all_elements() {
        let shared = || SharedArray::of_host(HostMemory::new(vec![1u8; 6], ScalarType::U8).unwrap());
        for (extents, fits) in [(vec![2, 3], true), (vec![5], false), (vec![0], false), (vec![7], false)] {
            assert_eq!(shared().shaped(extents).is_some(), fits);
        }
        assert!(shared().shaped(vec![1 << 33, 1 << 33]).is_none());
    }
}
