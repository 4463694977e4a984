//! Opens an adapter as a machine, and asks it how it computes.

use crate::adapter::Adapter;
use crate::dialect::{Rounding, library};
use crate::machine::WgpuMachine;
use crate::probe;
use nestled_rt::device::DeviceError;

impl WgpuMachine {
    /// Opens an adapter, of whose memory at most so many bytes are used.
    pub fn new(adapter: &Adapter, memory: Option<u64>) -> Result<WgpuMachine, DeviceError> {
        let mut machine = WgpuMachine::unprobed(adapter, memory)?;
        let can_be_exact = adapter.int64 && adapter.float64;
        let fuses = !can_be_exact || probe::fuses(&mut machine)?;
        let divides = probe::divides(&mut machine)?;
        machine.use_library(library(Rounding { fuses, divides }));
        // The driver has compiled and run code by now: its own functions at exit are registered.
        machine.wait_at_exit();
        Ok(machine)
    }
}
