//! Buffers: elements from whoever has Python's buffer protocol, and to it.
//!
//! `unsafe` is the protocol itself: a view of memory that a [`HostBuffer`] owns and never changes or moves.
#![allow(unsafe_code)]

use crate::any::{AnyArray, each, typed};
use crate::errors::OrRaise;
use crate::foreign::View;
use nestled_array::{Array, F16};
use nestled_nested::Kind;
use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use std::any::Any;
use std::ffi::{CStr, c_int, c_long};

/// Computed elements in row-major order, which nobody writes: where the array has them, if the host can read them there, else a copy.
#[pyclass(frozen, module = "nestled._nestled")]
pub struct HostBuffer {
    /// Keeps the elements: memory of the array's, or a vector of whatever type they have.
    _owner: Box<dyn Any + Send + Sync>,
    is_copy: bool,
    address: usize,
    size: usize,
    format: &'static CStr,
    width: isize,
    shape: Vec<isize>,
    strides: Vec<isize>,
}

/// The letter of an element type in Python's module `struct`.
fn format(kind: Kind) -> (&'static CStr, isize) {
    match kind {
        Kind::Bool => (c"?", 1),
        Kind::Int8 => (c"b", 1),
        Kind::Uint8 => (c"B", 1),
        Kind::Int16 => (c"h", 2),
        Kind::Uint16 => (c"H", 2),
        Kind::Int32 => (c"i", 4),
        Kind::Uint32 => (c"I", 4),
        // NumPy's `int64` is the C type `long` where that has 64 bits.
        Kind::Int64 if size_of::<c_long>() == 8 => (c"l", 8),
        Kind::Uint64 if size_of::<c_long>() == 8 => (c"L", 8),
        Kind::Int64 => (c"q", 8),
        Kind::Uint64 => (c"Q", 8),
        Kind::Float16 => (c"e", 2),
        Kind::Float32 => (c"f", 4),
        Kind::Float64 => (c"d", 8),
    }
}

fn owned<T: Send + Sync + 'static>(elements: Vec<T>) -> (Box<dyn Any + Send + Sync>, usize) {
    let address = elements.as_ptr() as usize;
    (Box::new(elements), address)
}

impl HostBuffer {
    /// Computes an array, and copies its elements to the host if they are not there.
    pub fn of(any: &AnyArray) -> PyResult<HostBuffer> {
        let shared = each!(any, x => x.memory().or_raise()?);
        let is_copy = shared.is_none();
        let (owner, address) = match (shared, any) {
            (Some(memory), _) => {
                let address = memory.as_ref().as_ptr() as usize;
                (Box::new(memory) as Box<dyn Any + Send + Sync>, address)
            }
            (None, AnyArray::Float16(x)) => {
                owned(x.to_vec().or_raise()?.into_iter().map(F16::to_bits).collect::<Vec<u16>>())
            }
            (None, other) => each!(other, x => owned(x.to_vec().or_raise()?)),
        };
        let (format, width) = format(any.kind());
        let shape: Vec<isize> = any.shape().iter().map(|&extent| extent as isize).collect();
        let mut strides = vec![width; shape.len()];
        for axis in (1..shape.len()).rev() {
            strides[axis - 1] = strides[axis] * shape[axis].max(1);
        }
        let size = any.shape().iter().product::<usize>();
        Ok(HostBuffer { _owner: owner, is_copy, address, size, format, width, shape, strides })
    }
}

#[pymethods]
impl HostBuffer {
    /// True if the elements were copied from where the array has them.
    #[getter]
    fn is_copy(&self) -> bool {
        self.is_copy
    }

    /// Shows the elements, whatever view is asked for, unless it is one to write to.
    ///
    /// # Safety
    /// `view` is what Python wants filled.
    pub unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        if view.is_null() {
            return Err(PyBufferError::new_err("there is no view to fill"));
        }
        if flags & ffi::PyBUF_WRITABLE == ffi::PyBUF_WRITABLE {
            // SAFETY: `view` is not null, so Python's.
            unsafe { (*view).obj = std::ptr::null_mut() };
            return Err(PyBufferError::new_err("arrays never change: numpy.array(x) is a copy that may"));
        }
        let own = slf.get();
        // SAFETY: `view` is not null, so Python's. Everything it is given is kept by `own`, which the view keeps.
        unsafe {
            (*view).buf = own.address as *mut _;
            (*view).len = own.size as isize * own.width;
            (*view).readonly = 1;
            (*view).itemsize = own.width;
            (*view).format = own.format.as_ptr().cast_mut();
            (*view).ndim = own.shape.len() as c_int;
            (*view).shape = own.shape.as_ptr().cast_mut();
            (*view).strides = own.strides.as_ptr().cast_mut();
            (*view).suboffsets = std::ptr::null_mut();
            (*view).internal = std::ptr::null_mut();
            (*view).obj = slf.into_ptr();
        }
        Ok(())
    }
}

/// The elements of an object that has the buffer protocol, where they lie; nothing if an array cannot have them there.
pub fn shared(object: &Bound<'_, PyAny>, kind: Kind, shape: &[usize]) -> PyResult<Option<AnyArray>> {
    let Some(view) = View::of(object)? else { return Ok(None) };
    typed!(kind, T => Ok(Array::<T>::from_memory_shaped(view, shape).ok().map(AnyArray::from)))
}

/// A copy of the elements, in huge pages if they are many.
fn elements<T: Element + Default>(object: &Bound<'_, PyAny>) -> PyResult<Vec<T>> {
    let buffer = PyBuffer::<T>::get(object)?;
    let mut elements = vec![T::default(); buffer.item_count()];
    nestled_pages::prefer_huge(elements.as_ptr().cast(), size_of_val(elements.as_slice()));
    buffer.copy_to_slice(object.py(), &mut elements)?;
    Ok(elements)
}

fn shaped<T: nestled_array::Element>(elements: Vec<T>, shape: &[usize]) -> PyResult<AnyArray>
where
    AnyArray: From<Array<T>>,
{
    Ok(AnyArray::from(Array::try_new(elements, shape).or_raise()?))
}

/// The elements of an object that has the buffer protocol. Booleans come as bytes, floats of sixteen bits as `uint16`.
pub fn from_buffer(object: &Bound<'_, PyAny>, kind: Kind, shape: &[usize]) -> PyResult<AnyArray> {
    match kind {
        Kind::Bool => {
            shaped(elements::<u8>(object)?.into_iter().map(|byte| byte != 0).collect::<Vec<bool>>(), shape)
        }
        Kind::Float16 => {
            shaped(elements::<u16>(object)?.into_iter().map(F16::from_bits).collect::<Vec<F16>>(), shape)
        }
        Kind::Int8 => shaped(elements::<i8>(object)?, shape),
        Kind::Uint8 => shaped(elements::<u8>(object)?, shape),
        Kind::Int16 => shaped(elements::<i16>(object)?, shape),
        Kind::Uint16 => shaped(elements::<u16>(object)?, shape),
        Kind::Int32 => shaped(elements::<i32>(object)?, shape),
        Kind::Uint32 => shaped(elements::<u32>(object)?, shape),
        Kind::Int64 => shaped(elements::<i64>(object)?, shape),
        Kind::Uint64 => shaped(elements::<u64>(object)?, shape),
        Kind::Float32 => shaped(elements::<f32>(object)?, shape),
        Kind::Float64 => shaped(elements::<f64>(object)?, shape),
    }
}
