//! Random programs in NESL: flattened programs are compared with the interpreter of the core.
//!
//! - [`tree`]: programs as trees, which can be printed and made smaller.
//! - [`mod@generate`]: well-typed ones from a seed, with nesting, recursion, conditionals, empty and skewed data, and faults.
//! - [`mod@compare`]: one of them, on every engine.
//! - [`mod@reduce`]: one that fails, made small.

pub mod compare;
pub mod generate;
pub mod reduce;
pub mod tree;

pub use compare::{Besides, Verdict, compare};
pub use generate::{generate, generate_data};
pub use reduce::reduce;
