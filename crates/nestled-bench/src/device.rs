//! The devices that can be measured.

use nestled_rt::Reference;
use nestled_rt::device::Device;
use std::rc::Rc;

/// A device by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum DeviceName {
    /// The reference device: it interprets, so give it tiny sizes only.
    Reference,
}

impl DeviceName {
    /// The device that is measured if none is named.
    pub const DEFAULT: DeviceName = DeviceName::Reference;

    /// Opens the device.
    ///
    /// # Errors
    /// If it cannot be used here.
    pub fn open(self, threads: u32) -> Result<Rc<dyn Device>, String> {
        let _ = threads;
        match self {
            DeviceName::Reference => Ok(Rc::new(Reference::default())),
        }
    }
}
