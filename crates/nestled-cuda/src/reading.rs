//! Waits for streams without the machine, so that other threads can use it meanwhile, or asks whether they have come so far.

use crate::driver::Context;
use crate::handles::Mark;
use crate::stream_order::{Reached, STREAMS};
use nestled_rt::device::DeviceError;
use std::sync::Arc;
use std::task::{Context as Poller, Poll};

/// Events of streams, and words of the host that the card reads or writes until these events.
#[derive(Debug)]
pub struct Reading {
    context: Arc<Context>,
    marks: [Option<Mark>; STREAMS],
    /// Turns that are over then.
    pub(crate) reached: Reached,
    words: Vec<u32>,
    is_over: bool,
}

impl Reading {
    /// Takes the words before a copy of them is queued, so that they stay in place if an error follows.
    pub(crate) fn new(context: Arc<Context>, words: Vec<u32>) -> Reading {
        let marks = [const { None }; STREAMS];
        Reading { context, marks, reached: Reached::default(), words, is_over: false }
    }

    /// The words.
    pub(crate) fn words(&mut self) -> &mut [u32] {
        &mut self.words
    }

    /// Adds the event of a stream.
    pub(crate) fn add(&mut self, stream: usize, mark: Mark, reached: Reached) {
        self.marks[stream] = Some(mark);
        self.reached = self.reached.and(reached);
    }

    /// Waits.
    pub(crate) fn wait(&mut self) -> Result<(), DeviceError> {
        for mark in self.marks.iter().flatten() {
            self.context.come(mark)?;
        }
        self.is_over = true;
        Ok(())
    }

    /// Asks whether it is over. Asking is all that there is without a thread, so whoever asks is woken at once.
    pub(crate) fn poll(&mut self, poller: &Poller<'_>) -> Poll<Result<(), DeviceError>> {
        for mark in self.marks.iter().flatten() {
            if !self.context.has_come(mark)? {
                poller.waker().wake_by_ref();
                return Poll::Pending;
            }
        }
        self.is_over = true;
        Poll::Ready(Ok(()))
    }

    /// Returns the words; the events are kept for other waits.
    pub(crate) fn end(mut self, spare: &mut Vec<Mark>) -> Vec<u32> {
        if self.is_over {
            spare.extend(self.marks.iter_mut().filter_map(Option::take));
        }
        std::mem::take(&mut self.words)
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        for mark in self.marks.iter_mut().filter_map(Option::take) {
            // The card may still use the words; a lost card does not.
            let _ = self.context.come(&mark);
            self.context.unmark(mark);
        }
    }
}
