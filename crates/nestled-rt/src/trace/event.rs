//! Trace events: notifications from an executor to its watchers.

use crate::device::Origin;
use nestled_ir::Span;
use std::cell::RefCell;
use std::future::Future;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// When something happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct When {
    /// The beginning.
    pub start: Instant,
    /// The end.
    pub end: Instant,
}

impl When {
    /// The time from `start` until now.
    pub fn since(start: Instant) -> When {
        When { start, end: Instant::now() }
    }

    /// Its duration.
    pub fn time(self) -> Duration {
        self.end.saturating_duration_since(self.start)
    }
}

/// Amount of work, as far as the host knows it: sizes known only on the device count with their bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Work {
    /// The points of the space.
    pub points: u64,
    /// Bytes of everything that may be read, once.
    pub read: u64,
    /// Bytes of everything that may be written, once.
    pub written: u64,
}

/// An event of a run.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A phase of the whole: reading a program, running it. Phases contain other events; executors emit none.
    Phase {
        /// The name of the phase.
        name: &'a str,
    },
    /// A pass rewrote the program. Emitted by the pass pipeline, not by executors.
    Pass {
        /// Its name.
        name: &'a str,
    },
    /// The device made kernels ready, perhaps side by side. An event for each of them follows.
    Prepare {
        /// Number of kernels.
        kernels: usize,
    },
    /// One of these kernels, as its device tells it.
    Compile {
        /// Its name.
        kernel: &'a str,
        /// True for the form for extents of 2³¹ and more.
        wide: bool,
        /// The origin of its code.
        origin: Origin,
    },
    /// A kernel was queued.
    Launch {
        /// Its name.
        kernel: &'a str,
        /// The places in the source of its combinators.
        places: &'a [Span],
        /// The statement that runs it.
        span: Span,
        /// Its amount of work.
        work: Work,
    },
    /// A native operation was queued.
    Native {
        /// Its name.
        name: &'a str,
        /// The statement that asks for it.
        span: Span,
        /// Its amount of work.
        work: Work,
    },
    /// Memory was allocated.
    Allocate {
        /// Bytes allocated.
        bytes: u64,
    },
    /// Memory was given back.
    Free {
        /// Bytes freed.
        bytes: u64,
    },
    /// Elements were copied to the device.
    CopyIn {
        /// Bytes copied.
        bytes: u64,
        /// The statement that has them.
        span: Span,
    },
    /// The host waited for the device, and elements were copied from it.
    CopyOut {
        /// Bytes copied.
        bytes: u64,
        /// The statement that wants them.
        span: Span,
    },
    /// The host waited for the device.
    Wait {
        /// The statement that wants to know something.
        span: Span,
    },
}

/// A watcher of events.
pub trait Trace {
    /// Receives each event once it is over. Events inside another one come before it.
    fn event(&mut self, event: Event<'_>, when: When);
}

/// A watcher that an executor and its owner share.
pub type SharedTrace = Rc<RefCell<dyn Trace>>;

/// Several watchers.
#[derive(Default)]
pub struct Watchers(pub Vec<SharedTrace>);

impl Trace for Watchers {
    fn event(&mut self, event: Event<'_>, when: When) {
        self.0.iter().for_each(|watcher| watcher.borrow_mut().event(event, when));
    }
}

/// Runs `work`, and reports the event with its time if there is a watcher.
#[inline]
pub(crate) fn watched<'e, T>(
    trace: Option<&SharedTrace>,
    work: impl FnOnce() -> T,
    event: impl FnOnce(&T) -> Event<'e>,
) -> T {
    let Some(trace) = trace else { return work() };
    let start = Instant::now();
    let result = work();
    let when = When::since(start);
    trace.borrow_mut().event(event(&result), when);
    result
}

/// The same for work that may stop on its way: the time in between counts.
pub(crate) async fn awaited<'e, T>(
    trace: Option<&SharedTrace>,
    work: impl Future<Output = T>,
    event: impl FnOnce(&T) -> Event<'e>,
) -> T {
    let Some(trace) = trace else { return work.await };
    let start = Instant::now();
    let result = work.await;
    let when = When::since(start);
    trace.borrow_mut().event(event(&result), when);
    result
}
