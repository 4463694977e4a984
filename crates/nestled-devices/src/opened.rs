//! A device that is open.

use crate::commons::Commons;
use crate::device_name::DeviceChoice;
use nestled_cpu::device::{CpuConfig, CpuDevice};
#[cfg(feature = "cuda")]
use nestled_cuda::{CudaConfig, CudaDevice};
use nestled_ir::interp::Interrupt;
use nestled_pass::Limits;
use nestled_rt::device::{Description, Device, DeviceError, Math};
use nestled_rt::{Reference, ReferenceConfig};
#[cfg(feature = "wgpu")]
use nestled_wgpu::{WgpuConfig, WgpuDevice};
use std::rc::Rc;

/// Settings of a device, whichever it is.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Number of CPU threads; by default that of the cores.
    pub threads: Option<usize>,
    /// The most bytes that arrays may take; by default the device's own limit.
    pub memory: Option<u64>,
    /// Resources shared with other devices: threads and memory of the CPU, for which the two fields above then say nothing, and open GPUs.
    pub commons: Option<Commons>,
    /// The freedom that CUDA has in the order of operations on floats.
    pub math: Math,
    /// True if the CPU compiles kernels before they run, and does not interpret them first. By default what the environment says.
    pub compile_first: bool,
    /// The wish at which kernels end, if there may be one.
    pub interrupt: Option<Interrupt>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            threads: None,
            memory: None,
            commons: None,
            math: Math::default(),
            compile_first: nestled_cpu::device::compile_first(),
            interrupt: None,
        }
    }
}

/// A device that is open.
#[derive(Clone)]
pub enum Opened {
    /// The cores of this machine.
    Cpu(Rc<CpuDevice>),
    /// The reference device.
    Reference(Rc<Reference>),
    /// A card through CUDA.
    #[cfg(feature = "cuda")]
    Cuda(Rc<CudaDevice>),
    /// A GPU through WebGPU.
    #[cfg(feature = "wgpu")]
    Wgpu(Rc<WgpuDevice>),
}

impl Opened {
    /// Opens a device that is named; `auto` names none.
    pub(crate) fn new(choice: DeviceChoice, settings: &Settings) -> Result<Opened, DeviceError> {
        let Settings { threads, memory, commons, compile_first, interrupt, .. } = settings.clone();
        Ok(match choice {
            DeviceChoice::Cpu | DeviceChoice::Auto => {
                let commons = commons.map(|commons| commons.cpu);
                let config =
                    CpuConfig { threads, memory, commons, compile_first, interrupt, ..CpuConfig::default() };
                Opened::Cpu(Rc::new(CpuDevice::new(config)))
            }
            DeviceChoice::Reference => {
                let defaults = ReferenceConfig::default();
                let memory = memory.unwrap_or(defaults.memory);
                Opened::Reference(Rc::new(Reference::new(ReferenceConfig { memory, interrupt, ..defaults })))
            }
            #[cfg(feature = "cuda")]
            DeviceChoice::Cuda(card) => {
                let config = CudaConfig { card, memory, math: settings.math, ..CudaConfig::default() };
                let open = || nestled_cuda::open_queue(&config);
                let queue = commons.map_or_else(open, |commons| commons.cards.get(card, open))?;
                Opened::Cuda(Rc::new(CudaDevice::beside(&queue, interrupt)))
            }
            #[cfg(feature = "wgpu")]
            DeviceChoice::Wgpu(adapter) => {
                let config = WgpuConfig { adapter, memory, ..WgpuConfig::default() };
                let open = || nestled_wgpu::open_queue(&config);
                let queue = commons.map_or_else(open, |commons| commons.adapters.get(adapter, open))?;
                Opened::Wgpu(Rc::new(WgpuDevice::beside(&queue, interrupt)))
            }
            #[cfg(not(feature = "cuda"))]
            DeviceChoice::Cuda(_) => return Err(left_out("CUDA", "cuda")),
            #[cfg(not(feature = "wgpu"))]
            DeviceChoice::Wgpu(_) => return Err(left_out("WebGPU", "wgpu")),
        })
    }

    /// The device itself.
    pub fn device(&self) -> Rc<dyn Device> {
        match self {
            Opened::Cpu(device) => Rc::clone(device) as _,
            Opened::Reference(device) => Rc::clone(device) as _,
            #[cfg(feature = "cuda")]
            Opened::Cuda(device) => Rc::clone(device) as _,
            #[cfg(feature = "wgpu")]
            Opened::Wgpu(device) => Rc::clone(device) as _,
        }
    }

    /// Its name, for people.
    pub fn name(&self) -> String {
        self.device().describe().name.clone()
    }

    /// Its name, and whether it is slow for want of something, which is looked for.
    pub fn condition(&self) -> String {
        match self {
            Opened::Cpu(device) if device.why_interpreted().is_some() => {
                format!("{}, interpreting kernels for want of LLVM", self.name())
            }
            _ => self.name(),
        }
    }

    /// True for a card with CUDA.
    pub fn is_cuda(&self) -> bool {
        match self {
            #[cfg(feature = "cuda")]
            Opened::Cuda(_) => true,
            _ => false,
        }
    }

    /// Releases memory and compiled modules that it keeps without need.
    pub fn release(&self) {
        match self {
            Opened::Cpu(device) => device.release(),
            Opened::Reference(_) => {}
            #[cfg(feature = "cuda")]
            Opened::Cuda(device) => device.release(),
            #[cfg(feature = "wgpu")]
            Opened::Wgpu(device) => device.release(),
        }
    }

    /// The device's limits, for the passes.
    pub fn limits(&self) -> Limits {
        limits(self.device().describe())
    }

    /// Counters of a GPU's work, and of the kernels that it left to the interpreter.
    #[cfg(any(feature = "cuda", feature = "wgpu"))]
    pub fn counts(&self) -> Option<nestled_gpu::Counts> {
        match self {
            Opened::Cpu(_) | Opened::Reference(_) => None,
            #[cfg(feature = "cuda")]
            Opened::Cuda(device) => Some(device.counts()),
            #[cfg(feature = "wgpu")]
            Opened::Wgpu(device) => Some(device.counts()),
        }
    }

    /// The number of launches so far that the interpreter ran although nothing had faulted; on a GPU also of native operations that the host ran. The reference device
    /// interprets all, and counts none.
    pub fn interpreted(&self) -> u64 {
        match self {
            Opened::Cpu(device) => device.interpreted(),
            Opened::Reference(_) => 0,
            #[cfg(feature = "cuda")]
            Opened::Cuda(device) => device.fallbacks(),
            #[cfg(feature = "wgpu")]
            Opened::Wgpu(device) => device.fallbacks(),
        }
    }

    /// Advice that would make it faster, if it is slow for want of something.
    pub fn hint(&self) -> Option<String> {
        match self {
            Opened::Cpu(device) => device.hint(),
            _ => None,
        }
    }
}

/// A device's limits, for the passes.
pub fn limits(description: &Description) -> Limits {
    let Description { sweeps, stages, combinators, arguments, values, private, .. } = *description;
    Limits { sweeps, stages, combinators, arguments, values, private }
}

#[cfg(not(all(feature = "cuda", feature = "wgpu")))]
fn left_out(what: &str, feature: &str) -> DeviceError {
    DeviceError::Unsupported {
        what: format!("{what} was left out when this was built"),
        help: format!("build it with the feature `{feature}`"),
    }
}
