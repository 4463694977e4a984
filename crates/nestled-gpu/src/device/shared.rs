//! Read-only memory of a machine, shared by several devices.

use super::bug;
use super::elements::from_words;
use super::machine::{Machine, Place};
use super::queue::Queue;
use super::window::Window;
use crate::repr::bytes;
use nestled_ir::ScalarType;
use nestled_ir::value::Buffer;
use nestled_rt::device::{DeviceError, SharedBuffer};

/// A shared buffer; its memory is freed with the last reference.
#[derive(Debug)]
pub(super) struct Shared<M: Machine> {
    pub queue: Queue<M>,
    pub place: Place,
    /// Size of the memory in bytes.
    pub bytes: u64,
    pub elem: ScalarType,
    pub len: u64,
}

impl<M: Machine> SharedBuffer for Shared<M> {
    fn read(&self, offset: u64, len: u64) -> Result<Buffer, DeviceError> {
        if offset.checked_add(len).is_none_or(|end| end > self.len) {
            return Err(bug(format!("{len} elements from {offset} on of {}", self.len)));
        }
        if len == 0 {
            return Ok(Buffer::zeroed(self.elem, 0));
        }
        let size = bytes(self.elem);
        let window = Window::of(self.place.plus(offset * size), len * size);
        let mut found = Vec::new();
        self.queue.read(&[(window.place, window.words)], &mut found)?;
        Ok(from_words(self.elem, &found, window.skip as usize, len as usize))
    }

    fn cuda(&self) -> Result<Option<u64>, DeviceError> {
        let address = self.queue.lock()?.cuda_address(self.place);
        if address.is_some() {
            self.queue.finish()?;
        }
        Ok(address)
    }
}

impl<M: Machine> Drop for Shared<M> {
    fn drop(&mut self) {
        self.queue.free(self.place, self.bytes);
    }
}
