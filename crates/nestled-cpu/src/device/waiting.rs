//! Deferred compilation (tiering): kernels run on the interpreter, tile by tile, until compilation is worth its cost.
//!
//! LLVM takes tens of milliseconds for each kernel, so a program of many kernels would start late, mostly for kernels that run on little data, or never. Unless
//! [`CpuConfig::compile_first`](super::CpuConfig::compile_first) says otherwise, unknown kernels are deferred. With several threads a kernel that has run for a
//! little while is compiled [in the background](super::background), and interpreted until its code is there; while its turn has not come, no longer than most compilations take.
//! With one thread the interpreter runs it until it has taken a share of that time. So a kernel never costs much more than if it had been compiled first, and most cost far less. A launch
//! that would take longer is given up, which is possible because results are written when it has ended. Results are the same bits either way.

use super::background::{self, Job, Task};
use super::objects::Objects;
use nestled_cache::Source;
use nestled_ir::Program;
use nestled_ir::interp::{Meter, StopCondition, TileCode};
use nestled_kernel::Plan;
use std::sync::Arc;

/// Number of steps of lanes that the interpreter takes in about a fifth of the time of a compilation, at nearly a nanosecond each.
const PATIENCE: u64 = 1 << 23;

/// Number of steps for a kernel that waits to be compiled in the background: about the time of most compilations.
const BACKGROUND_PATIENCE: u64 = 5 * PATIENCE;

/// Number of steps after which compilation begins in the background.
const BACKGROUND: u64 = PATIENCE / 32;

/// The fixed cost of a launch on the interpreter, and of being asked for again: what runs hundreds of times is worth compiling whatever its size.
const LAUNCH: u64 = 1 << 14;

/// Cost of a step where a thunk runs point by point, in steps in tiles.
const BY_POINTS: u64 = 32;

/// A kernel whose compilation is deferred.
#[derive(Debug)]
pub(super) struct Waiting {
    /// The plan to generate code from.
    pub plan: Arc<Plan>,
    /// The cache key of its machine code, in case an equal kernel has been compiled.
    pub source: Source,
    /// Its compilation in the background.
    pub job: Option<Arc<Job>>,
    /// Number of steps that it has taken.
    taken: u64,
}

impl Waiting {
    /// Creates the state of a kernel that has not been launched.
    pub(super) fn new(plan: Plan, source: Source) -> Waiting {
        Waiting { plan: Arc::new(plan), source, job: None, taken: 0 }
    }

    /// Returns the number of steps that it has taken.
    pub(super) fn taken(&self) -> u64 {
        self.taken
    }

    /// True if it has been launched.
    pub(super) fn has_run(&self) -> bool {
        self.taken > 0
    }

    /// True if the kernel should be compiled now.
    pub(super) fn is_due(&self) -> bool {
        self.taken >= self.patience() && (self.has_given_up() || !self.is_in_progress())
    }

    fn is_in_progress(&self) -> bool {
        self.job.as_ref().is_some_and(|job| job.is_in_progress())
    }

    fn has_given_up(&self) -> bool {
        self.taken == u64::MAX
    }

    fn patience(&self) -> u64 {
        if self.job.is_some() { BACKGROUND_PATIENCE } else { PATIENCE }
    }

    /// Begins compilation in the background, if that is worth it before a launch on so many elements.
    pub(super) fn compile_in_background(
        &mut self,
        program: &Arc<Program>,
        objects: &mut Objects,
        elements: u64,
    ) {
        if self.job.is_none() && self.taken.saturating_add(elements) >= BACKGROUND {
            let (program, plan) = (Arc::clone(program), Arc::clone(&self.plan));
            let (options, source, kept) = (objects.options().clone(), self.source.clone(), objects.kept());
            self.job = Some(background::submit(Task { program, plan, options, source, kept }));
        }
    }

    /// Limits the steps of a launch, which also copies so many elements: a step for each, about. `None` if it may take none.
    pub(super) fn limit(&self, meter: Meter, elements: u64, tiles: &TileCode) -> Option<Meter> {
        let patience = self.patience().saturating_sub(self.taken).saturating_sub(elements) / weight(tiles);
        if patience == 0 && !self.is_in_progress() {
            return None;
        }
        Some(meter.with_stop_condition(Arc::new(Launch { job: self.job.clone(), patience })))
    }

    /// Counts a launch that has taken some of its steps.
    pub(super) fn count(&mut self, taken: u64, elements: u64, tiles: &TileCode) {
        let taken = taken.saturating_mul(weight(tiles)).saturating_add(elements).saturating_add(LAUNCH);
        self.taken = self.taken.saturating_add(taken);
    }

    /// Ends its patience: a launch has taken too long.
    pub(super) fn give_up(&mut self) {
        self.taken = u64::MAX;
    }
}

/// A launch of a kernel whose compilation is deferred.
#[derive(Debug)]
struct Launch {
    job: Option<Arc<Job>>,
    /// The most steps, unless the kernel is being compiled.
    patience: u64,
}

impl StopCondition for Launch {
    fn is_met(&self, taken: u64) -> bool {
        match &self.job {
            Some(job) if job.has_ended() => true,
            Some(job) if job.is_in_progress() => false,
            Some(_) | None => taken >= self.patience,
        }
    }
}

/// Cost of a step of a kernel's code, in steps in tiles.
fn weight(tiles: &TileCode) -> u64 {
    if tiles.is_complete() { 1 } else { BY_POINTS }
}
