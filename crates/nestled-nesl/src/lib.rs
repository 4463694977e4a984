//! NESL: front end, core language, and flattening of nested data parallelism to λcu.
//!
//! ```text
//! text ─ lexer ─ parser ─► ast ─ infer ─► typed ─ specialise ─► core ─┬─ flatten ─► λcu ─► engine, on a backend
//!                                                                      └─ interp, which says what is meant
//! ```
//!
//! The language is described in `docs/nesl.md`. Everything that differs between the default and the original depends on a [`Dialect`].
//!
//! # Files
//!
//! `lexer.rs` and `parser/` make the tree (`ast/`, printable again), with bounded depth and several errors in one run. `infer/` finds names and types (`types/`, `typed.rs`) and generalises at the top
//! level. `specialise/` makes one copy per type, function values gone, in the *core* (`core/`): first-order, every value named, still nested. `interp/` runs the core directly. `flatten/` makes λcu of it
//! (its page says how values and contexts are represented), and `engine/` runs that on a `Backend` that whoever makes a session gives it. `primitive.rs` is the table of what the language cannot say
//! itself; all else of its library is NESL text in `prelude/`. `session.rs` joins these, statement after statement.
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
