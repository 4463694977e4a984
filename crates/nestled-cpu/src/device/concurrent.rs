//! Concurrent launches: independent launches that one thread computes each are held back, and then run at once, a thread to each.
//!
//! ```text
//! launch a            held: its kernel is known to take one thread, and long enough to wake another
//! launch b            it reads nothing that `a` writes, and the other way round, and is like it: held
//! read a result       both run, on two threads
//! ```
//!
//! **Invariant.** Held launches are independent of each other, and nothing else that concerns their buffers happens before they have run: every method of the device that
//! could see a difference has them run first. Buffers that are given back meanwhile are kept until then. So neither results nor the least fault show that launches were held.

use super::resolve::Resolved;
use crate::kernel::{NoMemory, RawFault, Thresholds, Workspace};
use nestled_ir::SiteId;
use nestled_ir::interp::Interrupt;
use nestled_rt::device::{Arg, BufferId, Cell, Extent, KernelHandle, Launch, ShapeArg, Slice};
use std::sync::{Mutex, PoisonError};

/// The progress of a held launch.
#[derive(Debug)]
pub(super) enum Running {
    /// It cannot run as it is: the interpreter has to run it.
    NotYet,
    /// Its handles are resolved.
    Ready,
    /// It has run, with this least fault.
    Ran(Result<Option<RawFault>, NoMemory>),
}

/// A launch that is held, with lists of its own; they are used again.
#[derive(Debug)]
pub(super) struct HeldLaunch {
    kernel: KernelHandle,
    shapes: Vec<ShapeArg>,
    args: Vec<Arg>,
    results: Vec<Slice>,
    region: u64,
    least_site: Option<SiteId>,
    pub resolved: Resolved,
    pub workspace: Workspace,
    /// Its progress.
    pub running: Running,
}

impl HeldLaunch {
    /// Returns the launch.
    pub fn launch(&self) -> Launch<'_> {
        let HeldLaunch { kernel, ref shapes, ref args, ref results, region, least_site, .. } = *self;
        Launch { kernel, shapes, args, results, region, least_site }
    }
}

/// The held launches of a device.
#[derive(Debug, Default)]
pub(super) struct Held {
    /// The first `count` are held; the others are their lists, for later ones.
    launches: Vec<Mutex<HeldLaunch>>,
    count: usize,
    /// Number of launches so far that ran beside others.
    concurrent: u64,
    /// Buffers that were given back while a held launch needed them.
    freed: Vec<BufferId>,
    thresholds: Thresholds,
    interrupt: Option<Interrupt>,
}

impl Held {
    /// Creates an empty list.
    pub fn new(thresholds: Thresholds, interrupt: Option<Interrupt>) -> Held {
        Held { launches: Vec::new(), count: 0, concurrent: 0, freed: Vec::new(), thresholds, interrupt }
    }

    /// Returns the number of held launches.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the number of launches so far that ran beside others.
    pub fn concurrent(&self) -> u64 {
        self.concurrent
    }

    /// Returns the held launches.
    pub fn launches(&self) -> &[Mutex<HeldLaunch>] {
        &self.launches[..self.count]
    }

    /// Returns the scratch bytes that held launches keep for later ones.
    pub fn scratch(&self) -> u64 {
        self.launches.iter().map(|one| lock(one).workspace.scratch.held()).sum()
    }

    /// Returns the free scratch to the system.
    pub fn clear_scratch(&self) {
        self.launches.iter().for_each(|one| lock(one).workspace.scratch.clear());
    }

    /// True if a held launch reads or writes a buffer.
    pub fn touches(&self, buffer: BufferId) -> bool {
        self.launches().iter().any(|one| {
            let held = lock(one);
            let mut found = false;
            for_each_read(&held.launch(), &mut |read| found |= read == buffer);
            found || held.results.iter().any(|result| result.buffer == buffer)
        })
    }

    /// True if a launch uses a kernel.
    pub fn runs(&self, kernel: KernelHandle) -> bool {
        self.launches().iter().any(|one| lock(one).kernel == kernel)
    }

    /// True if a launch neither reads nor writes what a held one writes, and writes nothing that one reads.
    pub fn is_independent(&self, launch: &Launch<'_>) -> bool {
        self.launches().iter().all(|one| {
            let held = lock(one);
            let writes = |launch: &Launch<'_>, buffer: BufferId| {
                launch.results.iter().any(|result| result.buffer == buffer)
            };
            let mut meet = launch.results.iter().any(|result| writes(&held.launch(), result.buffer));
            for_each_read(launch, &mut |read| meet |= writes(&held.launch(), read));
            for_each_read(&held.launch(), &mut |read| meet |= writes(launch, read));
            !meet
        })
    }

    /// Holds a launch.
    pub fn hold(&mut self, launch: &Launch<'_>) {
        if self.count == self.launches.len() {
            self.launches.push(Mutex::new(HeldLaunch {
                kernel: launch.kernel,
                shapes: Vec::new(),
                args: Vec::new(),
                results: Vec::new(),
                region: 0,
                least_site: None,
                resolved: Resolved::default(),
                workspace: Workspace::new(self.thresholds, self.interrupt.clone()),
                running: Running::NotYet,
            }));
        }
        let held = self.launches[self.count].get_mut().unwrap_or_else(PoisonError::into_inner);
        (held.kernel, held.region, held.least_site) = (launch.kernel, launch.region, launch.least_site);
        held.running = Running::NotYet;
        held.shapes.clear();
        held.shapes.extend_from_slice(launch.shapes);
        held.args.clear();
        held.args.extend_from_slice(launch.args);
        held.results.clear();
        held.results.extend_from_slice(launch.results);
        self.count += 1;
    }

    /// Keeps a buffer that is given back until the held launches have run.
    pub fn keep(&mut self, buffer: BufferId) {
        self.freed.push(buffer);
    }

    /// Forgets the launches, which have run, and gives back the buffers that were kept for them.
    pub fn clear(&mut self, mut free: impl FnMut(BufferId)) {
        self.concurrent += if self.count > 1 { self.count as u64 } else { 0 };
        self.count = 0;
        self.freed.drain(..).for_each(&mut free);
    }
}

/// Locks a held launch. Nobody else has it but while all run.
pub(super) fn lock(one: &Mutex<HeldLaunch>) -> std::sync::MutexGuard<'_, HeldLaunch> {
    one.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Visits the buffers that a launch reads.
fn for_each_read(launch: &Launch<'_>, visit: &mut dyn FnMut(BufferId)) {
    for shape in launch.shapes {
        match *shape {
            ShapeArg::Extent(extent) | ShapeArg::Regular { length: extent } => visit_extent(extent, visit),
            ShapeArg::Offsets { offsets, total } => {
                visit(offsets.buffer);
                visit_extent(total, visit);
            }
        }
    }
    for arg in launch.args {
        match *arg {
            Arg::Scalar(_) => {}
            Arg::Cell(Cell { buffer, .. }) => visit(buffer),
            Arg::Dense(slice) => visit(slice.buffer),
            Arg::View { data, starts } => {
                visit(data.buffer);
                visit(starts.buffer);
            }
        }
    }
}

fn visit_extent(extent: Extent, visit: &mut dyn FnMut(BufferId)) {
    extent.exact.into_iter().for_each(|cell| visit(cell.buffer));
}
