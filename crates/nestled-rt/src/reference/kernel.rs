//! Runs one launch by the reference interpreter.

use super::State;
use super::memory::Memory;
use super::queue::OwnedLaunch;
use crate::device::{Cell, DeviceError, DeviceFault, LaunchMemory, Operands, Slice, interpret, launch_meter};
use nestled_ir::Scalar;
use nestled_ir::interp::{Fault, Meter};
use nestled_ir::value::Buffer;
use std::sync::Arc;

impl LaunchMemory for Memory {
    fn read(&self, slice: Slice) -> Result<Arc<Buffer>, DeviceError> {
        self.read(slice)
    }

    fn number(&self, cell: Cell) -> Result<Scalar, DeviceError> {
        self.number(cell)
    }

    fn written(&self, slice: Slice) -> Result<u64, DeviceError> {
        self.written(slice)
    }

    fn limit(&self) -> u64 {
        self.limit()
    }
}

impl State {
    pub(super) fn run_launch(&mut self, launch: &OwnedLaunch) -> Result<(), DeviceError> {
        match self.try_launch(launch) {
            // What follows a fault may be called with values that the program never meant.
            Err(DeviceError::Bug(_)) if self.fault.is_some() => {
                launch.results.iter().try_for_each(|&slice| self.memory.spoil(slice))
            }
            outcome => outcome,
        }
    }

    fn try_launch(&mut self, launch: &OwnedLaunch) -> Result<(), DeviceError> {
        let place = self.kernels.get(launch.kernel.0 as usize);
        let forgotten = || DeviceError::Bug("a kernel that was forgotten".to_owned());
        let (program, id) = place.and_then(Option::as_ref).ok_or_else(forgotten)?;
        let OwnedLaunch { shapes, args, results, .. } = launch;
        let operands = Operands { shapes, args, results };
        let run = interpret(&self.memory, program, *id, None, operands, &mut self.meter())?;
        for (data, &slice) in run.results.into_iter().zip(results) {
            self.memory.write(slice, data)?;
        }
        if let Some(fault) = run.fault {
            let Fault { site, element, point, kind, span: _ } = fault;
            self.note(DeviceFault { region: launch.region, site, element, point, kind });
        }
        Ok(())
    }

    pub(super) fn meter(&self) -> Meter {
        launch_meter(self.memory.limit(), u64::MAX, self.interrupt.as_ref())
    }
}
