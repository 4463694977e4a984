//! NESL: front end, core language, and flattening of nested data parallelism to λcu.
//!
//! ```text
//! text ─ lexer ─ parser ─► ast ─ infer ─► typed ─ specialise ─► core ─┬─ flatten ─► λcu ─► engine, on a backend
//!                                                                      └─ interp, the reference
//! ```
//!
//! The language is described in `docs/nesl.md`. Everything that differs between the default and the original depends on a [`Dialect`].
//!
//! # Files
//!
//! - `lexer.rs` and `parser/` make the syntax tree (`ast/`, which can be printed again); their depth is bounded, and one run finds several errors.
//! - `infer/` resolves names and infers types (`types/`, `typed.rs`), generalised at the top level only.
//! - `specialise/` makes the *core* (`core/`): first-order functions, one copy for each type, every value named, still nested.
//! - `interp/` is the reference interpreter of the core.
//! - `data/` translates datatypes with variants into numbers, pairs and pools, which the flattener takes, and their values at the top level.
//! - `flatten/` makes λcu of the core; its page describes the representation of values and contexts.
//! - `engine/` runs λcu on a `Backend` that the creator of a session chooses.
//! - `primitive.rs` is the table of primitives; the rest of the library is NESL text in `prelude/`.
//! - `session.rs` joins these, statement by statement.
#![forbid(unsafe_code)]

pub mod ast;
pub mod core;
mod data;
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
pub use routine::{DataVariant, Datatype, Optional, Plain, Routine};
pub use session::{CheckedStatement, Column, Elements, Session, Shown, StatementResult};
pub use toplevel::{Flow, ToVcode, TopLevel, print_result};
