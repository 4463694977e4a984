//! Execution of compiled kernels: runs a launch, with its handles resolved, on the threads of a pool.
//!
//! A *launch* (`raw.rs`: pointers and numbers) fills the table of slots (`slots.rs`) and runs the nests of the kernel's plan one after another
//! (`launch.rs`); their shared state is in `running.rs`. A nest (`nest.rs`) is cut into *pieces*, each a call of compiled code: `whole.rs` and
//! `chained.rs` (with scans) cut positions, `groups.rs` groups, `band.rs` rows of several nests at once; `serial.rs` has one piece. Streams of pieces
//! are moved to their final places by `leave.rs`, `ordered.rs` and `partition.rs`, or in a single pass by `placing.rs`; `target.rs` has the
//! destinations of scatters. `call.rs` is the only place that calls compiled code, and states its preconditions.
//!
//! Files depend on those below them, never on each other.

mod band;
mod call;
mod chained;
mod groups;
mod launch;
mod leave;
mod loaded;
mod nest;
mod ordered;
mod parallel;
mod partition;
mod past;
mod placing;
mod raw;
mod rooms;
mod rows;
mod running;
mod scratch;
mod serial;
mod shared;
mod sizes;
mod slots;
mod streams;
mod target;
mod thresholds;
mod turns;
mod whole;
mod workspace;

pub use loaded::LoadedKernel;
pub use past::wanted as wants_streaming;
pub use raw::{RawArg, RawFault, RawLaunch, RawShape, RawSlice};
pub use scratch::{NoMemory, Scratch};
pub use sizes::coordinates;
pub use thresholds::Thresholds;
pub use workspace::Workspace;
