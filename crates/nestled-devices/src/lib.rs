//! Selection of the device that runs a program.
//!
//! `choice.rs` has the names of devices, `candidates.rs` enumerates those of this machine, `opened.rs` is an open device, `commons.rs` has the resources that devices of several threads share, and `devices.rs` gives each program to the
//! first device that has its types. GPUs need the features `cuda` and `wgpu`.
#![forbid(unsafe_code)]
// The types of wgpu are nested deeply.
#![recursion_limit = "256"]

mod candidates;
mod choice;
mod commons;
mod devices;
mod opened;

pub use candidates::present;
pub use choice::{BadChoice, DeviceChoice};
pub use commons::Commons;
pub use devices::{Devices, Fit};
pub use opened::{Opened, Settings, limits};
