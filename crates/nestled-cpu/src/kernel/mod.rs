//! Kernels as they are called: what a launch comes to once handles are resolved.

mod raw;

pub use raw::{RawArg, RawFault, RawLaunch, RawShape, RawSlice};
