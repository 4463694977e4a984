//! Errors: no LLVM was found, or LLVM does not accept a text.

use super::version::{OLDEST, Version};
use std::fmt;
use std::path::PathBuf;

/// The reason why a library was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The system could not open it.
    NotOpened(String),
    /// It is older than version 15.
    TooOld(Version),
    /// It has no function of this name, or cannot compile for this processor.
    Lacks(&'static str),
    /// It was built without support for threads.
    NoThreads,
    /// The process is about to exit.
    Ended,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::NotOpened(message) => write!(f, "{message}"),
            Refusal::TooOld(version) => {
                write!(f, "LLVM {}.{} is too old, {OLDEST} is needed", version.major, version.minor)
            }
            Refusal::Lacks(name) => write!(f, "it lacks {name}"),
            Refusal::NoThreads => write!(f, "it was built without threads"),
            Refusal::Ended => write!(f, "it is not loaded while the process ends"),
        }
    }
}

/// No LLVM was found. Its text says what to install.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadError {
    /// The value of `NESTLED_LLVM`, if it is set: then nothing else was tried.
    pub chosen: Option<PathBuf>,
    /// The libraries that exist and do not do.
    pub refused: Vec<(PathBuf, Refusal)>,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.chosen {
            Some(path) => write!(f, "the library that `NESTLED_LLVM` names does not do: {}", path.display())?,
            None => write!(f, "no LLVM was found; compiling kernels needs version {OLDEST} or newer")?,
        }
        for (path, refusal) in &self.refused {
            write!(f, "\n  {}: {refusal}", path.display())?;
        }
        match &self.chosen {
            Some(_) => {
                write!(f, "\nhelp: let it be the path of a libLLVM, or unset it to search the usual places")
            }
            None => {
                if let Some(command) = super::find::own_command() {
                    write!(f, "\nhelp: `{command}` installs one that will do; or do as follows")?;
                }
                f.write_str(HELP)
            }
        }
    }
}

const HELP: &str = "
help: install one of
    Debian, Ubuntu    apt install libllvm19    (any from 15 on)
    Fedora            dnf install llvm-libs
    Arch              pacman -S llvm-libs
    macOS             brew install llvm
    any system        the Rust toolchain from rustup: the LLVM it brings is used
  or set `NESTLED_LLVM` to the path of a libLLVM";

impl std::error::Error for LoadError {}

/// Nothing is compiled any more: the process is about to exit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ended;

impl From<Ended> for Refusal {
    fn from(_: Ended) -> Refusal {
        Refusal::Ended
    }
}

impl From<Ended> for CompileError {
    fn from(_: Ended) -> CompileError {
        CompileError { phase: Phase::Begin, message: "the process ends".to_owned(), line: None }
    }
}

/// The phase in which a compilation failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Before it began: the process is about to exit, see [`end_compilations`](crate::end_compilations).
    Begin,
    /// Reading the text.
    Parse,
    /// Verifying the parsed text.
    Verify,
    /// Setting up the code generator.
    Target,
    /// Running passes.
    Optimize,
    /// Making machine code.
    Emit,
}

/// A text that LLVM does not accept. No program should get so far: the code that wrote the text has a bug.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompileError {
    /// The phase in which it failed.
    pub phase: Phase,
    /// LLVM's message.
    pub message: String,
    /// The line of the text that LLVM complains about, counted from 1, if it could be found out.
    pub line: Option<(usize, String)>,
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let doing = match self.phase {
            Phase::Begin => "begin with",
            Phase::Parse => "read",
            Phase::Verify => "accept",
            Phase::Target => "find the processor for",
            Phase::Optimize => "optimize",
            Phase::Emit => "generate code for",
        };
        write!(f, "LLVM could not {doing} a kernel: {}", self.message)?;
        match &self.line {
            Some((number, text)) => write!(f, "\n{number:>5} | {text}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for CompileError {}
