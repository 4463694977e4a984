//! The direct interpreter of the core: what a NESL program means.
//!
//! It is the judge of flattening, so it does everything in the plainest way: nested values, one element after another. It keeps
//! its own stack, so that recursion is bounded by memory and a limit, never by the machine's stack; a call in last position takes
//! no room, so loops of any length run.

mod effects;
pub(crate) mod lcg;
mod machine;
mod order;
mod random;
mod scalar;
mod sequence;
mod show;
mod streams;
mod value;
mod why;
mod world;

pub use effects::{elapsed, host};
pub(crate) use machine::too_deep;
pub use machine::{Limits, Settings, run};
pub use show::{Picture, Style, show};
pub use streams::Streams;
pub(crate) use value::Source;
pub use value::{Sequence, Value};
pub use why::{Called, Why};
pub use world::{End, Line, Pipes, TestWorld, World};

use crate::fault::FaultCode;
use nestled_ir::{Diagnostic, Span};

/// Why a program was stopped.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Which check.
    pub code: FaultCode,
    /// What the program said, for `error`.
    pub message: Option<String>,
    /// The innermost place in the user's program.
    pub span: Span,
    /// How it came about, as far as that is known.
    pub why: Box<Why>,
}

impl Fault {
    /// The message for people.
    pub fn diagnostic(&self) -> Diagnostic {
        let message = match &self.message {
            Some(said) => said.clone(),
            None => self.code.message().to_owned(),
        };
        self.why.say(Diagnostic::new(self.code.name(), message, self.span))
    }
}
