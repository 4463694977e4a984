//! Errors and faults of devices.

use nestled_ir::SiteId;
use nestled_ir::interp::FaultKind;
use nestled_ir::value::Coordinates;
use std::fmt;

/// Why a device refused or failed. After any of these the device can still be used, but for [`DeviceError::Lost`].
#[derive(Clone, PartialEq, Debug)]
pub enum DeviceError {
    /// There is not enough memory left.
    OutOfMemory {
        /// Bytes requested.
        wanted: u64,
        /// Bytes free, where known.
        free: Option<u64>,
    },
    /// Lengths of segments add up to more than an extent can count.
    Points,
    /// The device cannot do this.
    Unsupported {
        /// The unsupported feature, in words.
        what: String,
        /// Advice to the user.
        help: String,
    },
    /// The device was interrupted on request.
    Interrupted,
    /// The device does not answer any more.
    Lost(String),
    /// Something is wrong in Nestled: a broken promise between passes, executor and device.
    Bug(String),
}

impl fmt::Display for DeviceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeviceError::OutOfMemory { wanted, free: Some(free) } => {
                write!(f, "out of memory: {wanted} bytes wanted, {free} free")
            }
            DeviceError::OutOfMemory { wanted, free: None } => {
                write!(f, "out of memory: {wanted} bytes wanted")
            }
            DeviceError::Points => write!(f, "a shape has too many points to count"),
            DeviceError::Unsupported { what, help } => write!(f, "{what} (help: {help})"),
            DeviceError::Interrupted => write!(f, "interrupted"),
            DeviceError::Lost(why) => write!(f, "the device is lost: {why}"),
            DeviceError::Bug(what) => write!(f, "bug in Nestled: {what}"),
        }
    }
}

impl std::error::Error for DeviceError {}

/// A fault as a device keeps it: the least by region, site and element.
#[derive(Clone, PartialEq, Debug)]
pub struct DeviceFault {
    /// The region of the launch.
    pub region: u64,
    /// The site.
    pub site: SiteId,
    /// The number of the point, row by row.
    pub element: u64,
    /// Its coordinates, where the device knows them.
    pub point: Coordinates,
    /// The kind of fault.
    pub kind: FaultKind,
}

impl DeviceFault {
    /// The sort key of faults: the least one is reported.
    pub fn rank(&self) -> (u64, SiteId, u64) {
        (self.region, self.site, self.element)
    }
}
