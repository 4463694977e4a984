//! Memory of a card that belongs to another library.
#![allow(unsafe_code)] // Reads memory known by address.

use super::Driver;
use crate::handles::Handle;
use nestled_rt::device::DeviceError;

impl Driver {
    /// Copies memory that belongs to another library, once the stream that it is written on is done.
    ///
    /// # Safety
    /// So many bytes lie at the address, in the primary context of the first card, and the stream belongs to that, or is null.
    pub unsafe fn read_foreign(
        &self,
        address: u64,
        bytes: usize,
        stream: usize,
    ) -> Result<Vec<u8>, DeviceError> {
        let calls = &self.calls;
        let (mut device, mut context, mut own) = (0, std::ptr::null_mut(), std::ptr::null_mut());
        let mut found = vec![0u8; bytes];
        // SAFETY: handles are written where there is room for them, and so many bytes are read as our caller promises and as there is room for. A stream that is not
        // `NON_BLOCKING` waits for the default one.
        unsafe {
            self.check((calls.device)(&mut device, 0))?;
            self.check((calls.retain)(&mut context, device))?;
            let copied = self.check((calls.current)(context)).and_then(|()| {
                if stream != 0 {
                    self.check((calls.stream_wait)(stream as Handle))?;
                }
                self.check((calls.stream)(&mut own, 0))?;
                let copied = self.check((calls.download)(found.as_mut_ptr().cast(), address, bytes, own));
                let copied = copied.and_then(|()| self.check((calls.stream_wait)(own)));
                (calls.stream_destroy)(own);
                copied
            });
            (calls.release)(device);
            copied?;
        }
        Ok(found)
    }
}
