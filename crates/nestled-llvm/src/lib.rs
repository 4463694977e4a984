//! Bindings to LLVM, found at run time and used through its C interface. Building Nestled needs no LLVM; running kernels on the CPU does.
//!
//! ```
//! use nestled_llvm::{CompileOptions, Llvm};
//! use nestled_llvm::object::{Code, Symbols};
//!
//! let llvm = Llvm::load()?;
//! let text = "define i64 @twice(i64 %n) { %m = shl i64 %n, 1
//!                                         ret i64 %m }";
//! let object = llvm.compile(text, &CompileOptions::default())?;
//! let code = Code::load(&object, &Symbols::none())?;
//! let twice = code.function("twice").expect("it is in the text");
//! // SAFETY: the text above gives it this type, and `code` outlives the call.
//! let twice: extern "C" fn(i64) -> i64 = unsafe { std::mem::transmute(twice) };
//! assert_eq!(twice(21), 42);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The search order: `NESTLED_LLVM` (the path of a library; then nothing else is tried), the system's libraries, the Rust toolchains', and those that the process names by
//! [`also_search`]. The library of Python's `llvmlite` will do, too (`llvmlite.rs`).
//! Versions from 15 on will do; 15 and 22 are the ones we test. The C interface and text were chosen because some thirty functions
//! have not changed in these years; the C++ interface changes twice a year and wants the headers of one version.
//!
//! Code generation is told the features this processor really has, as found by asking it, and makes position-independent ELF objects, free of
//! outside symbols as long as the text uses no intrinsic that becomes a call (of those, `memcpy` and its kin are in
//! [`Symbols::c_memory`](object::Symbols::c_memory)).
//!
//! **Fatal errors.** A few uses still end the process, because LLVM's code generator reports them only by a fatal error, such as an intrinsic that exists
//! for other processors only. The verifier passes them; texts we write must not have them. An unknown `"tune-cpu"` is
//! only a warning, which LLVM prints itself.
//!
//! # Cost
//! Milliseconds, best of several, by `cargo run --release -p nestled-llvm --example compile_kernels` on 2 virtual cores, AVX-512, busy
//! with other work at the time.
//!
//! | | LLVM 22.1, Rust's | LLVM 15, Debian's |
//! |---|---|---|
//! | open the library, register processors | 5.4 | 24 |
//! | find it (`rustc` not asked) | 2 | 2 |
//! | compile a loop of ten instructions, no pass | 1.4 | 2.0 |
//! | the same, with `early-cse,function(loop-vectorize,instcombine,simplifycfg)` | 3.7 | 4.5 |
//! | the same, with `default<O2>` | 5.0 | 5.9 |
//! | Black-Scholes in explicit vectors, `always-inline` only | 4.3 | 5.5 |
//! | the same, with `default<O2>` | 7.1 | 13 |
//! | [load](object::Code::load) an object | 0.006 | 0.007 |
//! | from the key of an object on disk to the return of the first call | 0.011 | 0.013 |
//! | put an object into the cache on disk | 0.06 | 0.12 |
//! | price ten million options (the kernel above, one thread) | 42 | 44 |
//!
//! The first compilation in a process takes some 3 to 10 ms more, while pages of the library come in.

mod api;
mod compile;
mod error;
mod exit;
mod features;
mod find;
mod library;
mod llvmlite;
mod owned;
mod version;

pub mod object;

pub use error::{CompileError, LoadError, Phase, Refusal};
pub use exit::end_compilations;
pub use features::processor_features;
pub use find::also_search;
pub use version::{OLDEST, Version};

use std::ffi::CString;
use std::fmt;
use std::path::{Path, PathBuf};

/// An LLVM. It can be cloned and shared freely; compilations on several threads do not disturb each other.
#[derive(Clone)]
pub struct Llvm {
    loaded: &'static library::Loaded,
    features: CString,
}

/// Options of a compilation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompileOptions {
    /// Passes in the words of `opt -passes=`, such as `default<O2>` or `early-cse,instcombine`; none if empty. Write
    /// plain `instcombine` for every version.
    pub passes: String,
    /// The optimisation level of the code generator, 0 to 3.
    pub level: u8,
    /// The processor to generate code for.
    pub processor: Processor,
}

/// The processor to generate code for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Processor {
    /// This processor, with all its features.
    Host,
    /// This one, as if its vectors had at most so many bits. On x86: below 512 without AVX-512; below 256 without AVX and all that came
    /// with it (FMA, F16C), but with SSE4.2 if it is there. Elsewhere the same as [`Processor::Host`].
    HostNarrowed {
        /// 128, 256 or 512.
        vector_bits: u32,
    },
    /// The plainest of the x86-64 family.
    PlainX86_64,
    /// The plainest of the AArch64 family.
    PlainAArch64,
}

impl Default for CompileOptions {
    /// No pass, level 2, for this processor: right for texts with explicit vectors.
    fn default() -> CompileOptions {
        CompileOptions { passes: String::new(), level: 2, processor: Processor::Host }
    }
}

impl Llvm {
    /// Finds an LLVM: the one `NESTLED_LLVM` names, or else the first of the usual places that will do.
    ///
    /// # Errors
    /// [`LoadError`], whose text says what was tried and what to install.
    pub fn load() -> Result<Llvm, LoadError> {
        let chosen = find::chosen();
        let paths: Box<dyn Iterator<Item = PathBuf>> = match &chosen {
            Some(path) => Box::new(std::iter::once(path.clone())),
            None => Box::new(find::candidates()),
        };
        let mut refused = Vec::new();
        for path in paths {
            match Llvm::open(&path) {
                Ok(llvm) => return Ok(llvm),
                Err(refusal) => refused.push((path, refusal)),
            }
        }
        Err(LoadError { chosen, refused })
    }

    /// Opens the LLVM in one file.
    ///
    /// # Errors
    /// The reason why it will not do.
    pub fn open(path: &Path) -> Result<Llvm, Refusal> {
        let _compiling = exit::Compiling::begin()?;
        let loaded = library::open(path)?;
        Ok(Llvm { loaded, features: features::host_features(loaded.version.major) })
    }

    /// Opens every LLVM that can be found, in the order in which [`Llvm::load`] tries them, with the reason where one will not do.
    #[must_use]
    pub fn all() -> Vec<(PathBuf, Result<Llvm, Refusal>)> {
        let paths = find::chosen().into_iter().chain(find::candidates());
        paths.map(|path| (path.clone(), Llvm::open(&path))).collect()
    }

    /// Its version.
    #[must_use]
    pub fn version(&self) -> Version {
        self.loaded.version
    }

    /// The file it is in.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.loaded.path
    }

    /// The features of this processor, as code is generated for them: `+avx2,+fma,…`. They belong into the key of cached objects.
    #[must_use]
    pub fn features(&self) -> &str {
        self.features.to_str().unwrap_or_default()
    }

    /// LLVM's name for this processor. Only good for tuning (`"tune-cpu"`): [`Llvm::features`] has its capabilities.
    #[must_use]
    pub fn cpu_name(&self) -> String {
        owned::host_cpu_name(&self.loaded.api)
    }
}

impl fmt::Debug for Llvm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LLVM {} at {}", self.version(), self.path().display())
    }
}

#[cfg(test)]
mod tests;
