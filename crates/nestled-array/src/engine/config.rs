//! How an engine behaves.

use crate::error::{Error, Reason, Result};
use nestled_devices::{Commons, DeviceChoice, Devices, Settings};
use nestled_ir::interp::Interrupt;
use nestled_rt::device::Math;

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
    /// What computes; by default what the variable `NESTLED_DEVICE` names, or the CPU.
    pub device: Option<DeviceChoice>,
    /// How many threads of the CPU; by default as many as there are cores.
    pub threads: Option<usize>,
    /// Bytes that arrays may take; by default most of what the device has.
    pub memory: Option<u64>,
    /// How free the last bits of floats are. `Strict` rounds exactly as the operations say: no multiplication is joined with an addition.
    pub math: Math,
    /// Whether operations are joined into fewer kernels. Without it each node is computed by itself, for comparison.
    pub fuse: bool,
    /// How many nodes are compiled together at most. Greater graphs are computed in parts.
    pub part: usize,
    /// Compilation of kernels for the CPU before they run. Without it they are interpreted until they have run for a while: the first evaluations start
    /// sooner. By default what the variable `NESTLED_COMPILE` says.
    pub compile_first: Option<bool>,
    /// How many plans are kept for graphs of the same structure. Those not used for longest go.
    pub plans: usize,
}

impl Default for EngineConfig {
    fn default() -> EngineConfig {
        EngineConfig {
            device: None,
            threads: None,
            memory: None,
            math: Math::Default,
            fuse: true,
            part: 512,
            compile_first: None,
            plans: 1024,
        }
    }
}

impl EngineConfig {
    /// On a device.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let judge = Engine::new(EngineConfig::on(DeviceChoice::Reference));
    /// assert_eq!(judge.run(|| Array::<i64>::range(4).sum().item())?, 6);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn on(device: DeviceChoice) -> EngineConfig {
        EngineConfig { device: Some(device), ..EngineConfig::default() }
    }

    fn choice(&self) -> Result<DeviceChoice> {
        self.device.map_or_else(DeviceChoice::of_environment, Ok).map_err(|error| {
            let why = format!("{}: {error}", DeviceChoice::VARIABLE);
            Error::at("eval", Reason::Device(why), None)
        })
    }

    /// True if the chosen device is one that the child of a fork may use; known without opening it.
    pub(super) fn outlives_forks(&self) -> bool {
        matches!(self.choice(), Ok(DeviceChoice::Cpu | DeviceChoice::Reference))
    }

    /// Threads and memory for all tracks.
    pub(super) fn commons(&self) -> Commons {
        Commons::new(self.threads, self.memory)
    }

    /// The devices of a track.
    pub(super) fn devices(&self, commons: &Commons, interrupt: &Interrupt) -> Result<Devices> {
        let settings = Settings {
            compile_first: self.compile_first.unwrap_or_else(|| Settings::default().compile_first),
            threads: self.threads,
            memory: self.memory,
            commons: Some(commons.clone()),
            math: self.math,
            interrupt: Some(interrupt.clone()),
        };
        Ok(Devices::new(self.choice()?, settings))
    }
}
