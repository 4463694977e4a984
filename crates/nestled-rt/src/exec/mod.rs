//! The executor: a virtual machine for lowered host code that keeps a device's queue filled.
//!
//! Host code is serial, and the device's queue is ordered, so the executor is a plain loop over instructions. It is fast because it hashes
//! nothing, locks nothing, and waits only for numbers that it needs (see [`sync`]).

mod call;
mod command;
mod control;
mod datum;
mod download;
mod each;
mod host;
mod instances;
mod launch;
mod length_sums;
mod library;
mod live_buffers;
mod machine;
mod reading;
mod size_bounds;
mod sync;
mod upload;

pub(crate) use datum::{ArrayData, Datum, DeviceBuffer, LengthsData};
pub(crate) use download::Reader;
pub(crate) use live_buffers::{LiveBuffers, Purpose};
pub(crate) use machine::Machine;
pub(crate) use upload::{Uploader, cell_at};
