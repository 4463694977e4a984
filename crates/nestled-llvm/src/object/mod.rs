//! Loads relocatable objects into memory, so that a compiled kernel can be called with no linker and no compiler present.
//!
//! An object is an ELF file of x86-64 or AArch64 as compilers emit it: `elf` reads it, `layout` gives each section its place,
//! `link` patches the bytes, and `memory` has the one mapping that takes them. Pages are writable while they are filled, and
//! executable afterwards, never both.
//!
//! | Section | Pages |
//! |---|---|
//! | code, and the stubs | read, execute |
//! | constants | read |
//! | variables (`.data`, `.bss`) | read, write |
//!
//! Symbols an object does not define come from a table the caller gives ([`Symbols`]). They may lie anywhere in memory: a call reaches
//! them through a *stub* of 16 bytes beside the code, whose second half is the address; the same word serves as the entry of the
//! global offset table that position-independent code may ask for.
//!
//! **Bytes are never trusted.** Every offset, size, index and range is checked, so a damaged object gives an [`ObjectError`]. What
//! *cannot* be checked is whether the instructions are good: calling a function of an object is as unsafe as calling C.
//!
//! Exception tables (`.eh_frame`) are left out, since kernels do not unwind.
//!
//! Loading a kernel takes some 7 µs (2 virtual cores, AVX-512; the [table](crate#cost) has more).
//!
//! ```
//! use nestled_llvm::object::{Code, Symbols};
//! let error = Code::load(b"not an object", &Symbols::none()).unwrap_err();
//! assert_eq!(error.to_string(), "not an ELF object: the first bytes differ");
//! ```

mod aarch64;
mod bytes;
mod code;
mod elf;
mod error;
mod fields;
mod layout;
mod link;
mod math;
mod memory;
mod symbols;
mod x86_64;

pub use code::Code;
pub use error::ObjectError;
pub use symbols::Symbols;

#[cfg(test)]
mod tests;
