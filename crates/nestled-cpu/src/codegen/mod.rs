//! The code generator: lowering of kernels to LLVM text, vectorised at W points under a mask.
//!
//! The input is a [plan](nestled_kernel::Plan): which combinators share a **nest** of loops, how each nest is scheduled, and where values live. Each nest
//! becomes a few functions (`nest.rs`) that do one *piece* of the work: their loops walk groups (`groups.rs`) and rows (`frame.rs`, `segment_search.rs`,
//! `sweeps.rs`, `loops.rs`) by the strategies of the plan, with an interior version (`interior_range.rs`: all lanes present, no index checks) and a
//! boundary version under a mask. Larger strategies have files of their own: interleaved tiles (`interleave.rs`), jammed rows (`jam.rs`), packed rows
//! (`pack.rs`), unrolled rows (`unroll.rs`); for groups, transposed batches (`transpose.rs`, `square.rs`, `row_totals.rs`, `flat_rows.rs`, `short_groups.rs`, `broadcast.rs`), vectors across groups (`across_groups.rs`,
//! `column.rs`, `group_block.rs`), interleaved groups (`interleave_groups.rs`), split groups (`split_groups.rs`). At W points (`visit.rs`) combinators
//! run their thunks (`steps.rs`), and results go to memory, to rings of rows (`ring.rs`), or to sinks (`sinks.rs`): accumulators (`reduce.rs`,
//! `fixed_order.rs`), scans (`scan.rs`, `scan_points.rs`, `scan_steps.rs`, `scan_carry.rs`), or streams (`stream.rs`). What reductions come to at groups
//! is bound there (`results.rs`). The generated functions
//! are called by [`kernel`](crate::kernel).
//!
//! `text.rs` holds the text of a function during emission, `value.rs` the static knowledge about a value at W points (uniform, linear, varying),
//! `emit.rs` the instruction emitter, `mask_parts.rs` masks of several registers, `function.rs` the values in reach of a function; `launch_table.rs` and `work.rs` define its parameters. `ops` has the
//! operations, `monoid.rs` the monoids. `point.rs` defines the values that a thunk can read, `lane.rs` its interface; `thunk/` emits it statement by
//! statement. Mutable variables are `alloca`s at the entry, which LLVM promotes to registers.

pub mod across_groups;
mod apply;
mod broadcast;
mod code_tables;
pub mod column;
mod compress;
mod control;
pub mod emit;
pub mod fault;
pub mod fixed_order;
mod flat_rows;
pub mod frame;
pub mod function;
mod function_merging;
mod group_block;
mod groups;
mod interior_range;
mod interleave;
mod interleave_groups;
pub mod jam;
pub mod lane;
pub mod lane_groups;
pub mod launch_table;
pub mod loops;
mod mask_parts;
pub mod module;
pub mod monoid;
mod narrower;
pub mod nest;
mod ops;
mod pack;
pub mod point;
pub mod reduce;
pub mod results;
pub mod ring;
mod row_stack;
mod row_totals;
pub mod scan;
mod scan_carry;
mod scan_points;
mod scan_steps;
pub mod scatter;
mod segment_search;
mod short_groups;
mod sinks;
pub mod split_groups;
mod square;
pub mod steps;
pub mod stream;
mod sweeps;
pub mod target;
#[cfg(test)]
mod tests;
pub mod text;
mod thunk;
pub mod transpose;
mod unroll;
pub mod user;
pub mod value;
mod variable;
pub mod visit;
pub mod work;

pub use code_tables::{CodeTables, PrivateSize};
pub use module::{Generated, Plan, Streamed, generate, generate_streaming, write};
pub use nestled_kernel::{Target, result_types};
pub use target::host;
pub use thunk::FAULT_FUNCTION;

use std::fmt;

/// Maximum number of statements of a thunk after calls are expanded.
const MAX_STATEMENTS: u64 = 100_000;

/// The reason why no code can be generated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsupported {
    /// The unsupported construct.
    pub what: String,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no code can be made for {}", self.what)
    }
}

impl std::error::Error for Unsupported {}
