//! NVRTC, which compiles CUDA C++, opened at run time.
#![allow(unsafe_code)] // Calls a foreign library.

use crate::find;
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fmt;
use std::path::PathBuf;

type Program = *mut c_void;
type Status = c_int;

/// What a module is compiled for: `sm_90` is 90.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Architecture(pub u32);

/// A module, compiled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Compiled {
    /// What the driver loads.
    pub cubin: Vec<u8>,
    /// What the assembler was given.
    pub ptx: String,
    /// What the compiler said.
    pub log: String,
    /// What each entry point takes, as the assembler told.
    pub usage: Vec<Usage>,
}

/// What an entry point takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Usage {
    /// Its name.
    pub entry: String,
    /// Registers of a thread.
    pub registers: u64,
    /// Bytes that a thread writes to memory for want of registers.
    pub spilled: u64,
}

/// How hard the compiler tries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// As hard as it can.
    Full,
    /// Less, where it can be told so: to know whether a text compiles.
    Quick,
}

/// Why there is no compiler, or why it refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NvrtcError {
    /// There is none: what was tried.
    Missing {
        /// How many places were looked at.
        tried: usize,
    },
    /// A library that lacks something.
    Broken(String),
    /// The text is refused.
    Refused(String),
}

impl fmt::Display for NvrtcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NvrtcError::Missing { tried } => write!(
                f,
                "NVRTC is in none of {tried} places; `pip install nvidia-cuda-nvrtc-cu12` brings it, and {} names another place",
                find::VARIABLE
            ),
            NvrtcError::Broken(what) => write!(f, "NVRTC cannot be used: {what}"),
            NvrtcError::Refused(log) => write!(f, "NVRTC refuses a module:\n{log}"),
        }
    }
}

impl std::error::Error for NvrtcError {}

/// The functions that are called.
struct Calls {
    version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> Status,
    create: unsafe extern "C" fn(
        *mut Program,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> Status,
    compile: unsafe extern "C" fn(Program, c_int, *const *const c_char) -> Status,
    destroy: unsafe extern "C" fn(*mut Program) -> Status,
    log_size: unsafe extern "C" fn(Program, *mut usize) -> Status,
    log: unsafe extern "C" fn(Program, *mut c_char) -> Status,
    ptx_size: unsafe extern "C" fn(Program, *mut usize) -> Status,
    ptx: unsafe extern "C" fn(Program, *mut c_char) -> Status,
    cubin_size: unsafe extern "C" fn(Program, *mut usize) -> Status,
    cubin: unsafe extern "C" fn(Program, *mut c_char) -> Status,
    error: unsafe extern "C" fn(Status) -> *const c_char,
}

/// The compiler.
pub struct Nvrtc {
    calls: Calls,
    /// Keeps the functions where they are.
    _library: Library,
    path: PathBuf,
}

impl fmt::Debug for Nvrtc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Nvrtc").field("path", &self.path).finish_non_exhaustive()
    }
}

/// A program of the library, until it is dropped.
struct Owned<'n> {
    nvrtc: &'n Nvrtc,
    program: Program,
}

impl Drop for Owned<'_> {
    fn drop(&mut self) {
        // SAFETY: `create` made the program, and nobody uses it any more.
        unsafe { (self.nvrtc.calls.destroy)(&mut self.program) };
    }
}

impl Nvrtc {
    /// Opens the first that can be opened.
    ///
    /// # Errors
    /// If there is none, or it lacks a function.
    pub fn open() -> Result<Nvrtc, NvrtcError> {
        Nvrtc::first(find::candidates())
    }

    /// Opens the one at a path.
    pub(crate) fn at(path: PathBuf) -> Result<Nvrtc, NvrtcError> {
        Nvrtc::first(vec![path])
    }

    fn first(candidates: Vec<PathBuf>) -> Result<Nvrtc, NvrtcError> {
        let tried = candidates.len();
        for path in candidates {
            // SAFETY: opening NVRTC runs nothing but its own initialisers.
            if let Ok(library) = unsafe { Library::new(&path) } {
                return Nvrtc::with(library, path);
            }
        }
        Err(NvrtcError::Missing { tried })
    }

    fn with(library: Library, path: PathBuf) -> Result<Nvrtc, NvrtcError> {
        macro_rules! call {
            ($name:literal) => {
                // SAFETY: the type of the field is that of the function in NVRTC's documentation, which has not changed since version 11.
                *unsafe { library.get(concat!($name, "\0")) }
                    .map_err(|error| NvrtcError::Broken(format!("{}: {error}", $name)))?
            };
        }
        let calls = Calls {
            version: call!("nvrtcVersion"),
            create: call!("nvrtcCreateProgram"),
            compile: call!("nvrtcCompileProgram"),
            destroy: call!("nvrtcDestroyProgram"),
            log_size: call!("nvrtcGetProgramLogSize"),
            log: call!("nvrtcGetProgramLog"),
            ptx_size: call!("nvrtcGetPTXSize"),
            ptx: call!("nvrtcGetPTX"),
            cubin_size: call!("nvrtcGetCUBINSize"),
            cubin: call!("nvrtcGetCUBIN"),
            error: call!("nvrtcGetErrorString"),
        };
        Ok(Nvrtc { calls, _library: library, path })
    }

    /// Its version, as 12 and 9.
    pub fn version(&self) -> (i32, i32) {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both pointers lead to numbers.
        unsafe { (self.calls.version)(&mut major, &mut minor) };
        (major, minor)
    }

    /// Compiles a module.
    ///
    /// # Errors
    /// What the compiler says of a text that it refuses.
    pub fn compile(
        &self,
        text: &str,
        architecture: Architecture,
        effort: Effort,
    ) -> Result<Compiled, NvrtcError> {
        let source = CString::new(text).map_err(|_| NvrtcError::Refused("a text with a zero".to_owned()))?;
        let mut owned = Owned { nvrtc: self, program: std::ptr::null_mut() };
        // SAFETY: the source ends with a zero and outlives the call; there are no headers.
        let status = unsafe {
            (self.calls.create)(
                &mut owned.program,
                source.as_ptr(),
                c"kernel.cu".as_ptr(),
                0,
                std::ptr::null(),
                std::ptr::null(),
            )
        };
        self.check(status)?;
        let options = [
            format!("--gpu-architecture=sm_{}", architecture.0),
            "--fmad=false".to_owned(),
            "--std=c++17".to_owned(),
            "--ptxas-options=-v".to_owned(),
            "--disable-warnings".to_owned(),
        ];
        let quick = effort == Effort::Quick && self.version() >= (12, 9);
        let options = options.into_iter().chain(quick.then(|| "--Ofast-compile=mid".to_owned()));
        let options: Vec<CString> = options.flat_map(CString::new).collect();
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        // SAFETY: as many options as are said, each of which ends with a zero and outlives the call.
        let status =
            unsafe { (self.calls.compile)(owned.program, pointers.len() as c_int, pointers.as_ptr()) };
        let log = self.log(&owned);
        if status != 0 {
            return Err(NvrtcError::Refused(if log.is_empty() { self.said(status) } else { log }));
        }
        let cubin = self.made(&owned, self.calls.cubin_size, self.calls.cubin)?;
        let ptx = self.made(&owned, self.calls.ptx_size, self.calls.ptx)?;
        let ptx = String::from_utf8_lossy(&ptx).trim_end_matches('\0').to_owned();
        let usage = usage(&log);
        Ok(Compiled { cubin, ptx, log, usage })
    }

    /// Something that was made of a program.
    fn made(
        &self,
        owned: &Owned<'_>,
        size_of: unsafe extern "C" fn(Program, *mut usize) -> Status,
        get: unsafe extern "C" fn(Program, *mut c_char) -> Status,
    ) -> Result<Vec<u8>, NvrtcError> {
        let mut size = 0;
        // SAFETY: the program was compiled, and the pointer leads to a number.
        self.check(unsafe { size_of(owned.program, &mut size) })?;
        let mut made = vec![0u8; size];
        // SAFETY: there is room for as many bytes as the library said.
        self.check(unsafe { get(owned.program, made.as_mut_ptr().cast()) })?;
        Ok(made)
    }

    fn log(&self, owned: &Owned<'_>) -> String {
        let mut size = 0;
        // SAFETY: the program exists, and the pointer leads to a number.
        if unsafe { (self.calls.log_size)(owned.program, &mut size) } != 0 {
            return String::new();
        }
        let mut text = vec![0u8; size];
        // SAFETY: there is room for as many bytes as the library said.
        unsafe { (self.calls.log)(owned.program, text.as_mut_ptr().cast()) };
        String::from_utf8_lossy(&text).trim_end_matches('\0').to_owned()
    }

    fn check(&self, status: Status) -> Result<(), NvrtcError> {
        if status == 0 { Ok(()) } else { Err(NvrtcError::Broken(self.said(status))) }
    }

    fn said(&self, status: Status) -> String {
        // SAFETY: the library answers with a text that ends with a zero and lives for ever.
        unsafe { CStr::from_ptr((self.calls.error)(status)) }.to_string_lossy().into_owned()
    }
}

/// What the assembler said of each entry point.
fn usage(log: &str) -> Vec<Usage> {
    let number_before = |line: &str, word: &str| -> u64 {
        let before = line.find(word).map_or("", |at| line[..at].trim_end());
        before
            .rsplit(|c: char| !c.is_ascii_digit())
            .next()
            .and_then(|digits| digits.parse().ok())
            .unwrap_or(0)
    };
    let mut found: Vec<Usage> = Vec::new();
    for line in log.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            let entry = rest.split('\'').next().unwrap_or("").to_owned();
            found.push(Usage { entry, registers: 0, spilled: 0 });
        }
        if let Some(last) = found.last_mut() {
            last.spilled += number_before(line, "bytes spill stores");
            last.registers = last.registers.max(number_before(line, "registers"));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_is_read_off_the_log() {
        let log = "ptxas info    : Compiling entry function 'run_pass0' for 'sm_90'\n\
                   ptxas info    : Function properties for run_pass0\n    \
                   0 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads\n\
                   ptxas info    : Used 16 registers, used 0 barriers\n";
        assert_eq!(usage(log), [Usage { entry: "run_pass0".into(), registers: 16, spilled: 8 }]);
    }
}
