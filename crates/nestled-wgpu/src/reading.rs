//! Waits for submitted work without the machine, so that other threads can use it meanwhile, or asks whether it is done.

use crate::trouble::Trouble;
use nestled_rt::device::DeviceError;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use wgpu::{Buffer, Device, MapMode, PollType, Queue, SubmissionIndex};

/// Submitted work, and a staging buffer that is read afterwards.
#[derive(Debug)]
pub struct Reading {
    device: Device,
    queue: Queue,
    trouble: Arc<Trouble>,
    last: Option<SubmissionIndex>,
    staging: Option<(Buffer, u64)>,
    /// Receives a message when the buffer is mapped or, once somebody asks and there is no buffer, when the work is done.
    done: Option<Receiver<Result<(), String>>>,
    /// Whoever asked last.
    asks: Asks,
    words: Vec<u32>,
}

/// Woken when the work is done.
type Asks = Arc<Mutex<Option<Waker>>>;

fn wake(asks: &Asks) {
    let waker = asks.lock().unwrap_or_else(PoisonError::into_inner).take();
    waker.into_iter().for_each(Waker::wake);
}

const UNREAD: &str = "nothing is read";

fn lost(error: String) -> DeviceError {
    DeviceError::Lost(error)
}

/// Another thread that polls may run the callback of this one, a little later.
const PATIENCE: Duration = Duration::from_millis(1);

impl Reading {
    /// Begins to map a buffer. Its bytes replace the contents of `words`.
    pub(crate) fn new(
        device: Device,
        queue: Queue,
        trouble: Arc<Trouble>,
        last: Option<SubmissionIndex>,
        staging: Option<(Buffer, u64)>,
        mut words: Vec<u32>,
    ) -> Reading {
        words.clear();
        let asks = Asks::default();
        let done = staging.as_ref().map(|(buffer, total)| {
            let (tell, done) = channel();
            let asks = Arc::clone(&asks);
            buffer.slice(..*total).map_async(MapMode::Read, move |outcome| {
                // Nobody listens where an error came first.
                let _ = tell.send(outcome.map_err(|error| error.to_string()));
                wake(&asks);
            });
            done
        });
        Reading { device, queue, trouble, last, staging, done, asks, words }
    }

    /// Waits, and reads.
    pub(crate) fn wait(&mut self) -> Result<(), DeviceError> {
        loop {
            if let Some(last) = &self.last {
                let poll = PollType::Wait { submission_index: Some(last.clone()), timeout: None };
                self.device.poll(poll).map_err(|error| lost(error.to_string()))?;
            }
            self.trouble.check()?;
            match self.done.as_ref().map(|done| done.recv_timeout(PATIENCE)) {
                None => return Ok(()),
                Some(Ok(outcome)) => break outcome.map_err(lost)?,
                Some(Err(RecvTimeoutError::Timeout)) => {}
                Some(Err(RecvTimeoutError::Disconnected)) => return Err(lost(UNREAD.to_owned())),
            }
        }
        self.read()
    }

    /// Reads, if the work is done. A browser wakes who asks; elsewhere asking is what makes progress, so it asks again at once.
    pub(crate) fn poll(&mut self, context: &Context<'_>) -> Poll<Result<(), DeviceError>> {
        if self.last.is_none() && self.staging.is_none() {
            return Poll::Ready(Ok(()));
        }
        *self.asks.lock().unwrap_or_else(PoisonError::into_inner) = Some(context.waker().clone());
        self.listen();
        self.device.poll(PollType::Poll).map_err(|error| lost(error.to_string()))?;
        self.trouble.check()?;
        match self.done.as_ref().map(Receiver::try_recv) {
            Some(Ok(outcome)) => {
                outcome.map_err(lost)?;
                Poll::Ready(self.read())
            }
            Some(Err(TryRecvError::Disconnected)) => Poll::Ready(Err(lost(UNREAD.to_owned()))),
            Some(Err(TryRecvError::Empty)) | None => {
                if cfg!(not(target_family = "wasm")) {
                    wake(&self.asks);
                }
                Poll::Pending
            }
        }
    }

    /// Has somebody tell when the work is done, where there is no buffer that is mapped then.
    fn listen(&mut self) {
        if self.done.is_none() {
            let (tell, done) = channel();
            let asks = Arc::clone(&self.asks);
            self.queue.on_submitted_work_done(move || {
                let _ = tell.send(Ok(()));
                wake(&asks);
            });
            self.done = Some(done);
        }
    }

    /// Reads the buffer that is mapped.
    fn read(&mut self) -> Result<(), DeviceError> {
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
