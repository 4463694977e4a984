//! Shared buffers: device memory that several devices of one kind read at the same time.

use super::DeviceError;
use nestled_ir::value::Buffer;
use std::any::Any;
use std::fmt::Debug;

/// A buffer that is not written any more, so that threads may share and read it. Its memory is freed with the last reference.
pub trait SharedBuffer: Any + Debug + Send + Sync {
    /// Copies elements to the host.
    ///
    /// # Errors
    /// The buffer has fewer elements.
    fn read(&self, offset: u64, len: u64) -> Result<Buffer, DeviceError>;
}
