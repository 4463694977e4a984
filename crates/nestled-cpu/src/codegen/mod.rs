//! From kernels to LLVM text: W points at a time, with a mask.
//!
//! What is written is a [plan](nestled_kernel::Plan): which combinators share a **nest** of loops, how each nest is scheduled, and where values lie. Each nest becomes a few functions
//! (`nest.rs`) that do a *piece* of the work: their loops walk groups (`groups.rs`) and rows (`frame.rs`, `sweeps.rs`, `loops.rs`) by the strategies of the plan, with a quick version where all lanes are there and
//! no index needs a check, and a careful one. Strategies that take more text have files: interleaved tiles (`abreast.rs`), jammed rows (`beside.rs`), packed rows
//! (`together.rs`), unrolled rows (`whole_rows.rs`); of groups, transposed batches (`batch.rs`, `spread.rs`), groups in the lanes (`columns.rs`), split groups (`giant.rs`). At W points
//! combinators run their thunks (`steps.rs`), and results go to memory, to rings of rows (`ring.rs`), to accumulators (`reduce.rs`, `ordered.rs`), to scans
//! (`scan.rs`), or to streams (`stream.rs`). What calls these functions is [`kernel`](crate::kernel).
//!
//! `text.rs` holds the text of a function while it is written, `value.rs` what is known of a value at W points, `emit.rs` the tools, `function.rs` what a function
//! can reach; `slots.rs` and `work.rs` are what it is given. `ops` has the operations, `monoid.rs` what combines values. `point.rs` says what a thunk can read,
//! `lane.rs` what runs one: `thunk.rs` statement by statement, with `branch.rs` and `rounds.rs` for control flow, `read.rs` (`index.rs`,
//! `fetch.rs`, `slide.rs`, `edge.rs`) for reads, `private.rs`, and `check.rs` for faults. Variables that change are `alloca`s at the entry, which
//! LLVM turns into registers.

mod abreast;
mod apply;
pub mod batch;
pub mod beside;
mod branch;
mod check;
pub mod columns;
mod control;
mod edge;
pub mod emit;
pub mod fault;
mod fetch;
pub mod frame;
pub mod function;
pub mod giant;
mod groups;
mod index;
mod interior;
pub mod lane;
pub mod lanes;
pub mod loops;
pub mod module;
pub mod monoid;
pub mod nest;
mod ops;
pub mod ordered;
pub mod point;
mod private;
mod range;
mod read;
pub mod reduce;
pub mod ring;
mod rounds;
pub mod scan;
pub mod scatter;
mod slide;
mod slot;
pub mod slots;
mod spread;
pub mod steps;
pub mod stream;
mod sweeps;
pub mod target;
#[cfg(test)]
mod tests;
pub mod text;
mod thunk;
mod together;
pub mod user;
pub mod value;
mod whole_rows;
pub mod work;

pub use check::FAULT_FUNCTION;
pub use module::{Generated, Plan, Streamed, generate, generate_streaming};
pub use nestled_kernel::{Target, result_types};
pub use target::host;

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
