//! The executor: runs lowered host code, and keeps a device busy.
//!
//! Host code is serial, and the device's queue is ordered, so the executor is a plain loop over instructions. What makes it fast
//! is what it leaves out: it hashes nothing, locks nothing, and waits for nothing that it does not have to know (see [`sync`]).

mod command;
mod control;
mod datum;
mod download;
mod each;
mod host;
mod launch;
mod ledger;
mod library;
mod machine;
mod shape;
mod sums;
mod sync;
mod upload;

pub(crate) use datum::{ArrayData, Datum, DeviceBuffer, LengthsData};
pub(crate) use download::Reader;
pub(crate) use ledger::{Ledger, Purpose};
pub(crate) use machine::Machine;
pub(crate) use upload::Uploader;
