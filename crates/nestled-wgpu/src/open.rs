//! Opens an adapter as a machine, and asks it how it computes.

use crate::adapter::Adapter;
use crate::dialect::{Rounding, library};
use crate::float_modes::{Mode, keep_subnormals, offered};
use crate::machine::WgpuMachine;
use crate::probe;
use nestled_rt::device::DeviceError;

impl WgpuMachine {
    /// Opens an adapter, of whose memory at most so many bytes are used.
    pub fn new(adapter: &Adapter, memory: Option<u64>) -> Result<WgpuMachine, DeviceError> {
        let mut machine = match WgpuMachine::with_modes(adapter, memory, offered(&adapter.inner)) {
            Some(machine) => machine,
            None => WgpuMachine::unprobed(adapter, memory, Vec::new())?,
        };
        let can_be_exact = adapter.int64 && adapter.float64;
        let fuses = !can_be_exact || probe::fuses(&mut machine)?;
        let divides = probe::divides(&mut machine)?;
        machine.use_library(library(Rounding { fuses, divides }));
        // The driver has compiled and run code by now: its own functions at exit are registered.
        machine.wait_at_exit();
        Ok(machine)
    }

    /// Opens an adapter whose shaders ask for modes of floats; nothing if none is offered, or what is offered does not work.
    fn with_modes(adapter: &Adapter, memory: Option<u64>, modes: Vec<Mode>) -> Option<WgpuMachine> {
        if modes.is_empty() {
            return None;
        }
        let keeps = keep_subnormals(&modes);
        let mut machine = WgpuMachine::unprobed(adapter, memory, modes).ok()?;
        let kept = probe::keeps_subnormals(&mut machine).ok()?;
        (kept || !keeps).then_some(machine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapter::choose;

    #[test]
    fn modes_that_a_driver_offers_work() {
        let Ok(adapter) = choose(None) else {
            eprintln!("SKIPPED: there is no WebGPU adapter");
            return;
        };
        let modes = offered(&adapter.inner);
        println!("{modes:?}");
        assert!(modes.is_empty() || WgpuMachine::with_modes(&adapter, Some(1 << 20), modes).is_some());
    }
}
