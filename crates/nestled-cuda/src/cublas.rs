//! cuBLAS, opened at run time where it is there: products of matrices of floats.
//!
//! Its matrices lie column after column, ours row after row, so that it sees each of ours turned over: `C = A × B` is `Cᵀ = Bᵀ × Aᵀ` there, and nothing is copied. It computes
//! with what the type has (no shorter floats inside), each stream with a handle and a piece of memory of its own, which is what the library asks of those who want
//! the same bits every time.
#![allow(unsafe_code)] // Calls a foreign library.

use crate::driver::Context;
use crate::find;
use crate::handles::Handle;
use crate::stream_order::STREAMS;
use libloading::Library;
use nestled_ir::ScalarType;
use nestled_rt::device::DeviceError;
use std::ffi::{c_int, c_void};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

type Status = c_int;

/// Neither of the two is turned over.
const PLAIN: c_int = 0;
/// Only what IEEE allows.
const PEDANTIC: c_int = 2;
const MAJOR: c_int = 0;
const MINOR: c_int = 1;
/// Bytes that the library may use on each stream: as many as it takes by itself on the newest cards.
const WORKSPACE: u64 = 32 << 20;

macro_rules! product {
    ($number:ty) => {
        unsafe extern "C" fn(
            Handle,
            c_int,
            c_int,
            c_int,
            c_int,
            c_int,
            *const $number,
            *const c_void,
            c_int,
            *const c_void,
            c_int,
            *const $number,
            *mut c_void,
            c_int,
        ) -> Status
    };
}

/// The functions that are called.
struct Calls {
    create: unsafe extern "C" fn(*mut Handle) -> Status,
    destroy: unsafe extern "C" fn(Handle) -> Status,
    property: unsafe extern "C" fn(c_int, *mut c_int) -> Status,
    stream: unsafe extern "C" fn(Handle, Handle) -> Status,
    math: unsafe extern "C" fn(Handle, c_int) -> Status,
    workspace: unsafe extern "C" fn(Handle, *mut c_void, usize) -> Status,
    singles: product!(f32),
    doubles: product!(f64),
}

/// The library.
pub(crate) struct Cublas {
    calls: Calls,
    /// Keeps the functions where they are.
    _library: Library,
}

impl fmt::Debug for Cublas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cublas").finish_non_exhaustive()
    }
}

/// A product: `[n, k] × [k, m]`, row after row. All sizes are at least 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matrices {
    /// The type: `f32` or `f64`.
    pub elem: ScalarType,
    /// Where they lie.
    pub left: u64,
    /// See `left`.
    pub right: u64,
    /// See `left`.
    pub product: u64,
    /// n, k and m.
    pub sizes: [c_int; 3],
}

impl Cublas {
    /// Opens the first that can be opened; only that at a path, if one is said.
    pub fn open(at: Option<&Path>) -> Option<Cublas> {
        let places = at.map_or_else(find::cublas, |path| vec![path.to_owned()]);
        places.iter().find_map(|path| {
            // SAFETY: opening cuBLAS runs nothing but its own initialisers.
            let library = unsafe { Library::new(path) }.ok()?;
            Cublas::with(library)
        })
    }

    fn with(library: Library) -> Option<Cublas> {
        macro_rules! call {
            ($name:literal) => {
                // SAFETY: the type of the field is that of the function in the library's documentation; the ending of a name is its version.
                *unsafe { library.get(concat!($name, "\0")) }.ok()?
            };
        }
        let calls = Calls {
            create: call!("cublasCreate_v2"),
            destroy: call!("cublasDestroy_v2"),
            property: call!("cublasGetProperty"),
            stream: call!("cublasSetStream_v2"),
            math: call!("cublasSetMathMode"),
            workspace: call!("cublasSetWorkspace_v2"),
            singles: call!("cublasSgemm_v2"),
            doubles: call!("cublasDgemm_v2"),
        };
        Some(Cublas { calls, _library: library })
    }

    /// Its version, as 12 and 9.
    pub fn version(&self) -> (c_int, c_int) {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both pointers lead to numbers.
        unsafe {
            (self.calls.property)(MAJOR, &mut major);
            (self.calls.property)(MINOR, &mut minor);
        }
        (major, minor)
    }
}

/// A handle, and its memory.
#[derive(Debug)]
struct Ready {
    handle: Handle,
    workspace: u64,
}

// SAFETY: a handle of the library's may go from thread to thread; one thread at a time has the machine that it is part of.
unsafe impl Send for Ready {}

/// The library on a card.
#[derive(Debug)]
pub(crate) struct Products {
    cublas: Cublas,
    context: Arc<Context>,
    /// Made when a stream is first given a product.
    ready: [Option<Ready>; STREAMS],
}

impl Products {
    /// On a card.
    pub fn new(cublas: Cublas, context: Arc<Context>) -> Products {
        Products { cublas, context, ready: [const { None }; STREAMS] }
    }

    /// Sees to it that a stream has a handle; answers whether it has.
    pub fn prepare(&mut self, stream: usize) -> Result<bool, DeviceError> {
        if self.ready[stream].is_none() {
            self.context.enter()?;
            self.ready[stream] = self.handle(stream)?;
        }
        Ok(self.ready[stream].is_some())
    }

    /// Queues a product on a stream that is prepared; answers whether the library could do it.
    pub fn run(&mut self, stream: usize, matrices: &Matrices) -> Result<bool, DeviceError> {
        self.context.enter()?;
        let Some(Ready { handle, .. }) = self.ready[stream] else { return Ok(false) };
        let Matrices { elem, left, right, product, sizes: [n, k, m] } = *matrices;
        let (left, right, product) = (left as *const c_void, right as *const c_void, product as *mut c_void);
        macro_rules! call {
            ($function:ident, $number:ty) => {{
                let (one, zero): ($number, $number) = (1.0, 0.0);
                // SAFETY: the handle lives; the matrices are memory of the card of these sizes, and both numbers are read before this returns.
                unsafe {
                    (self.cublas.calls.$function)(
                        handle, PLAIN, PLAIN, m, n, k, &one, right, m, left, k, &zero, product, m,
                    )
                }
            }};
        }
        let status = match elem {
            ScalarType::F32 => call!(singles, f32),
            ScalarType::F64 => call!(doubles, f64),
            _ => return Ok(false),
        };
        Ok(status == 0)
    }

    /// A handle for a stream, if the library makes one.
    fn handle(&self, stream: usize) -> Result<Option<Ready>, DeviceError> {
        let workspace = match self.context.allocate(WORKSPACE) {
            Err(DeviceError::OutOfMemory { .. }) => return Ok(None),
            outcome => outcome?,
        };
        self.context.after(stream, 0)?;
        let mut handle = std::ptr::null_mut();
        let calls = &self.cublas.calls;
        // SAFETY: the handle is written where there is room for it, and used only if it was made; the memory is the card's, and stays until the handle is gone.
        let made = unsafe {
            (calls.create)(&mut handle) == 0
                && (calls.stream)(handle, self.context.stream(stream)) == 0
                && (calls.workspace)(handle, workspace as *mut c_void, WORKSPACE as usize) == 0
                && (calls.math)(handle, PEDANTIC) == 0
        };
        let ready = Ready { handle, workspace };
        if made {
            return Ok(Some(ready));
        }
        self.end(&ready);
        Ok(None)
    }

    fn end(&self, ready: &Ready) {
        if !ready.handle.is_null() {
            // SAFETY: the handle was made, and is not used again.
            unsafe { (self.cublas.calls.destroy)(ready.handle) };
        }
        self.context.free(0, ready.workspace);
    }
}

impl Drop for Products {
    /// The machine has waited for all streams before.
    fn drop(&mut self) {
        if self.context.enter().is_ok() {
            let ready = std::mem::replace(&mut self.ready, [const { None }; STREAMS]);
            ready.iter().flatten().for_each(|ready| self.end(ready));
        }
    }
}
