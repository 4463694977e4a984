//! Kernels as they are called: what a launch comes to once handles are resolved, and how compiled code does it.
//!
//! A *launch* (`raw.rs`: pointers and numbers) fills the table of slots (`slots.rs`) and runs the nests of the kernel's plan one after another (`launch.rs`); what they share meanwhile
//! is in `running.rs`. A nest (`nest.rs`) is cut into *pieces*, each a call of compiled code: `whole.rs` and `chained.rs` (with scans) cut positions,
//! `groups.rs` groups, `band.rs` rows of several nests at once, `serial.rs` nothing. What pieces append to streams is moved to where it belongs by `leave.rs`, `ordered.rs` and
//! `partition.rs`, or at once by `placing.rs`; `target.rs` has the destinations that pieces write into. `call.rs` is the one place where compiled code is called, and says what
//! must hold then.
//!
//! Files know those below them, never each other.

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
