//! Arrow's C interface between packages of Python (the PyCapsule interface), and files of tables.
//!
//! `unsafe` is the interface itself: a capsule of the right name holds what the name says, and its owner vouches for the memory behind it.
#![allow(unsafe_code)]

use crate::engine::{compute, within};
use crate::errors::OrRaise;
use crate::nested::Nested;
use nestled_arrow::ffi::{self, FFI_ArrowArray, FFI_ArrowArrayStream, FFI_ArrowSchema};
use nestled_arrow::{Pieces, Scan, scan};
use nestled_nested as nested;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::ffi::CStr;
use std::path::PathBuf;
use std::ptr::NonNull;
use std::sync::Mutex;

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// What a capsule of a name leads to.
fn pointer<T>(capsule: &Bound<'_, PyCapsule>, name: &CStr) -> PyResult<NonNull<T>> {
    Ok(capsule.pointer_checked(Some(name))?.cast())
}

/// Nested data of the capsules that `__arrow_c_array__` gives.
#[pyfunction]
fn from_arrow_array(schema: &Bound<'_, PyCapsule>, array: &Bound<'_, PyCapsule>) -> PyResult<Nested> {
    let (schema, array) =
        (pointer::<FFI_ArrowSchema>(schema, SCHEMA)?, pointer::<FFI_ArrowArray>(array, ARRAY)?);
    // SAFETY: a capsule of this name holds the structure, whose content moves here: what stays behind counts as released.
    let array = unsafe { FFI_ArrowArray::from_raw(array.as_ptr()) };
    // SAFETY: likewise; the type stays the capsule's, which lives as long as this call.
    let made = unsafe { ffi::from_ffi(array, schema.as_ref()) };
    Ok(made.or_raise()?.into())
}

/// Nested data of all that the capsule of `__arrow_c_stream__` gives.
#[pyfunction]
fn from_arrow_stream(stream: &Bound<'_, PyCapsule>) -> PyResult<Nested> {
    let stream = pointer::<FFI_ArrowArrayStream>(stream, STREAM)?;
    // SAFETY: a capsule of this name holds the structure, whose content moves here: what stays behind counts as released.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.as_ptr()) };
    // SAFETY: who made the capsule vouches for it.
    Ok(unsafe { ffi::read_stream(stream) }.or_raise()?.into())
}

/// The capsules of a type and of an array.
type Capsules<'py> = (Bound<'py, PyCapsule>, Bound<'py, PyCapsule>);

/// The capsules of the type and the elements, for `__arrow_c_array__`.
#[pyfunction]
fn to_arrow_array<'py>(py: Python<'py>, x: &Nested) -> PyResult<Capsules<'py>> {
    let (array, schema) = compute(py, |_| ffi::to_ffi(&x.nested).or_raise())?;
    Ok((PyCapsule::new_with_value(py, schema, SCHEMA)?, PyCapsule::new_with_value(py, array, ARRAY)?))
}

/// The capsule of a stream of one table, for `__arrow_c_stream__`.
#[pyfunction]
fn to_arrow_stream<'py>(py: Python<'py>, x: &Nested) -> PyResult<Bound<'py, PyCapsule>> {
    let stream = compute(py, |_| ffi::to_stream([x.nested.clone()]).or_raise())?;
    PyCapsule::new_with_value(py, stream, STREAM)
}

/// A file of a table, of which some columns are wanted, by their names or paths.
fn opened(path: PathBuf, columns: Option<Vec<String>>) -> nested::Result<Scan> {
    let table = scan(path)?;
    Ok(match columns {
        None => table,
        Some(columns) => table.columns(columns),
    })
}

/// The rows of a file: Parquet, Feather, CSV, JSON lines.
#[pyfunction]
fn read_table(py: Python<'_>, path: PathBuf, columns: Option<Vec<String>>) -> PyResult<Nested> {
    let read = py.detach(|| within(|_| opened(path, columns)?.read()));
    Ok(read.or_raise()?.into())
}

/// Writes rows to a file, whose name says of which format.
#[pyfunction]
fn write_table(py: Python<'_>, path: PathBuf, x: &Nested) -> PyResult<()> {
    compute(py, |_| nestled_arrow::write(&path, &x.nested).or_raise())
}

/// The schema of the rows of a file, and how many there are, if the file says it.
#[pyfunction]
fn table_schema(py: Python<'_>, path: PathBuf) -> PyResult<(String, Option<usize>)> {
    let table = py.detach(|| scan(path)).or_raise()?;
    Ok((table.schema().or_raise()?.to_string(), table.row_count()))
}

/// The rows of a file, piece after piece; the next is read while one is computed with.
#[pyclass(frozen, module = "nestled")]
pub struct TablePieces {
    pieces: Mutex<Pieces>,
}

#[pymethods]
impl TablePieces {
    #[new]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        columns: Option<Vec<String>>,
        rows: Option<usize>,
    ) -> PyResult<TablePieces> {
        if rows == Some(0) {
            return Err(PyValueError::new_err("a piece has at least one row"));
        }
        let pieces = py.detach(|| {
            let table = opened(path, columns)?;
            let table = match rows {
                None => table,
                Some(rows) => table.rows(rows),
            };
            table.pieces()
        });
        Ok(TablePieces { pieces: Mutex::new(pieces.or_raise()?) })
    }

    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Nested>> {
        let next = py.detach(|| within(|_| nestled_fork::lock(&self.pieces).next()));
        Ok(next.transpose().or_raise()?.map(Nested::from))
    }
}

/// Adds what is here to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<TablePieces>()?;
    module.add_function(wrap_pyfunction!(from_arrow_array, module)?)?;
    module.add_function(wrap_pyfunction!(from_arrow_stream, module)?)?;
    module.add_function(wrap_pyfunction!(to_arrow_array, module)?)?;
    module.add_function(wrap_pyfunction!(to_arrow_stream, module)?)?;
    module.add_function(wrap_pyfunction!(read_table, module)?)?;
    module.add_function(wrap_pyfunction!(write_table, module)?)?;
    module.add_function(wrap_pyfunction!(table_schema, module)?)
}
