//! How an adapter computes where WGSL leaves it open.

use crate::machine::WgpuMachine;
use nestled_gpu::device::{Block, Dispatch, Machine};
use nestled_rt::device::DeviceError;

const TEXT: &str = "
@group(0) @binding(0) var<storage, read_write> heap: array<u32>;
@group(0) @binding(1) var<storage, read_write> atoms: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> params: array<u32>;

@compute @workgroup_size(1)
fn probe() {
  let a = bitcast<f32>(params[1]);
  let b = bitcast<f32>(params[2]);
  heap[params[0]] = bitcast<u32>(fma(a, a, b));
}
";

/// Whether `fma` rounds once.
pub(crate) fn fuses(machine: &mut WgpuMachine) -> Result<bool, DeviceError> {
    let (a, b) = (1.0f32 + 1.0 / 4096.0, -(1.0f32 + 1.0 / 2048.0));
    let code = machine.pipelines(TEXT, &["probe"])?;
    let address = machine.allocate(4)?;
    let words = vec![(address / 4) as u32, a.to_bits(), b.to_bits(), 0];
    let dispatches = vec![Dispatch { entry: 0, groups: 1 }];
    machine.run(&code, &Block { words, copies: Vec::new(), dispatches })?;
    let found = machine.read(&[(address, 1)])?;
    machine.free(address, 4);
    Ok(found == [a.mul_add(a, b).to_bits()])
}
