//! The class of arrays, and what makes and computes them.
#![allow(unsafe_code)] // Python's buffer protocol.

use crate::any::{self, AnyArray, each, typed};
use crate::buffer::{self, HostBuffer};
use crate::elementwise::binary_of as operator;
use crate::engine::compute;
use crate::errors::OrRaise;
use crate::explained::{Explained, explained};
use crate::operand;
use nestled_array as lazy;
use nestled_array::{CudaMemory, Evaluate, F16};
use nestled_nested::Kind;
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::pyclass::CompareOp;
use pyo3::types::PyTuple;
use std::borrow::Cow;
use std::ffi::c_int;
use std::sync::OnceLock;

/// A lazy array: an operation on it computes nothing until somebody asks for elements. It never changes.
#[pyclass(frozen, weakref, module = "nestled")]
pub struct Array {
    pub any: AnyArray,
    /// The elements on a card, once another library was told where they lie: they stay there as long as the array.
    on_card: OnceLock<CudaMemory>,
}

impl From<AnyArray> for Array {
    fn from(any: AnyArray) -> Array {
        Array { any, on_card: OnceLock::new() }
    }
}

#[pymethods]
impl Array {
    /// The extents, outermost first.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.any.shape())
    }

    /// The number of axes.
    #[getter]
    fn ndim(&self) -> usize {
        self.any.shape().len()
    }

    /// The number of elements.
    #[getter]
    fn size(&self) -> usize {
        self.any.shape().iter().product()
    }

    /// True if the elements have been computed.
    #[getter]
    fn is_ready(&self) -> bool {
        each!(&self.any, x => x.is_ready())
    }

    /// The address of the elements on the card that computes here, for other libraries for CUDA; nothing on other devices.
    fn _cuda(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        if let Some(memory) = self.on_card.get() {
            return Ok(Some(memory.address()));
        }
        let memory = compute(py, |_| each!(&self.any, x => x.cuda_memory().or_raise()))?;
        Ok(memory.map(|memory| self.on_card.get_or_init(|| memory).address()))
    }

    /// The name of the element type.
    #[getter]
    fn _dtype(&self) -> &'static str {
        any::name(self.any.kind())
    }

    fn __add__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operator("add", slf, other)
    }

    fn __radd__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operator("add", other, slf)
    }

    fn __sub__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operator("subtract", slf, other)
    }

    fn __rsub__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operator("subtract", other, slf)
    }

    fn __mul__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operator("multiply", slf, other)
    }

    fn __rmul__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operator("multiply", other, slf)
    }

    fn __truediv__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operator("divide", slf, other)
    }

    fn __rtruediv__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operator("divide", other, slf)
    }

    fn __floordiv__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operator("floor_divide", slf, other)
    }

    fn __rfloordiv__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operator("floor_divide", other, slf)
    }

    fn __mod__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operator("remainder", slf, other)
    }

    fn __rmod__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operator("remainder", other, slf)
    }

    fn __and__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operator("bitwise_and", slf, other)
    }

    fn __rand__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operator("bitwise_and", other, slf)
    }

    fn __or__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operator("bitwise_or", slf, other)
    }

    fn __ror__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operator("bitwise_or", other, slf)
    }

    fn __xor__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operator("bitwise_xor", slf, other)
    }

    fn __rxor__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operator("bitwise_xor", other, slf)
    }

    fn __richcmp__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
        how: CompareOp,
    ) -> PyResult<Bound<'py, PyAny>> {
        let name = match how {
            CompareOp::Lt => "less",
            CompareOp::Le => "less_equal",
            CompareOp::Eq => "equal",
            CompareOp::Ne => "not_equal",
            CompareOp::Gt => "greater",
            CompareOp::Ge => "greater_equal",
        };
        operator(name, slf, other)
    }

    /// Computes the elements now, and returns the array.
    fn eval<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, Self>> {
        let any = &slf.get().any;
        if !each!(any, x => x.is_ready()) {
            compute(slf.py(), |engine| engine.eval(&[any as &dyn Evaluate]).or_raise())?;
        }
        Ok(slf.clone())
    }

    /// Computes the elements, and shows them where they lie.
    ///
    /// # Safety
    /// `view` is what Python wants filled.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        if !view.is_null() {
            // SAFETY: it is not null, so Python's; after an error there is no object in it.
            unsafe { (*view).obj = std::ptr::null_mut() };
        }
        let buffer = Bound::new(slf.py(), host(slf.py(), slf.get())?)?;
        // SAFETY: our caller promises the same.
        unsafe { HostBuffer::__getbuffer__(buffer, view, flags) }
    }
}

/// The extent that Python gives.
fn extents(shape: &[i64]) -> PyResult<Vec<usize>> {
    let extent = |&extent: &i64| {
        usize::try_from(extent)
            .map_err(|_| PyValueError::new_err(format!("{extent} is no extent of an axis")))
    };
    shape.iter().map(extent).collect()
}

/// Computes arrays together: what they share is computed once.
#[pyfunction]
fn evaluate(py: Python<'_>, arrays: Vec<PyRef<'_, Array>>) -> PyResult<()> {
    let arrays: Vec<AnyArray> = arrays.iter().map(|array| array.any.clone()).collect();
    compute(py, |engine| {
        let wanted: Vec<&dyn Evaluate> = arrays.iter().map(|array| array as &dyn Evaluate).collect();
        engine.eval(&wanted).or_raise()
    })
}

/// Copies the elements of another library's array on the first card, which its `__cuda_array_interface__` tells of.
#[pyfunction]
fn cuda_bytes(py: Python<'_>, address: u64, size: usize, stream: usize) -> PyResult<Cow<'static, [u8]>> {
    // SAFETY: the object whose interface says so keeps these bytes there; it is alive while its elements are copied.
    let bytes = py.detach(|| unsafe { nestled_cuda::read_foreign(address, size, stream) });
    bytes.map(Cow::Owned).map_err(PyBufferError::new_err)
}

/// Computes an array, and has its elements on the host.
#[pyfunction]
fn host(py: Python<'_>, x: &Array) -> PyResult<HostBuffer> {
    compute(py, |_| HostBuffer::of(&x.any))
}

/// The only element.
#[pyfunction]
fn item<'py>(py: Python<'py>, x: &Array) -> PyResult<Bound<'py, PyAny>> {
    macro_rules! found {
        ($($variant:ident)*) => {
            match &x.any {
                AnyArray::Float16(x) => {
                    let value = compute(py, |_| x.item().or_raise())?;
                    Ok(value.to_f64().into_pyobject(py)?.into_any())
                }
                AnyArray::Bool(x) => {
                    let value = compute(py, |_| x.item().or_raise())?;
                    Ok(pyo3::types::PyBool::new(py, value).to_owned().into_any())
                }
                $(AnyArray::$variant(x) => {
                    let value = compute(py, |_| x.item().or_raise())?;
                    Ok(value.into_pyobject(py)?.into_any())
                })*
            }
        };
    }
    found! { Int8 Uint8 Int16 Uint16 Int32 Uint32 Int64 Uint64 Float32 Float64 }
}

/// An array of the elements of an object with the buffer protocol, in row-major order.
#[pyfunction]
fn from_buffer(object: &Bound<'_, PyAny>, dtype: &str, shape: Vec<i64>) -> PyResult<Array> {
    Ok(buffer::from_buffer(object, any::kind(dtype)?, &extents(&shape)?)?.into())
}

/// As `from_buffer`, but the elements stay where they are, and nobody writes them; `None` if an array cannot have them there.
#[pyfunction]
fn from_memory(object: &Bound<'_, PyAny>, dtype: &str, shape: Vec<i64>) -> PyResult<Option<Array>> {
    Ok(buffer::shared(object, any::kind(dtype)?, &extents(&shape)?)?.map(Array::from))
}

/// An array whose elements are all one number.
#[pyfunction]
fn full(shape: Vec<i64>, value: &Bound<'_, PyAny>, dtype: &str) -> PyResult<Array> {
    Ok(operand::filled(value, &extents(&shape)?, any::kind(dtype)?)?.into())
}

/// The index along an axis, at each place of a shape.
#[pyfunction]
#[pyo3(signature = (shape, axis, dtype="int64"))]
fn index(shape: Vec<i64>, axis: usize, dtype: &str) -> PyResult<Array> {
    let shape = extents(&shape)?;
    if axis >= shape.len() {
        return Err(PyValueError::new_err(format!("a shape of {} axes has no axis {axis}", shape.len())));
    }
    let shape = lazy::Shape::new(&shape).or_raise()?;
    let extent = shape[axis];
    // One operation for the commonest types, as far as they have the numbers, rather than a conversion.
    let any: AnyArray = match any::kind(dtype)? {
        Kind::Int32 if extent <= i32::MAX as usize => lazy::Array::<i32>::index(&shape, axis).into(),
        Kind::Float32 if extent <= 1 << 24 => lazy::Array::<f32>::index(&shape, axis).into(),
        Kind::Float64 if extent <= 1 << 53 => lazy::Array::<f64>::index(&shape, axis).into(),
        other => AnyArray::from(lazy::Array::<i64>::index(&shape, axis)).cast(other),
    };
    Ok(any.into())
}

/// Random numbers, a function of the seed and the place: `uniform` in [0, 1), or `normal`.
#[pyfunction]
fn random(kind: &str, shape: Vec<i64>, seed: u64, dtype: &str) -> PyResult<Array> {
    let shape = lazy::Shape::new(&extents(&shape)?).or_raise()?;
    fn drawn<T: lazy::Float>(kind: &str, shape: &[usize], seed: u64) -> PyResult<lazy::Array<T>> {
        match kind {
            "uniform" => Ok(lazy::Array::uniform(shape, seed)),
            "normal" => Ok(lazy::Array::normal(shape, seed)),
            _ => Err(PyValueError::new_err(format!("there is no distribution {kind}"))),
        }
    }
    let any: AnyArray = match any::kind(dtype)? {
        Kind::Float32 => drawn::<f32>(kind, &shape, seed)?.into(),
        Kind::Float64 => drawn::<f64>(kind, &shape, seed)?.into(),
        other => return Err(PyTypeError::new_err(format!("random numbers are floats, not {other}"))),
    };
    Ok(any.into())
}

/// Random integers from `low` to `high`, both included.
#[pyfunction]
fn random_integers(shape: Vec<i64>, low: i64, high: i64, seed: u64) -> PyResult<Array> {
    if low > high {
        return Err(PyValueError::new_err(format!("there is no integer from {low} to {high}")));
    }
    let shape = lazy::Shape::new(&extents(&shape)?).or_raise()?;
    Ok(AnyArray::from(lazy::Array::random_integers(&shape, low..=high, seed)).into())
}

/// The numbers from 0 in a random order.
#[pyfunction]
fn permutation(n: usize, seed: u64) -> Array {
    AnyArray::from(lazy::Array::<i64>::permutation(n, seed)).into()
}

/// The array with elements of another type.
#[pyfunction]
fn cast(x: &Array, dtype: &str) -> PyResult<Array> {
    Ok(x.any.cast(any::kind(dtype)?).into())
}

/// The type that holds the elements of both.
#[pyfunction]
fn common_type(one: &str, other: &str) -> PyResult<&'static str> {
    Ok(any::name(any::kind(one)?.common(any::kind(other)?)))
}

/// Arrays of one type, one after another along an axis.
#[pyfunction]
fn concat(arrays: Vec<PyRef<'_, Array>>, axis: usize) -> PyResult<Array> {
    let Some(first) = arrays.first() else { return Err(PyValueError::new_err("there is no array to join")) };
    typed!(first.any.kind(), T => {
        let parts = arrays.iter().map(|array| array.any.typed::<T>()).collect::<PyResult<Vec<_>>>()?;
        Ok(AnyArray::from(lazy::try_concat(&parts, axis).or_raise()?).into())
    })
}

/// Says how arrays are computed together: their nodes, their kernels before and after fusion, and their λcu; and what runs.
#[pyfunction]
fn explain(py: Python<'_>, arrays: Vec<PyRef<'_, Array>>) -> PyResult<Explained> {
    let arrays: Vec<AnyArray> = arrays.iter().map(|array| array.any.clone()).collect();
    compute(py, |engine| {
        let wanted: Vec<&dyn Evaluate> = arrays.iter().map(|array| array as &dyn Evaluate).collect();
        Ok(explained(&engine.explain(&wanted).or_raise()?))
    })
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(evaluate, module)?)?;
    module.add_function(wrap_pyfunction!(cuda_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(host, module)?)?;
    module.add_function(wrap_pyfunction!(item, module)?)?;
    module.add_function(wrap_pyfunction!(from_buffer, module)?)?;
    module.add_function(wrap_pyfunction!(from_memory, module)?)?;
    module.add_function(wrap_pyfunction!(full, module)?)?;
    module.add_function(wrap_pyfunction!(index, module)?)?;
    module.add_function(wrap_pyfunction!(random, module)?)?;
    module.add_function(wrap_pyfunction!(random_integers, module)?)?;
    module.add_function(wrap_pyfunction!(permutation, module)?)?;
    module.add_function(wrap_pyfunction!(cast, module)?)?;
    module.add_function(wrap_pyfunction!(common_type, module)?)?;
    module.add_function(wrap_pyfunction!(concat, module)?)?;
    module.add_function(wrap_pyfunction!(explain, module)?)?;
    crate::movement::register(module)?;
    crate::fold::register(module)
}
