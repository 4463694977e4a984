//! Shared arrays: results on a device that other threads read at the same time.

use crate::device::{Device, SharedBuffer};
use crate::error::Error;
use crate::exec::{ArrayData, Datum, DeviceBuffer, Ledger};
use crate::executable::Executable;
use crate::handle::Handle;
use nestled_ir::ScalarType;
use nestled_ir::value::{Array, AxisValue, Buffer, Value};
use std::rc::Rc;
use std::sync::Arc;

/// A read-only dense array, on a device with memory that can be shared.
#[derive(Clone, Debug)]
pub struct SharedArray {
    buffer: Arc<dyn SharedBuffer>,
    elem: ScalarType,
    offset: u64,
    extents: Vec<u64>,
}

impl Handle {
    /// The value for other threads. Nothing if it is no dense array over extents, or its device shares no memory.
    pub fn share(&self) -> Option<SharedArray> {
        let Datum::Array(array) = self.datum() else { return None };
        if array.view.is_some() {
            return None;
        }
        let extents = self.fetched_extents()?;
        let buffer = self.device().share(array.data.id)?;
        Some(SharedArray { buffer, elem: array.data.elem, offset: array.offset, extents })
    }
}

impl SharedArray {
    /// The elements, on the host.
    ///
    /// # Errors
    /// Something is wrong in Nestled.
    pub fn read(&self) -> Result<Buffer, Error> {
        Ok(self.buffer.read(self.offset, self.extents.iter().product())?)
    }

    /// A handle on this array for a device that can share its memory.
    fn adopted(&self, device: &Rc<dyn Device>, ledger: &Rc<Ledger>) -> Option<Handle> {
        let id = device.adopt(&self.buffer)?;
        let len: u64 = self.extents.iter().product();
        let data = DeviceBuffer::adopted(device, ledger, id, self.elem, self.offset + len);
        let array = ArrayData { offset: self.offset, len, ..ArrayData::whole(Rc::new(data)) };
        let axes = self.extents.iter().map(|&extent| Datum::extent(extent)).collect();
        Some(Handle::lent(device, Datum::Array(Rc::new(array)), axes))
    }
}

impl Executable {
    /// A value that was shared, on this device: in place if the device can read it there, else copied.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn adopt(&self, shared: &SharedArray) -> Result<Handle, Error> {
        if let Some(handle) = shared.adopted(&self.device, &self.ledger) {
            return Ok(handle);
        }
        let shape = shared.extents.iter().map(|&extent| AxisValue::Extent(extent)).collect();
        let array = Array { elem: shared.elem, shape, starts: None, data: Arc::new(shared.read()?) };
        Ok(self.put(&[Value::Array(array)])?.remove(0))
    }
}

impl Drop for Executable {
    fn drop(&mut self) {
        self.compiled_kernels().for_each(|compiled| self.device.forget(compiled.handle));
    }
}
