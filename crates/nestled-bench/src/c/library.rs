//! A library of C functions that all have one interface.
//!
//! `unsafe`: opening a library runs its initialisers, a symbol has the type that we say, and C keeps to its arrays only if it is right.
//! This holds because we compiled the library a moment ago from the C of this repository (`benches/c/bench.h` fixes the interface), and
//! each function is given the arrays that the catalog says.
#![allow(unsafe_code)]

use super::Memory;
use std::ffi::{CString, c_char, c_int, c_void};
use std::fmt;
use std::mem::ManuallyDrop;
use std::path::Path;

type Entry = unsafe extern "C" fn(*const *const c_void, *const *mut c_void, *const i64);

/// A library. It stays open to the end of the process: the threads of OpenMP wait in it for more to do.
pub struct Library {
    opened: ManuallyDrop<libloading::Library>,
    pub(super) allocate: unsafe extern "C" fn(i64) -> *mut c_void,
    pub(super) free: unsafe extern "C" fn(*mut c_void),
    threads: unsafe extern "C" fn(i64),
    pin: unsafe extern "C" fn(i64, i64),
    pin_all: unsafe extern "C" fn(),
}

/// A function of a library.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    entry: Entry,
}

impl Library {
    /// Opens a library that [`build`](super::build) made.
    pub(super) fn open(file: &Path) -> Result<Library, String> {
        // SAFETY: the library is our own; its types are those of `harness.c`. The pointers are kept beside the library.
        unsafe {
            let opened = libloading::Library::new(file).map_err(|error| error.to_string())?;
            let allocate = *opened.get(b"harness_allocate").map_err(|error| error.to_string())?;
            let free = *opened.get(b"harness_free").map_err(|error| error.to_string())?;
            let threads = *opened.get(b"harness_threads").map_err(|error| error.to_string())?;
            let pin = *opened.get(b"harness_pin").map_err(|error| error.to_string())?;
            let pin_all = *opened.get(b"harness_pin_all").map_err(|error| error.to_string())?;
            Ok(Library { opened: ManuallyDrop::new(opened), allocate, free, threads, pin, pin_all })
        }
    }

    /// Sets the number of threads that functions use from now on.
    pub fn set_threads(&self, threads: u32) {
        // SAFETY: it takes any number.
        unsafe { (self.threads)(i64::from(threads)) }
    }

    /// Keeps threads of this process that work together with the caller's on processors of their own, from the second on.
    pub fn pin(&self, threads: &[i64]) {
        for (at, &thread) in threads.iter().enumerate() {
            // SAFETY: it takes any numbers.
            unsafe { (self.pin)(thread, at as i64 + 1) }
        }
    }

    /// The same for the threads of C, with the caller's on the first processor. A new thread stays where the one was that made it; so
    /// this comes after all others were made.
    pub fn pin_own(&self) {
        // SAFETY: it can always be called.
        unsafe { (self.pin_all)() }
    }

    /// Opens a BLAS, for the functions that begin with `blas`.
    pub(super) fn open_blas(&self, file: &Path) -> Result<(), String> {
        let name = CString::new(file.as_os_str().as_encoded_bytes()).map_err(|error| error.to_string())?;
        // SAFETY: the function takes a C string. What it opens is what the user named.
        let found = unsafe {
            let open = self.opened.get::<unsafe extern "C" fn(*const c_char) -> c_int>(b"harness_blas");
            open.map_err(|error| error.to_string())?(name.as_ptr())
        };
        if found == 0 {
            Err(format!("`{}` is not a BLAS with `cblas_sgemm`", file.display()))
        } else {
            Ok(())
        }
    }

    /// The function with a name, if there is one.
    pub fn find(&self, name: &str) -> Option<Function> {
        // SAFETY: functions with our prefixes have the type of `bench.h`.
        let entry = unsafe { self.opened.get::<Entry>(name.as_bytes()) };
        entry.ok().map(|entry| Function { entry: *entry })
    }

    /// Calls a function of this library.
    pub fn call(&self, function: Function, inputs: &[Memory], outputs: &mut [Memory], sizes: &[i64]) {
        let reads: Vec<*const c_void> = inputs.iter().map(|memory| memory.pointer().cast_const()).collect();
        let writes: Vec<*mut c_void> = outputs.iter().map(Memory::pointer).collect();
        // SAFETY: all memory is alive; who made the lists of the right length and size is the catalog.
        unsafe { (function.entry)(reads.as_ptr(), writes.as_ptr(), sizes.as_ptr()) }
    }
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Library").finish_non_exhaustive()
    }
}
