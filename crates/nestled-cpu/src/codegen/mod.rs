//! From kernels to LLVM text: W points at a time, with a mask.
//!
//! `text.rs` holds the text of a function while it is written, `value.rs` what is known of a value at W points, `emit.rs` the tools.
//! `ops` has the operations, `monoid.rs` what combines values. `point.rs` says what a thunk can read, `lane.rs` what runs one: `thunk.rs`
//! statement by statement, with `branch.rs` and `rounds.rs` for control flow, `read.rs` (`index.rs`, `fetch.rs`) for reads,
//! `private.rs`, and `check.rs` for faults; `uniform.rs` and `cost.rs` look ahead. Variables that change are `alloca`s at the entry, which LLVM's `mem2reg` turns
//! into registers.

mod branch;
mod check;
mod cost;
pub mod emit;
pub mod fault;
mod fetch;
pub mod frame;
pub mod function;
mod index;
pub mod lane;
pub mod loops;
pub mod memory;
pub mod module;
pub mod monoid;
pub mod nest;
pub mod normal;
mod ops;
pub mod ordered;
pub mod plan;
pub mod point;
mod private;
mod read;
pub mod reduce;
mod rounds;
pub mod scan;
mod slot;
pub mod slots;
pub mod steps;
pub mod stream;
pub mod target;
#[cfg(test)]
mod tests;
pub mod text;
mod thunk;
mod uniform;
pub mod user;
pub mod value;
mod width;
pub mod work;

pub use check::FAULT_FUNCTION;
pub use module::{Generated, Plan, generate, generate_streaming};
pub use target::Target;

use std::fmt;

/// The most statements that a thunk may have once calls are expanded.
const MAX_STATEMENTS: u64 = 100_000;

/// Something that there is no code for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsupported {
    /// What it is.
    pub what: String,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no code can be made for {}", self.what)
    }
}

impl std::error::Error for Unsupported {}
