//! Errors of loading an object.

use std::fmt;

/// The reason why an object was not loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ObjectError {
    /// It is no ELF file at all, or of a kind that is not read here (32 bits, big-endian, Mach-O, a linked program).
    Kind(&'static str),
    /// It is an object for another processor; the number is ELF's.
    Machine(u16),
    /// A size, offset or index points outside of where it may; the words name the part.
    Malformed(&'static str),
    /// It uses something compilers may emit and this loader does not support.
    Unsupported(&'static str),
    /// A symbol is neither defined by the object nor given by the caller.
    Undefined(String),
    /// A relocation of a kind that is not known here; the number is ELF's.
    Relocation(u32),
    /// A relocated value does not fit its field.
    OutOfReach {
        /// ELF's number of the kind of relocation.
        kind: u32,
        /// The value that does not fit.
        value: i64,
    },
    /// Loaded, it would take more memory than any kernel needs.
    TooLarge(u64),
    /// The system gave no memory, or refused to make it executable.
    System(String),
}

impl fmt::Display for ObjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ObjectError::Kind(what) => write!(f, "not an ELF object: {what}"),
            ObjectError::Machine(number) => {
                write!(f, "the object is for another processor (ELF machine {number})")
            }
            ObjectError::Malformed(what) => write!(f, "malformed object: {what}"),
            ObjectError::Unsupported(what) => write!(f, "the object uses {what}, which is not supported"),
            ObjectError::Undefined(name) => write!(f, "undefined symbol `{name}`"),
            ObjectError::Relocation(kind) => write!(f, "unknown relocation {kind}"),
            ObjectError::OutOfReach { kind, value } => {
                write!(f, "the value {value:#x} of a relocation {kind} does not fit")
            }
            ObjectError::TooLarge(size) => write!(f, "the object needs {size} bytes of memory"),
            ObjectError::System(message) => write!(f, "no memory for code: {message}"),
        }
    }
}

impl std::error::Error for ObjectError {}
