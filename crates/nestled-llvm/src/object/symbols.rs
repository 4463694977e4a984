//! The table of symbols from outside an object.

use super::math;
use std::collections::BTreeMap;

/// Symbols that objects may use without defining them.
///
/// ```
/// use nestled_llvm::object::Symbols;
/// extern "C" fn answer() -> i32 { 42 }
/// let symbols = Symbols::c_memory().with("answer", answer as *const ());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Symbols {
    addresses: BTreeMap<String, u64>,
}

impl Symbols {
    /// No symbol at all: right for kernels that must stand alone.
    pub fn none() -> Symbols {
        Symbols::default()
    }

    /// `memcpy`, `memmove`, `memset` and `memcmp`, which a compiler may call of its own accord.
    pub fn c_memory() -> Symbols {
        Symbols::none()
            .with("memcpy", libc::memcpy as *const ())
            .with("memmove", libc::memmove as *const ())
            .with("memset", libc::memset as *const ())
            .with("memcmp", libc::memcmp as *const ())
    }

    /// With what a compiler calls on floats where the processor has no instruction: `fma` and `fmaf` on x86-64 before FMA, and
    /// `floor`, `ceil`, `trunc`, `roundeven` and theirs for `float` before SSE4.1.
    #[must_use]
    pub fn with_c_math(self) -> Symbols {
        math::functions().into_iter().fold(self, |symbols, (name, address)| symbols.with(name, address))
    }

    /// Adds one symbol; a later one of the same name replaces it.
    #[must_use]
    pub fn with(mut self, name: &str, address: *const ()) -> Symbols {
        self.addresses.insert(name.to_string(), address as u64);
        self
    }

    pub(super) fn get(&self, name: &str) -> Option<u64> {
        self.addresses.get(name).copied()
    }
}
