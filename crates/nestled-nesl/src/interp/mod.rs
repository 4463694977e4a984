//! The reference interpreter of the core, which defines the meaning of NESL programs.
//!
//! It is the oracle for flattening, so it is written as simply as possible: nested values, one element after another. It keeps an explicit stack, so recursion
//! is bounded by memory and a limit, never by the machine's stack. Tail calls take no stack, so loops of any length run.

mod circumstances;
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
mod world;

pub use circumstances::{Called, Circumstances};
pub use effects::{elapsed, host};
pub(crate) use machine::too_deep;
pub use machine::{Limits, Settings, run};
pub use show::{Picture, Style, show};
pub use streams::Streams;
pub(crate) use value::Source;
pub use value::{Node, Sequence, Value};
pub use world::{End, Line, Pipes, TestWorld, World};

use crate::fault::FaultCode;
use nestled_ir::{Diagnostic, Span};

/// A fault: the reason why a program was stopped.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The failed check.
    pub code: FaultCode,
    /// The program's own message, for `error`.
    pub message: Option<String>,
    /// The innermost place in the user's program.
    pub span: Span,
    /// The circumstances of the fault, as far as they are known.
    pub why: Box<Circumstances>,
}

impl Fault {
    /// Returns the message for the user.
    pub fn diagnostic(&self) -> Diagnostic {
        let message = match &self.message {
            Some(said) => said.clone(),
            None => self.code.message().to_owned(),
        };
        self.why.say(Diagnostic::new(self.code.name(), message, self.span))
    }
}
