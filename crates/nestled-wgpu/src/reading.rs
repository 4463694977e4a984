//! Waits for submitted work without the machine, so that other threads can use it meanwhile.

use crate::trouble::Trouble;
use nestled_rt::device::DeviceError;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;
use wgpu::{Buffer, Device, MapMode, PollType, SubmissionIndex};

/// Submitted work, and a staging buffer that is read afterwards.
#[derive(Debug)]
pub struct Reading {
    device: Device,
    trouble: Arc<Trouble>,
    last: Option<SubmissionIndex>,
    staging: Option<(Buffer, u64)>,
    /// Receives a message when the buffer is mapped.
    mapped: Option<Receiver<Result<(), String>>>,
    words: Vec<u32>,
}

/// Another thread that polls may run the callback of this one, a little later.
const PATIENCE: Duration = Duration::from_millis(1);

impl Reading {
    /// Begins to map a buffer. Its bytes replace the contents of `words`.
    pub(crate) fn new(
        device: Device,
        trouble: Arc<Trouble>,
        last: Option<SubmissionIndex>,
        staging: Option<(Buffer, u64)>,
        mut words: Vec<u32>,
    ) -> Reading {
        words.clear();
        let mapped = staging.as_ref().map(|(buffer, total)| {
            let (tell, mapped) = channel();
            buffer.slice(..*total).map_async(MapMode::Read, move |outcome| {
                // Nobody listens where an error came first.
                let _ = tell.send(outcome.map_err(|error| error.to_string()));
            });
            mapped
        });
        Reading { device, trouble, last, staging, mapped, words }
    }

    /// Waits, and reads.
    pub(crate) fn wait(&mut self) -> Result<(), DeviceError> {
        let lost = |error: String| DeviceError::Lost(error);
        loop {
            if let Some(last) = &self.last {
                let poll = PollType::Wait { submission_index: Some(last.clone()), timeout: None };
                self.device.poll(poll).map_err(|error| lost(error.to_string()))?;
            }
            self.trouble.check()?;
            match self.mapped.as_ref().map(|mapped| mapped.recv_timeout(PATIENCE)) {
                None => return Ok(()),
                Some(Ok(outcome)) => break outcome.map_err(lost)?,
                Some(Err(RecvTimeoutError::Timeout)) => {}
                Some(Err(RecvTimeoutError::Disconnected)) => return Err(lost("nothing is read".to_owned())),
            }
        }
        let Some((staging, total)) = &self.staging else { return Ok(()) };
        {
            let view = staging.slice(..*total).get_mapped_range();
            let view = view.map_err(|error| lost(error.to_string()))?;
            let words = view.chunks_exact(4);
            self.words
                .extend(words.map(|bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])));
        }
        staging.unmap();
        Ok(())
    }

    /// Returns the buffer, for another reading, and the words.
    pub(crate) fn end(self) -> (Option<Buffer>, Vec<u32>) {
        (self.staging.map(|(buffer, _)| buffer), self.words)
    }
}
