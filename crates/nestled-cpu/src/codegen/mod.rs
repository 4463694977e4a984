//! From kernels to LLVM text: W points at a time, with a mask.
//!
//! A kernel is brought into *normal form* (`normal.rs`; maps with windows are sorted, and cut where they read very many: `order.rs`, `cut.rs`), and its combinators into **nests** (`plan.rs`): loop structures that several share. What goes
//! from nest to nest lies in memory (`memory.rs`), or in rings of rows where nests run band by band (`band.rs`). Each nest becomes a few functions (`nest.rs`) that do a *piece* of the work: their loops
//! (`loops.rs`, `abreast.rs`) walk groups and rows (`frame.rs`), with a quick version where all lanes are there and no index needs a check, and a careful one; short rows of known length go without loops (`whole_rows.rs`). At W points
//! (`width.rs` says how many) combinators run their thunks (`steps.rs`), and results go to memory, to accumulators (`reduce.rs`, `ordered.rs`), to scans
//! (`scan.rs`), or to streams (`stream.rs`). Groups may also lie in the lanes: `columns.rs`, `batch.rs`, `spread.rs`; very large ones are cut (`giant.rs`). What calls these functions is [`kernel`](crate::kernel).
//!
//! `text.rs` holds the text of a function while it is written, `value.rs` what is known of a value at W points, `emit.rs` the tools, `function.rs` what a function
//! can reach; `slots.rs` and `work.rs` are what it is given. `ops` has the operations, `monoid.rs` what combines values. `point.rs` says what a thunk can read,
//! `lane.rs` what runs one: `thunk.rs` statement by statement, with `branch.rs` and `rounds.rs` for control flow, `read.rs` (`index.rs`,
//! `fetch.rs`, `slide.rs`, `edge.rs`) for reads, `private.rs`, and `check.rs` for faults; `uniform.rs` and `cost.rs` look ahead. Variables that change are `alloca`s at the entry, which
//! LLVM turns into registers.

mod abreast;
mod apply;
pub mod band;
pub mod batch;
pub mod beside;
mod branch;
mod check;
pub mod columns;
mod control;
mod cost;
mod cut;
mod edge;
pub mod emit;
pub mod fault;
mod fetch;
pub mod frame;
pub mod function;
pub mod giant;
mod index;
mod interior;
pub mod lane;
pub mod lanes;
pub mod loops;
pub mod memory;
pub mod module;
pub mod monoid;
pub mod nest;
pub mod normal;
mod ops;
mod order;
pub mod ordered;
pub mod plan;
pub mod point;
mod private;
mod read;
pub mod reduce;
pub mod risk;
mod rounds;
pub mod scan;
pub mod scatter;
mod slide;
mod slot;
pub mod slots;
mod spread;
pub mod steps;
pub mod stream;
pub mod target;
#[cfg(test)]
mod tests;
pub mod text;
mod thunk;
mod together;
mod uniform;
pub mod user;
pub mod value;
mod whole_rows;
mod width;
pub mod work;

pub use check::FAULT_FUNCTION;
pub use module::{Generated, Plan, Streamed, generate, generate_streaming};
pub use plan::result_types;
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
