//! Execution of compiled kernels: runs a launch, with its handles resolved, on the threads of a pool.
//!
//! A *launch* (`raw.rs`: pointers and numbers) fills the table of slots (`launch_table.rs`) and runs the nests of the kernel's plan one after another
//! (`launch.rs`); their shared state is in `running.rs`. A nest (`nest.rs`) is cut into *pieces* (`pieces.rs`), each a call of compiled code: `whole.rs` and
//! `two_phase_scan.rs` (with scans) cut positions, `groups.rs` groups, `band.rs` rows of several nests at once; `serial.rs` has one piece. Streams of pieces
//! are moved to their final places by `compact.rs`, `fixed_order.rs` and `partition_points.rs`, or in a single pass by `single_pass_filter.rs`; `scatter_destination.rs` has the
//! destinations of scatters, and `privatised_tables.rs` the copies of them that threads combine in. `call.rs` is the only place that calls compiled
//! code, and states its preconditions.
//!
//! Files depend on those below them, never on each other.

mod band;
mod call;
mod compact;
mod groups;
mod launch;
mod launch_table;
mod loaded;
mod measured_cost;
mod nest;
mod nontemporal;
mod one_thread;
mod ordered_scatter;
mod parallel;
mod partition_points;
mod piece_buffers;
mod pieces;
mod privatised_tables;
mod raw;
mod rows;
mod running;
mod scatter_destination;
mod scratch;
mod serial;
mod shared;
mod single_pass_filter;
mod sizes;
mod streams;
mod thresholds;
mod turns;
mod two_phase_scan;
mod whole;
mod workspace;

pub use loaded::LoadedKernel;
pub use nontemporal::wanted as wants_streaming;
pub use one_thread::OneThreadTime;
pub use raw::{RawArg, RawFault, RawLaunch, RawShape, RawSlice};
pub use scratch::{NoMemory, Scratch};
pub use sizes::coordinates;
pub use thresholds::Thresholds;
pub use workspace::Workspace;
