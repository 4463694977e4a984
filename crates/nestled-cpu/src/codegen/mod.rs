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
mod index;
pub mod lane;
pub mod monoid;
mod ops;
pub mod point;
mod private;
mod read;
mod rounds;
mod slot;
pub mod target;
#[cfg(test)]
mod tests;
pub mod text;
mod thunk;
mod uniform;
pub mod value;

pub use check::FAULT_FUNCTION;

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
