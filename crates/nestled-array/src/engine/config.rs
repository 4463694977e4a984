//! How an engine behaves.

use nestled_cpu::device::CpuConfig;
use nestled_cpu::device::CpuDevice;
use nestled_rt::Reference;
use nestled_rt::device::Device;
use std::rc::Rc;

/// How an engine behaves. The default needs no set-up: all of this machine's cores.
///
/// ```
/// # use nestled_array::*;
/// let engine = Engine::new(EngineConfig { threads: Some(1), ..EngineConfig::default() });
/// assert_eq!(engine.run(|| Array::<i64>::range(4).sum().item())?, 6);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct EngineConfig {
    /// What computes.
    pub device: DeviceChoice,
    /// How many threads; by default as many as there are cores.
    pub threads: Option<usize>,
    /// Bytes that arrays may take; by default most of what the system has.
    pub memory: Option<u64>,
    /// Round exactly as the operations say: no multiplication is joined with an addition.
    pub strict: bool,
    /// Whether operations are joined into fewer kernels. Without it each node is computed by itself, for comparison.
    pub fuse: bool,
    /// How many nodes are compiled together at most. Greater graphs are computed in parts.
    pub part: usize,
}

/// What computes.
///
/// ```
/// # use nestled_array::*;
/// let judge = Engine::new(EngineConfig { device: DeviceChoice::Reference, ..EngineConfig::default() });
/// assert_eq!(judge.run(|| Array::<i64>::range(4).sum().item())?, 6);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeviceChoice {
    /// The cores of this machine.
    Cpu,
    /// The interpreter that defines what programs mean; slow.
    Reference,
}

impl Default for EngineConfig {
    fn default() -> EngineConfig {
        EngineConfig {
            device: DeviceChoice::Cpu,
            threads: None,
            memory: None,
            strict: false,
            fuse: true,
            part: 512,
        }
    }
}

impl EngineConfig {
    pub(super) fn device(&self) -> Rc<dyn Device> {
        match self.device {
            DeviceChoice::Cpu => {
                let config = CpuConfig { threads: self.threads, memory: self.memory, ..CpuConfig::default() };
                Rc::new(CpuDevice::new(config))
            }
            DeviceChoice::Reference => Rc::new(Reference::default()),
        }
    }
}
