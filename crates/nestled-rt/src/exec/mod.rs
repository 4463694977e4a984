//! The executor: a virtual machine for lowered host code that keeps a device's queue filled.
//!
//! Host code is serial, and the device's queue is ordered, so the executor is a plain loop over instructions. It is fast because it hashes
//! nothing, locks nothing, and waits only for numbers that it needs (see [`sync`]). Where it waits it can stop, and be taken up again (see [`wait`]): what may wait is a future. The path of a launch
//! is none; it goes on as a future only where the host has to wait ([`pause`]).

mod call;
mod command;
mod control;
mod datum;
mod download;
mod each;
mod host;
mod instances;
mod known;
mod launch;
mod length_sums;
mod library;
mod live_buffers;
mod machine;
mod offsets;
mod pause;
mod reading;
mod size_bounds;
mod sync;
mod turn;
mod upload;
mod wait;

pub(crate) use datum::{ArrayData, Datum, DeviceBuffer, LengthsData};
pub(crate) use download::Reader;
pub(crate) use live_buffers::{LiveBuffers, Purpose};
pub(crate) use machine::Machine;
pub(crate) use turn::InTurn;
pub(crate) use upload::{Uploader, cell_at};
pub(crate) use wait::{Wait, at_once};
