//! Interpreters of the process: the package is for the main one. Others would share engines and arrays with it, and not their locks.
#![allow(unsafe_code)] // Asks which interpreter runs.

use pyo3::exceptions::PyImportError;
use pyo3::ffi;
use pyo3::prelude::*;

/// An error in any interpreter but the main one.
pub fn refuse_others(_py: Python<'_>) -> PyResult<()> {
    // SAFETY: this thread runs an interpreter, as `_py` says.
    match unsafe { ffi::PyInterpreterState_GetID(ffi::PyInterpreterState_Get()) } {
        0 => Ok(()),
        _ => Err(PyImportError::new_err(
            "nestled works in the main interpreter only, not in subinterpreters: use threads, which compute at once, or processes",
        )),
    }
}
