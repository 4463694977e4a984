//! The devices that can be measured.

use nestled_cpu::device::{CpuConfig, CpuDevice};
use nestled_rt::Reference;
use nestled_rt::device::Device;
use std::rc::Rc;

/// A device by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum DeviceName {
    /// This machine.
    Cpu,
    /// The reference device: it interprets, so give it tiny sizes only.
    Reference,
}

impl DeviceName {
    /// The device that is measured if none is named.
    pub const DEFAULT: DeviceName = DeviceName::Cpu;

    /// Opens the device.
    pub fn open(self, threads: u32) -> Rc<dyn Device> {
        match self {
            DeviceName::Cpu => {
                let config = CpuConfig { threads: Some(threads as usize), ..CpuConfig::default() };
                Rc::new(CpuDevice::new(config))
            }
            DeviceName::Reference => Rc::new(Reference::default()),
        }
    }
}
