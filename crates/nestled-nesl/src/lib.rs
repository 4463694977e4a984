//! NESL: the front end, its core language, and flattening, which makes λcu of it.
//!
//! ```text
//! text ─ lexer ─ parser ─► ast ─ infer ─► typed ─ specialise ─► core ─┬─ flatten ─► λcu ─► engine, on a backend
//!                                                                      └─ interp, which says what is meant
//! ```
//!
//! What the language is, `docs/nesl.md` says. Everything that differs between our default and the original is asked of a
//! [`Dialect`].
#![forbid(unsafe_code)]

pub mod ast;
pub mod core;
mod dialect;
pub mod engine;
pub mod environment;
mod fault;
pub mod flatten;
pub mod infer;
pub mod interp;
mod layout;
pub mod lexer;
mod library;
pub mod parser;
pub mod primitive;
mod routine;
mod session;
pub mod specialise;
pub mod token;
mod toplevel;
pub mod typed;
pub mod types;

pub use dialect::{Dialect, Width};
pub use fault::FaultCode;
pub use infer::Checked;
pub use layout::Layout;
pub use routine::{Plain, Routine};
pub use session::{CheckedStatement, Column, Elements, Session, Shown, StatementResult};
pub use toplevel::{Flow, TopLevel, print_result};
