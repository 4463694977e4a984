//! Memory of Python's objects as elements of arrays, read where it lies.
//!
//! **Invariant.** Giving a view back may run code of Python's. So it happens in no thread that computes, and under no lock of ours: views that are not needed any more wait until the
//! interpreter calls us.
#![allow(unsafe_code)] // A view's bytes are read without the interpreter, which is asked to call back.

use nestled_fork as fork;
use pyo3::buffer::PyUntypedBuffer;
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::{c_int, c_void};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// The bytes of an object with the buffer protocol, which stays alive as long as this.
pub struct View {
    /// Nothing while it is given back.
    buffer: Option<PyUntypedBuffer>,
    start: usize,
    size: usize,
}

/// Views that nobody needs any more.
static WAITING: Mutex<Vec<PyUntypedBuffer>> = Mutex::new(Vec::new());

/// True if the interpreter has been asked to call.
static ASKED: AtomicBool = AtomicBool::new(false);

impl View {
    /// A view of an object whose elements lie one after another; nothing if they do not.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Option<View>> {
        drop(take());
        let buffer = PyUntypedBuffer::get(object)?;
        let (start, size) = (buffer.buf_ptr() as usize, buffer.len_bytes());
        Ok(buffer.is_c_contiguous().then_some(View { buffer: Some(buffer), start, size }))
    }
}

impl AsRef<[u8]> for View {
    fn as_ref(&self) -> &[u8] {
        if self.size == 0 {
            return &[];
        }
        // SAFETY: the object keeps so many bytes there while the view is held; whoever gave it to us promised not to write them.
        unsafe { std::slice::from_raw_parts(self.start as *const u8, self.size) }
    }
}

impl Drop for View {
    fn drop(&mut self) {
        let Some(buffer) = self.buffer.take() else { return };
        fork::lock(&WAITING).push(buffer);
        // SAFETY: both may be called by any thread, with the interpreter's lock or without.
        unsafe {
            if ffi::Py_IsInitialized() != 0 && !ASKED.swap(true, Ordering::AcqRel) {
                let is_asked = ffi::Py_AddPendingCall(Some(give_back), std::ptr::null_mut()) == 0;
                ASKED.store(is_asked, Ordering::Release);
            }
        }
    }
}

fn take() -> Vec<PyUntypedBuffer> {
    std::mem::take(&mut *fork::lock(&WAITING))
}

/// Gives back what waits. The interpreter calls it, with its lock.
extern "C" fn give_back(_: *mut c_void) -> c_int {
    ASKED.store(false, Ordering::Release);
    drop(take());
    0
}
