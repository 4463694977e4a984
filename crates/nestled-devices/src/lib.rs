//! Selection of the device that runs a program.
//!
//! `choice.rs` has the names of devices, `candidates.rs` enumerates those of this machine, `opened.rs` is an open device, and `devices.rs` gives each program to the
//! first device that has its types. GPUs need the features `cuda` and `wgpu`.
#![forbid(unsafe_code)]

mod candidates;
mod choice;
mod devices;
mod opened;

pub use candidates::present;
pub use choice::{BadChoice, DeviceChoice};
pub use devices::{Devices, Fit};
pub use nestled_cpu::device::Commons;
pub use opened::{Opened, Settings, limits};
