//! NESL: front end, core language, and flattening of nested data parallelism to λcu.
//!
//! ```text
//! text ─ lexer ─ parser ─► ast ─ infer ─► typed ─ specialise ─► core ─┬─ flatten ─► λcu ─► engine, on a backend
//!                                                                      └─ interp, which says what is meant
//! ```
//!
//! The language is described in `docs/nesl.md`. Everything that differs between the default and the original depends on a [`Dialect`].
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
