//! Scheduling of evaluations: each takes a *track*, and tracks run side by side.
//!
//! A track is all that one thread needs to compute: devices, plans, programs. The lock here guards who has which track, never an execution. What an
//! evaluation reads it holds itself, and what it makes it publishes when it ends; so tracks share nothing but memory, threads, and the queue of a GPU, which each takes for
//! the moment of a launch. Nodes that are being
//! computed are *claimed*: who needs one waits for it instead of computing it again. Nobody waits while holding a claim, so there is no circle.
//!
//! A GPU does what it was given in order, so a small evaluation waits there for launches before it, but not for the host of another.

use super::garbage::Garbage;
use super::ticket::Ticket;
use super::track::Track;
use super::watch::Watch;
use crate::error::{Error, Reason, Result};
use crate::node::{Node, State as NodeState};
use crate::plan::Graph;
use nestled_fork as fork;
use nestled_ir::interp::Interrupt;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;
use std::time::Instant;

/// How many tracks there are at most. More evaluations at once wait for each other.
const MOST: usize = 64;

pub(super) struct Scheduler {
    inner: Mutex<Inner>,
    /// A track came back, a claim was given up, or somebody cancelled.
    moved: Condvar,
    pub watch: Arc<Watch>,
    /// How often all evaluations were cancelled. Changed under the lock.
    cancels: AtomicU64,
}

struct Inner {
    /// Tracks that nobody has. The last was used last.
    free: Vec<Track>,
    /// What each track has to give up when it is next at hand, by its number.
    garbage: HashMap<usize, Vec<Garbage>>,
    next_track: usize,
    running: Vec<Running>,
    /// Nodes that are being computed, by address.
    claims: HashSet<usize>,
    waiting: usize,
    /// Threads all of whose evaluations end.
    stopped: Vec<ThreadId>,
    /// True if the child of a fork may use the devices of tracks.
    outlives_forks: bool,
    /// Number of forks of the process at the last check.
    forks: usize,
    /// Devices that are the parent's were lost in a fork.
    lost: bool,
}

/// An evaluation that has a track.
struct Running {
    ticket: u64,
    thread: ThreadId,
    interrupt: Interrupt,
}

/// A track in the hands of an evaluation.
pub(super) struct Taken<'d> {
    scheduler: &'d Scheduler,
    track: Option<Track>,
    ticket: u64,
}

/// Nodes in the hands of an evaluation.
pub(super) struct Claim<'d> {
    scheduler: &'d Scheduler,
    nodes: Vec<usize>,
}

fn address(node: &Arc<Node>) -> usize {
    Arc::as_ptr(node) as usize
}

impl Scheduler {
    pub fn new(outlives_forks: bool) -> Scheduler {
        fork::watch();
        let inner = Inner {
            free: Vec::new(),
            garbage: HashMap::new(),
            next_track: 0,
            running: Vec::new(),
            claims: HashSet::new(),
            waiting: 0,
            stopped: Vec::new(),
            outlives_forks,
            forks: fork::count(),
            lost: false,
        };
        Scheduler {
            inner: Mutex::new(inner),
            moved: Condvar::new(),
            watch: Arc::default(),
            cancels: AtomicU64::new(0),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        let mut inner = fork::lock(&self.inner);
        if inner.forks != fork::count() {
            inner.begin_as_child();
        }
        inner
    }

    /// How often all evaluations were cancelled so far.
    pub fn cancels(&self) -> u64 {
        self.cancels.load(Ordering::Relaxed)
    }

    /// Waits until something moves, at most until the deadline of a ticket.
    fn wait<'a>(&self, mut inner: MutexGuard<'a, Inner>, ticket: &Ticket) -> MutexGuard<'a, Inner> {
        inner.waiting += 1;
        let mut inner = match ticket.deadline {
            None => self.moved.wait(inner).unwrap_or_else(PoisonError::into_inner),
            Some(deadline) => {
                let left = deadline.saturating_duration_since(Instant::now());
                self.moved.wait_timeout(inner, left).unwrap_or_else(PoisonError::into_inner).0
            }
        };
        inner.waiting -= 1;
        inner
    }

    fn wake(&self, inner: &Inner) {
        if inner.waiting > 0 {
            self.moved.notify_all();
        }
    }

    /// A track, that which was used last if it is free; `make` makes another if none is.
    pub fn take(&self, ticket: &Ticket, make: impl FnOnce(usize) -> Track) -> Result<Taken<'_>> {
        let mut inner = self.lock();
        loop {
            inner.check(ticket, self.cancels())?;
            if inner.lost {
                let why = "the device was opened before this process was forked from another: make an engine after the fork";
                return Err(Error::at("eval", Reason::Device(why.to_owned()), None));
            }
            if inner.free.is_empty() && inner.garbage.len() >= MOST {
                inner = self.wait(inner, ticket);
                continue;
            }
            let free = inner.free.pop();
            let number = free.as_ref().map_or(inner.next_track, |track| track.number);
            let garbage = std::mem::take(inner.garbage.entry(number).or_default());
            let mut track = match free {
                Some(track) => track,
                None => {
                    inner.next_track += 1;
                    make(number)
                }
            };
            let (Ticket { number, thread, .. }, interrupt) = (ticket, track.interrupt.clone());
            inner.running.push(Running { ticket: *number, thread: *thread, interrupt });
            drop(inner);
            if let Some(deadline) = ticket.deadline {
                self.watch.begin(ticket.number, deadline, &track.interrupt);
            }
            track.sweep(garbage);
            return Ok(Taken { scheduler: self, track: Some(track), ticket: ticket.number });
        }
    }

    /// Claims the roots of a graph. Nothing if somebody computes one of its nodes: that is then over, and the graph another.
    pub fn claim(&self, graph: &Graph, ticket: &Ticket) -> Result<Option<Claim<'_>>> {
        let mut inner = self.lock();
        inner.check(ticket, self.cancels())?;
        let is_claimed = |inner: &Inner| {
            let mut lazy = graph.items.iter().filter(|item| item.op().is_some());
            lazy.any(|item| inner.claims.contains(&address(&item.node)))
        };
        if !inner.claims.is_empty() && is_claimed(&inner) {
            drop(self.wait(inner, ticket));
            return Ok(None);
        }
        let roots = || graph.roots.iter().map(|&root| &graph.items[root].node);
        if roots().any(|node| matches!(node.state(), NodeState::Ready(_))) {
            return Ok(None);
        }
        let nodes: Vec<usize> = roots().map(address).collect();
        inner.claims.extend(&nodes);
        Ok(Some(Claim { scheduler: self, nodes }))
    }

    /// All evaluations that are under way end.
    pub fn cancel(&self) {
        let inner = self.lock();
        self.cancels.fetch_add(1, Ordering::Relaxed);
        inner.running.iter().for_each(|running| running.interrupt.request());
        self.wake(&inner);
    }

    /// One evaluation ends.
    pub fn cancel_one(&self, ticket: &Ticket) {
        ticket.cancel();
        let inner = self.lock();
        let own = inner.running.iter().filter(|running| running.ticket == ticket.number);
        own.for_each(|running| running.interrupt.request());
        self.wake(&inner);
    }

    /// The evaluations that a thread has asked for end, and those that it asks for, until it may go on.
    pub fn stop(&self, thread: ThreadId) {
        let inner = &mut *self.lock();
        if !inner.stopped.contains(&thread) {
            inner.stopped.push(thread);
        }
        let own = inner.running.iter().filter(|running| running.thread == thread);
        own.for_each(|running| running.interrupt.request());
        self.wake(inner);
    }

    /// A thread may go on.
    pub fn resume(&self, thread: ThreadId) {
        self.lock().stopped.retain(|stopped| *stopped != thread);
    }

    /// Every track gives something up: at once where nobody has it.
    pub fn give_up(&self, garbage: Garbage) {
        let inner = &mut *self.lock();
        inner.garbage.values_mut().for_each(|list| list.push(garbage));
        for track in &mut inner.free {
            track.sweep(inner.garbage.get_mut(&track.number).map(std::mem::take).unwrap_or_default());
        }
    }

    /// Does something with each track that nobody has.
    pub fn for_each_free(&self, action: impl FnMut(&mut Track)) {
        self.lock().free.iter_mut().for_each(action);
    }

    /// The child of a fork can go on with the devices of tracks.
    pub fn outlive_forks(&self) {
        self.lock().outlives_forks = true;
    }
}

impl Inner {
    /// An error if an evaluation must not go on.
    fn check(&self, ticket: &Ticket, cancels: u64) -> Result<()> {
        if self.stopped.contains(&ticket.thread) {
            return Err(Error::at("eval", Reason::Cancelled, None));
        }
        ticket.check(cancels)
    }

    /// Of what the parent had under way nothing goes on here. Tracks that nobody had are as good as before, but for those of GPUs.
    fn begin_as_child(&mut self) {
        self.forks = fork::count();
        self.running.clear();
        self.claims.clear();
        self.stopped.clear();
        self.waiting = 0;
        if self.outlives_forks {
            let kept: HashSet<usize> = self.free.iter().map(|track| track.number).collect();
            self.garbage.retain(|number, _| kept.contains(number));
        } else {
            self.lost = !self.garbage.is_empty();
            // To close them would talk to a driver that is not there.
            self.free.drain(..).for_each(std::mem::forget);
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if self.forks != fork::count() {
            self.begin_as_child();
        }
    }
}

impl Taken<'_> {
    pub fn track(&mut self) -> &mut Track {
        self.track.as_mut().unwrap_or_else(|| unreachable!("it goes only when the guard does"))
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let Some(mut track) = self.track.take() else { return };
        self.scheduler.watch.end(self.ticket);
        let inner = &mut *self.scheduler.lock();
        inner.running.retain(|running| running.interrupt != track.interrupt);
        // Only those who have the lock, or whom the watch knows, request it.
        track.interrupt.flag().store(false, Ordering::Relaxed);
        if std::thread::panicking() {
            // Who knows what state it is in.
            inner.garbage.remove(&track.number);
        } else {
            track.sweep(inner.garbage.get_mut(&track.number).map(std::mem::take).unwrap_or_default());
            inner.free.push(track);
        }
        self.scheduler.wake(inner);
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        let mut inner = self.scheduler.lock();
        inner.claims.retain(|node| !self.nodes.contains(node));
        self.scheduler.wake(&inner);
    }
}
