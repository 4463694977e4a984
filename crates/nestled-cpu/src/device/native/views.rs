//! Typed views of the operands of an operation, as Rust slices.
#![allow(unsafe_code)] // Buffers become slices of Rust.

use crate::device::memory::{Memory, bug};
use nestled_ir::ScalarType;
use nestled_rt::device::{BufferId, DeviceError, NativeKind, Slice};

/// A Rust type for which all bit patterns are valid.
pub(super) trait Plain: Copy + Send + Sync + 'static {
    /// True if elements of a scalar type have the same size as this type. The kind of number may differ.
    fn fits(elem: ScalarType) -> bool {
        elem.size() == size_of::<Self>()
    }
}

impl Plain for i8 {}
impl Plain for u8 {}
impl Plain for i16 {}
impl Plain for u16 {}
impl Plain for i32 {}
impl Plain for u32 {}
impl Plain for i64 {}
impl Plain for u64 {}
impl Plain for f32 {}
impl Plain for f64 {}

/// The memory during one operation. Every result has a buffer of its own, which is borrowed mutably only once.
pub(super) struct Views<'a> {
    memory: &'a Memory,
    results: Vec<(BufferId, std::cell::Cell<bool>)>,
}

impl<'a> Views<'a> {
    /// Creates the views of an operation.
    pub(super) fn new(memory: &'a mut Memory, kind: &NativeKind) -> Result<Views<'a>, DeviceError> {
        let mut results: Vec<(BufferId, std::cell::Cell<bool>)> = Vec::new();
        for slice in kind.results() {
            if results.iter().any(|(buffer, _)| *buffer == slice.buffer) {
                return Err(bug("two results in one buffer"));
            }
            results.push((slice.buffer, std::cell::Cell::new(false)));
        }
        Ok(Views { memory, results })
    }

    /// Returns the memory, to look up numbers.
    pub(super) fn memory(&self) -> &'a Memory {
        self.memory
    }

    fn check<T: Plain>(&self, slice: Slice) -> Result<(), DeviceError> {
        let elem = self.memory.elem(slice.buffer)?;
        if T::fits(elem) { Ok(()) } else { Err(bug(format!("{elem} is not what an operation takes"))) }
    }

    /// Borrows elements to read.
    pub(super) fn input<T: Plain>(&self, slice: Slice) -> Result<&'a [T], DeviceError> {
        self.check::<T>(slice)?;
        if self.results.iter().any(|(buffer, _)| *buffer == slice.buffer) {
            return Err(bug("an argument in the buffer of a result"));
        }
        let place = self.memory.place(slice)?;
        // SAFETY: `place` has found so many elements, zeroed once, aligned for every scalar type. Nobody writes them: the memory was
        // borrowed mutably, and what this value lends mutably lies in other buffers.
        Ok(unsafe { std::slice::from_raw_parts(place.data.cast(), place.len as usize) })
    }

    /// Borrows elements to write.
    pub(super) fn output<T: Plain>(&self, slice: Slice) -> Result<&'a mut [T], DeviceError> {
        self.check::<T>(slice)?;
        let result = self.results.iter().find(|(buffer, _)| *buffer == slice.buffer);
        if result.is_none_or(|(_, lent)| lent.replace(true)) {
            return Err(bug("a result is written twice"));
        }
        let place = self.memory.place(slice)?;
        // SAFETY: `place` has found so many elements, zeroed once, aligned for every scalar type. Nobody else has this buffer: the memory was borrowed mutably, the buffer
        // is lent once (`lent` says whether it was), and never as an argument.
        Ok(unsafe { std::slice::from_raw_parts_mut(place.data.cast(), place.len as usize) })
    }
}
