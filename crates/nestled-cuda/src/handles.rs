//! Handles of the driver, which may move between threads.
#![allow(unsafe_code)] // Says that pointers may go from thread to thread.

use std::ffi::c_void;

/// A handle of the driver's: a context, stream, module, function or pool.
pub(crate) type Handle = *mut c_void;

/// A module that the card has.
#[derive(Debug)]
pub(crate) struct Loaded(pub Handle);

/// A place in the work of a stream, and when it came there.
#[derive(Debug)]
pub(crate) struct Mark(pub Handle);

/// An entry point of a module; it lives as long as the module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Function(pub Handle);

// SAFETY: handles of the driver's, which are good in any thread that has made their context its own; every call that takes one does.
unsafe impl Send for Loaded {}
// SAFETY: as above.
unsafe impl Sync for Loaded {}
// SAFETY: as above.
unsafe impl Send for Mark {}
// SAFETY: as above.
unsafe impl Sync for Mark {}
// SAFETY: as above.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}
