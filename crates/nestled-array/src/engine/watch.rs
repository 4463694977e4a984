//! Deadlines: a thread that ends evaluations which take too long. It is there only as long as there are any.

use nestled_fork as fork;
use nestled_ir::interp::Interrupt;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long the thread stays when there is nothing to watch.
const REST: Duration = Duration::from_millis(200);

#[derive(Default)]
pub(super) struct Watch {
    inner: Mutex<Inner>,
    changed: Condvar,
}

#[derive(Default)]
struct Inner {
    list: Vec<Watched>,
    /// In which process the thread is, counted by forks; nothing if it is not.
    thread: Option<usize>,
}

struct Watched {
    ticket: u64,
    deadline: Instant,
    interrupt: Interrupt,
}

impl Watch {
    /// An evaluation has begun.
    pub fn begin(self: &Arc<Watch>, ticket: u64, deadline: Instant, interrupt: &Interrupt) {
        let mut inner = fork::lock(&self.inner);
        inner.list.push(Watched { ticket, deadline, interrupt: interrupt.clone() });
        if inner.thread == Some(fork::count()) {
            self.changed.notify_one();
            return;
        }
        let own = Arc::clone(self);
        let thread = std::thread::Builder::new().name("nestled-watch".to_owned());
        inner.thread = thread.spawn(move || own.serve()).is_ok().then(fork::count);
    }

    /// It has ended: its wish is not touched any more.
    pub fn end(&self, ticket: u64) {
        fork::lock(&self.inner).list.retain(|watched| watched.ticket != ticket);
    }

    fn serve(&self) {
        let mut inner = fork::lock(&self.inner);
        loop {
            let now = Instant::now();
            let late = inner.list.iter().filter(|watched| watched.deadline <= now);
            late.for_each(|watched| watched.interrupt.request());
            // Nobody tells that all have ended: so it looks now and then.
            let next =
                inner.list.iter().map(|watched| watched.deadline).filter(|&deadline| deadline > now).min();
            let rest = next.map_or(REST, |next| REST.min(next - now));
            let (guard, waited) =
                self.changed.wait_timeout(inner, rest).unwrap_or_else(PoisonError::into_inner);
            inner = guard;
            if waited.timed_out() && inner.list.is_empty() {
                inner.thread = None;
                return;
            }
        }
    }
}
