//! Shared buffers: device memory that several devices of one kind read at the same time.

use super::DeviceError;
use nestled_ir::value::Buffer;
use std::any::Any;
use std::fmt::Debug;

/// A buffer that nobody writes any more: threads hand it around and read it at the same time. Its memory is given back with the last reference.
pub trait SharedBuffer: Any + Debug + Send + Sync {
    /// Copies elements to the host.
    ///
    /// # Errors
    /// There are not so many.
    fn read(&self, offset: u64, len: u64) -> Result<Buffer, DeviceError>;
}
