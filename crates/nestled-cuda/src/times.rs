//! How long launches take, where somebody wants to know: each lies between two marks on its stream, which are read once the host has waited for it.
//!
//! What a launch waits for of other streams comes before its first mark. If it is shorter than the host takes to queue it, a part of that is counted with it.

use crate::driver::Context;
use crate::handles::Mark;
use crate::stream_order::STREAMS;
use nestled_rt::device::DeviceError;
use std::sync::Arc;
use std::time::Duration;

/// So many launches wait to be looked at.
const MOST: usize = 4096;

/// Around a launch.
#[derive(Debug)]
struct Marks {
    start: Mark,
    end: Mark,
}

/// The times of launches.
#[derive(Debug)]
pub(crate) struct Times {
    context: Arc<Context>,
    is_on: bool,
    /// Nothing until it is first on.
    sum: Option<Duration>,
    spare: Vec<Marks>,
    /// What each stream was given, in order.
    waiting: [Vec<Marks>; STREAMS],
}

impl Times {
    /// None yet.
    pub fn new(context: Arc<Context>) -> Times {
        let waiting = [const { Vec::new() }; STREAMS];
        Times { context, is_on: false, sum: None, spare: Vec::new(), waiting }
    }

    /// Begins, or ends.
    pub fn turn(&mut self, on: bool) {
        self.is_on = on;
        if on {
            self.sum.get_or_insert_default();
        }
    }

    /// What is known.
    pub fn sum(&self) -> Option<Duration> {
        self.sum
    }

    /// Whether the host should wait, so that there are not too many marks.
    pub fn is_full(&self) -> bool {
        self.is_on && self.waiting.iter().map(Vec::len).sum::<usize>() >= MOST
    }

    /// A stream is given a launch next.
    pub fn start(&mut self, stream: usize) -> Result<(), DeviceError> {
        if !self.is_on {
            return Ok(());
        }
        let marks = match self.spare.pop() {
            Some(marks) => marks,
            None => Marks { start: self.context.mark()?, end: self.context.mark()? },
        };
        self.context.set_mark(&marks.start, stream)?;
        self.waiting[stream].push(marks);
        Ok(())
    }

    /// It has been given all of it.
    pub fn end(&mut self, stream: usize) -> Result<(), DeviceError> {
        match self.waiting[stream].last() {
            Some(marks) if self.is_on => self.context.set_mark(&marks.end, stream),
            _ => Ok(()),
        }
    }

    /// All that a stream was given is done.
    pub fn look(&mut self, stream: usize) {
        let Times { context, sum: Some(sum), spare, waiting, is_on: _ } = self else { return };
        for marks in waiting[stream].drain(..) {
            // A launch that failed has no end.
            let time = context.elapsed(&marks.start, &marks.end).unwrap_or(0.0);
            *sum += Duration::from_secs_f64(f64::from(time.max(0.0)) * 1e-3);
            spare.push(marks);
        }
    }
}

impl Drop for Times {
    fn drop(&mut self) {
        let waiting = self.waiting.iter_mut().flat_map(std::mem::take);
        for Marks { start, end } in waiting.chain(std::mem::take(&mut self.spare)) {
            self.context.unmark(start);
            self.context.unmark(end);
        }
    }
}
