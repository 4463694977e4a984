//! Launches on the interpreter, tile by tile: without LLVM, for constructs unsupported by code generation, after a fault, and before a kernel is compiled.

use super::memory::Memory;
use nestled_ir::interp::{Fault, Meter, TileCode};
use nestled_ir::value::Buffer;
use nestled_ir::{KernelId, Program, Scalar};
use nestled_rt::device::{Cell, DeviceError, Launch, LaunchMemory, Operands, Slice, interpret};
use std::sync::Arc;

impl LaunchMemory for Memory {
    fn read(&self, slice: Slice) -> Result<Arc<Buffer>, DeviceError> {
        self.read(slice).map(Arc::new)
    }

    fn number(&self, cell: Cell) -> Result<Scalar, DeviceError> {
        self.number(cell)
    }

    fn limit(&self) -> u64 {
        self.limit()
    }
}

/// Runs a launch and returns the least fault.
pub(super) fn launch(
    memory: &mut Memory,
    program: &Program,
    kernel: KernelId,
    tiles: &TileCode,
    launch: &Launch<'_>,
    meter: &mut Meter,
) -> Result<Option<Fault>, DeviceError> {
    let operands = Operands { shapes: launch.shapes, args: launch.args, results: launch.results };
    let run = interpret(memory, program, kernel, Some(tiles), operands, meter)?;
    for (data, &slice) in run.results.iter().zip(launch.results) {
        memory.write(slice, data)?;
    }
    Ok(run.fault)
}
