//! NESL: the front end and its core language.
//!
//! ```text
//! text ─ lexer ─ parser ─► ast ─ infer ─► typed ─ specialise ─► core ─► interp
//! ```
//!
//! What the language is, `docs/nesl.md` says. Everything that differs between our default and the original is asked of a
//! [`Dialect`].
#![forbid(unsafe_code)]

pub mod ast;
mod dialect;
pub mod lexer;
pub mod parser;
pub mod token;

pub use dialect::{Dialect, Width};
