//! Selection of the device that runs a program.
//!
//! `device_name.rs` has the names of devices, `candidates.rs` enumerates those of this machine, `opened.rs` is an open device, `commons.rs` has the resources that devices of several threads share, and `select.rs` gives each program to the
//! first device that has its types. `calibrate/` measures the rates of a device, and `remembered.rs` keeps them; `timed.rs` times every launch of a device. GPUs need the features `cuda` and `wgpu`.
#![forbid(unsafe_code)]
// The types of wgpu are nested deeply.
#![recursion_limit = "256"]

pub mod calibrate;
mod candidates;
mod commons;
mod device_name;
mod opened;
mod remembered;
mod select;
mod timed;

pub use candidates::present;
pub use commons::Commons;
pub use device_name::{BadChoice, DeviceChoice};
pub use opened::{Opened, Settings, limits};
pub use remembered::{file as rates_file, problem as rates_problem};
pub use select::{Devices, Fit};
pub use timed::{Launched, Timed};
