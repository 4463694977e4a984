//! Kernels as they are called: what a launch comes to once handles are resolved, and how compiled code does it.

mod band;
mod groups;
mod launch;
mod leave;
mod loaded;
mod ordered;
mod partition;
mod past;
mod placing;
mod raw;
mod scratch;
mod serial;
mod sizes;
mod target;
mod thresholds;

pub use launch::Workspace;
pub use loaded::LoadedKernel;
pub use past::wanted as wants_streaming;
pub use raw::{RawArg, RawFault, RawLaunch, RawShape, RawSlice};
pub use scratch::{NoMemory, Scratch};
pub use sizes::coordinates;
pub use thresholds::Thresholds;
