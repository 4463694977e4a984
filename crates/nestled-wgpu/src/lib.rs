//! The WebGPU device: kernels in WGSL, on any GPU that speaks Vulkan, Metal or DirectX 12, software Vulkan included.
//!
//! `adapter.rs` says what there is, `dialect.rs` what is written for it, `machine.rs` is the [`Machine`](nestled_gpu::Machine) that [`GpuDevice`] works with, `probe.rs` asks
//! it how it computes, `float_modes.rs` asks its driver how it can, `quiet.rs` keeps drivers from the terminal, `times.rs` takes the time of passes, `wait.rs` waits for what wgpu promises,
//! `reading.rs` for what was submitted; `pipelines.rs` compiles, with `spirv.rs` where modes are asked for.

mod adapter;
mod dialect;
mod exit;
mod float_modes;
mod machine;
mod open;
mod parts;
mod pipelines;
mod probe;
mod quiet;
mod reading;
#[cfg(not(target_vendor = "apple"))]
mod spirv;
mod times;
mod trouble;
mod wait;

pub use adapter::{Adapter, AdapterKind, adapters};
pub use dialect::dialect;
pub use machine::WgpuMachine;
pub use pipelines::{Compiler, Pipelines};
pub use reading::Reading;

use nestled_gpu::{GpuDevice, Queue};
use nestled_ir::interp::Interrupt;
use nestled_rt::device::DeviceError;
use quiet::quietly;

/// A GPU through wgpu.
pub type WgpuDevice = GpuDevice<WgpuMachine>;

/// How a device behaves.
#[derive(Clone, Debug, Default)]
pub struct WgpuConfig {
    /// Which adapter, by its position among [`adapters`]; by default the first that is not software, or else the first.
    pub adapter: Option<usize>,
    /// The most bytes that buffers may take.
    pub memory: Option<u64>,
    /// Whether integers and floats of 64 bits are left alone, as if the adapter had none.
    pub narrow: bool,
    /// The wish at which what the interpreter runs ends, if there may be one.
    pub interrupt: Option<Interrupt>,
}

/// An adapter, for devices of several threads.
pub type WgpuQueue = Queue<WgpuMachine>;

/// Opens a device.
///
/// # Errors
/// If there is no such adapter, or it does not work.
pub fn open(config: WgpuConfig) -> Result<WgpuDevice, DeviceError> {
    Ok(GpuDevice::beside(&open_queue(&config)?, config.interrupt))
}

/// Opens an adapter.
///
/// # Errors
/// If there is no such adapter, or it does not work.
pub fn open_queue(config: &WgpuConfig) -> Result<WgpuQueue, DeviceError> {
    let mut adapter = adapter::choose(config.adapter)?;
    if config.narrow {
        (adapter.int64, adapter.float64) = (false, false);
    }
    let machine = quietly(|| WgpuMachine::new(&adapter, config.memory))?;
    Ok(Queue::new(machine))
}
