//! Identity of an evaluation: by it others cancel it, and it knows its deadline.

use crate::error::{Error, Reason, Result};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, ThreadId};
use std::time::Instant;

#[derive(Debug)]
pub(crate) struct Ticket {
    pub number: u64,
    /// The thread that asked for it.
    pub thread: ThreadId,
    pub deadline: Option<Instant>,
    /// How often all evaluations had been cancelled when it began.
    cancels: u64,
    cancelled: AtomicBool,
}

impl Ticket {
    /// An evaluation that begins now, when so often all had been cancelled.
    pub fn new(deadline: Option<Instant>, cancels: u64) -> Ticket {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let thread = thread::current().id();
        Ticket { number, thread, deadline, cancels, cancelled: AtomicBool::new(false) }
    }

    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// An error if it must not go on. `cancels` is how often all evaluations have been cancelled by now.
    pub fn check(&self, cancels: u64) -> Result<()> {
        if cancels != self.cancels || self.cancelled.load(Ordering::Relaxed) {
            return Err(Error::at("eval", Reason::Cancelled, None));
        }
        if self.is_late() { Err(Error::at("eval", Reason::Deadline, None)) } else { Ok(()) }
    }

    /// An error of the evaluation: devices do not know who wished that it ends.
    pub fn explained(&self, error: Error, cancels: u64) -> Error {
        let own = cancels != self.cancels || self.cancelled.load(Ordering::Relaxed);
        if *error.reason() == Reason::Cancelled && !own && self.is_late() {
            return Error::at(error.operation(), Reason::Deadline, error.place());
        }
        error
    }
}
