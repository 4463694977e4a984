//! Arrays of C, allocated as C's experts do: aligned, in huge pages, touched beforehand.
//!
//! `unsafe`: the memory is C's. Each [`Memory`] is the only owner of its allocation and knows how long it is.
#![allow(unsafe_code)]

use super::Library;
use nestled_ir::ScalarType;
use nestled_ir::value::Buffer;
use std::ffi::c_void;
use std::fmt;
use std::ptr::NonNull;
use std::rc::Rc;

/// An array of C.
pub struct Memory {
    library: Rc<Library>,
    pointer: NonNull<c_void>,
    elem: ScalarType,
    len: usize,
}

impl Memory {
    /// `len` zeros.
    ///
    /// # Panics
    /// If there is no memory left.
    pub fn zeroed(library: &Rc<Library>, elem: ScalarType, len: usize) -> Memory {
        // SAFETY: it takes any size.
        let pointer = unsafe { (library.allocate)((len * elem.size()) as i64) };
        let pointer = NonNull::new(pointer).expect("there is memory for the arrays of a benchmark");
        Memory { library: Rc::clone(library), pointer, elem, len }
    }

    /// A copy of a buffer.
    pub fn copy_of(library: &Rc<Library>, buffer: &Buffer) -> Memory {
        let memory = Memory::zeroed(library, buffer.elem(), buffer.len());
        let source: *const c_void = match buffer {
            Buffer::Bool(vec) => vec.as_ptr().cast(),
            Buffer::I8(vec) => vec.as_ptr().cast(),
            Buffer::U8(vec) => vec.as_ptr().cast(),
            Buffer::I16(vec) => vec.as_ptr().cast(),
            Buffer::U16(vec) => vec.as_ptr().cast(),
            Buffer::I32(vec) => vec.as_ptr().cast(),
            Buffer::U32(vec) => vec.as_ptr().cast(),
            Buffer::I64(vec) | Buffer::Idx(vec) => vec.as_ptr().cast(),
            Buffer::U64(vec) => vec.as_ptr().cast(),
            Buffer::F16(vec) => vec.as_ptr().cast(),
            Buffer::F32(vec) => vec.as_ptr().cast(),
            Buffer::F64(vec) => vec.as_ptr().cast(),
        };
        // SAFETY: both are as long as the buffer, and the allocation is new.
        unsafe { source.cast::<u8>().copy_to_nonoverlapping(memory.pointer.as_ptr().cast(), memory.size()) }
        memory
    }

    fn size(&self) -> usize {
        self.len * self.elem.size()
    }

    pub(super) fn pointer(&self) -> *mut c_void {
        self.pointer.as_ptr()
    }

    /// A copy for the rest of the program.
    ///
    /// # Panics
    /// For types that no benchmark results in.
    pub fn to_buffer(&self) -> Buffer {
        match self.elem {
            ScalarType::I32 => Buffer::I32(self.slice::<i32>().to_vec()),
            ScalarType::U32 => Buffer::U32(self.slice::<u32>().to_vec()),
            ScalarType::Idx => Buffer::Idx(self.slice::<i64>().to_vec()),
            ScalarType::F32 => Buffer::F32(self.slice::<f32>().to_vec()),
            ScalarType::F64 => Buffer::F64(self.slice::<f64>().to_vec()),
            other => panic!("no benchmark results in {other}"),
        }
    }

    /// `T` is the type that `elem` stands for.
    fn slice<T: Copy>(&self) -> &[T] {
        assert_eq!(size_of::<T>(), self.elem.size());
        // SAFETY: initialised (by zeros at least), aligned to 64 bytes, of this length; `T` is a number, which any bits are.
        unsafe { std::slice::from_raw_parts(self.pointer.as_ptr().cast(), self.len) }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: allocated by the same library, freed once.
        unsafe { (self.library.free)(self.pointer.as_ptr()) }
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").field("elem", &self.elem).field("len", &self.len).finish_non_exhaustive()
    }
}
