//! The devices that can be measured.

use nestled_cpu::device::{CpuConfig, CpuDevice};
use nestled_cuda::CudaConfig;
use nestled_rt::Reference;
use nestled_rt::device::Device;
use nestled_wgpu::WgpuConfig;
use std::rc::Rc;

/// A device by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum DeviceName {
    /// This machine.
    Cpu,
    /// The reference device: it interprets, so give it tiny sizes only.
    Reference,
    /// The first card of NVIDIA's, through CUDA.
    Cuda,
    /// A GPU through WebGPU.
    Wgpu,
}

impl DeviceName {
    /// The device that is measured if none is named.
    pub const DEFAULT: DeviceName = DeviceName::Cpu;

    /// Opens the device.
    ///
    /// # Errors
    /// If there is none.
    pub fn open(self, threads: u32) -> Result<Rc<dyn Device>, String> {
        let device: Rc<dyn Device> = match self {
            DeviceName::Cpu => {
                let config = CpuConfig { threads: Some(threads as usize), ..CpuConfig::default() };
                Rc::new(CpuDevice::new(config))
            }
            DeviceName::Reference => Rc::new(Reference::default()),
            DeviceName::Cuda => {
                Rc::new(nestled_cuda::open(CudaConfig::default()).map_err(|error| error.to_string())?)
            }
            DeviceName::Wgpu => {
                Rc::new(nestled_wgpu::open(WgpuConfig::default()).map_err(|error| error.to_string())?)
            }
        };
        Ok(device)
    }
}
