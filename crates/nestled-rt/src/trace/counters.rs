//! Event counters: launches, allocations, bytes copied, waits.

use super::event::{Event, Trace, When};

/// Counts events.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Kernels that were queued.
    pub launches: u64,
    /// Native operations that were queued.
    pub natives: u64,
    /// Buffers that were allocated.
    pub allocations: u64,
    /// Bytes copied to the device.
    pub bytes_in: u64,
    /// Bytes copied from the device.
    pub bytes_out: u64,
    /// Number of times the host waited.
    pub waits: u64,
}

impl Trace for Counters {
    fn event(&mut self, event: Event<'_>, _: When) {
        match event {
            Event::Launch { .. } => self.launches += 1,
            Event::Native { .. } => self.natives += 1,
            Event::Allocate { .. } => self.allocations += 1,
            Event::CopyIn { bytes, .. } => self.bytes_in += bytes,
            Event::CopyOut { bytes, .. } => {
                self.bytes_out += bytes;
                self.waits += 1;
            }
            Event::Wait { .. } => self.waits += 1,
            Event::Phase { .. }
            | Event::Pass { .. }
            | Event::Prepare { .. }
            | Event::Compile { .. }
            | Event::Free { .. } => {}
        }
    }
}
