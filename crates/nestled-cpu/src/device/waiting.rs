//! Deferred compilation (tiering): kernels run on the interpreter, tile by tile, until compilation is worth its cost.
//!
//! LLVM takes tens of milliseconds for each kernel, so a program of many kernels would start late, mostly for kernels that run on little data, or never. Unless
//! [`CpuConfig::compile_first`](super::CpuConfig::compile_first) says otherwise, unknown kernels are deferred: the interpreter runs one until it has taken a share
//! of the time that compilation takes. So a kernel never costs much more than if it had been compiled first, and most cost far less. A launch that would take longer is given up, which is
//! possible because results are written when it has ended. Results are the same bits either way.

use nestled_cache::Source;
use nestled_ir::interp::TileCode;
use nestled_kernel::Plan;

/// Number of steps of lanes that the interpreter takes in about a fifth of the time of a compilation.
const PATIENCE: u64 = 1 << 21;

/// The fixed cost of a launch on the interpreter, and of being asked for again: what runs hundreds of times is worth compiling whatever its size.
const LAUNCH: u64 = 1 << 14;

/// Cost of a step where a thunk runs point by point, in steps in tiles.
const BY_POINTS: u64 = 16;

/// A kernel whose compilation is deferred.
#[derive(Debug)]
pub(super) struct Waiting {
    /// The plan to generate code from.
    pub plan: Plan,
    /// The cache key of its machine code, in case an equal kernel has been compiled.
    pub source: Source,
    /// Number of steps that it may still take.
    patience: u64,
}

impl Waiting {
    /// Creates the state of a kernel that has not been launched.
    pub(super) fn new(plan: Plan, source: Source) -> Waiting {
        Waiting { plan, source, patience: PATIENCE }
    }

    /// Returns the number of steps that it has taken.
    pub(super) fn taken(&self) -> u64 {
        PATIENCE - self.patience
    }

    /// True if it has been launched.
    pub(super) fn has_run(&self) -> bool {
        self.patience < PATIENCE
    }

    /// True if the kernel should be compiled now.
    pub(super) fn is_due(&self) -> bool {
        self.patience == 0
    }

    /// Returns the most steps that a launch may take, besides copying so many elements, which takes about a step for each.
    pub(super) fn most_steps(&self, elements: u64, tiles: &TileCode) -> u64 {
        self.patience.saturating_sub(elements) / weight(tiles)
    }

    /// Counts a launch that has taken some of its steps.
    pub(super) fn count(&mut self, taken: u64, elements: u64, tiles: &TileCode) {
        let taken = taken.saturating_mul(weight(tiles)).saturating_add(elements);
        self.patience = self.patience.saturating_sub(LAUNCH.saturating_add(taken));
    }

    /// Ends its patience: a launch has taken too long.
    pub(super) fn give_up(&mut self) {
        self.patience = 0;
    }
}

/// Cost of a step of a kernel's code, in steps in tiles.
fn weight(tiles: &TileCode) -> u64 {
    if tiles.is_complete() { 1 } else { BY_POINTS }
}
