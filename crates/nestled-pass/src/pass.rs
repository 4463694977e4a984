//! The interface of passes: the type [`Pass`], its options and its context.

use crate::fuse::cache::PlanCache;
use crate::fuse::report::RegionReport;
use crate::fuse::solve::ilp::Mip;
use crate::fuse::solve::{Effort, Planner};
use crate::limits::Limits;
use crate::time::Rates;
use nestled_ir::{Diagnostic, Program};
use std::fmt;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// A named pure function from programs to programs.
///
/// The input must be verified, and the output must pass the verifier. A pass may leave unused table entries and gaps in the numbering behind; the runner cleans up.
#[derive(Clone, Copy)]
pub struct Pass {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its summary, in a line.
    pub summary: &'static str,
    /// Whether strict math leaves the pass out, because it may change the last bits of results.
    pub changes_rounding: bool,
    /// The pass itself.
    pub run: fn(&Program, &mut PassContext) -> Program,
}

/// The options that a user may choose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassOptions {
    /// Keep every rounding that the program asks for: passes that change roundings are left out.
    pub strict_math: bool,
    /// Verify the program after each pass.
    pub verify: bool,
    /// Keep definitions that `main` cannot reach, because other functions than `main` will be called.
    pub keep_all: bool,
    /// The device's limits for one kernel.
    pub limits: Limits,
    /// Number of steps that `fuse` may take for the plan of a region.
    pub effort: Effort,
    /// The solver that `fuse` uses.
    pub planner: Planner,
    /// The rates of the device, from which `fuse` predicts times.
    pub rates: Rates,
}

impl Default for PassOptions {
    /// Verifies in debug builds, allows passes that change rounding, and keeps only definitions that `main` reaches.
    fn default() -> PassOptions {
        PassOptions {
            strict_math: false,
            verify: cfg!(debug_assertions),
            keep_all: false,
            limits: Limits::default(),
            effort: Effort::default(),
            planner: Planner::default(),
            rates: Rates::default(),
        }
    }
}

/// The time that a pass took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// The name of the pass.
    pub pass: &'static str,
    /// The time at which it began.
    pub start: Instant,
    /// Time in the pass itself, without renumbering and verifying.
    pub time: Duration,
}

/// A pass changed the number of runs of kernels in the text of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunsChanged {
    /// The name of the pass.
    pub pass: &'static str,
    /// Number of runs before it.
    pub before: usize,
    /// Number of runs after it.
    pub after: usize,
}

/// A function that is shown the program after each pass.
pub type Observer = Box<dyn FnMut(&Pass, &Program)>;

/// Options of a compilation, and what its passes report.
#[derive(Default)]
pub struct PassContext {
    /// The user's options.
    pub options: PassOptions,
    /// One entry for each pass that ran, in order.
    pub timings: Vec<Timing>,
    /// Called after each pass that ran, for example to print the program.
    pub observer: Option<Observer>,
    /// Whether passes record their decisions and the reasons.
    pub explain: bool,
    /// The decisions of `fuse`, where [`explain`](Self::explain) is set: the regions with two runs or more, in order of the text.
    pub fusion: Vec<RegionReport>,
    /// The passes before `fuse` that changed how many runs of kernels the program has, where [`explain`](Self::explain) is set.
    pub runs_changed: Vec<RunsChanged>,
    /// The kernels that `split` could not bring within the limits, though it has cut them as far as it goes: a message for each. The program can run on a device for which these
    /// limits are advice; whoever asked for them should be told.
    pub refused: Vec<Diagnostic>,
    /// Fusion plans of regions seen before.
    pub plans: PlanCache,
    /// The solver of integer programs for [`Planner::Ilp`].
    pub mip: Option<Rc<dyn Mip>>,
}

impl PassContext {
    /// Makes a context with these options.
    pub fn new(options: PassOptions) -> PassContext {
        PassContext { options, ..PassContext::default() }
    }
}

impl fmt::Debug for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pass").field("name", &self.name).finish_non_exhaustive()
    }
}

impl fmt::Debug for PassContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PassContext { options, timings, observer, explain, fusion, runs_changed, refused, plans, mip } =
            self;
        f.debug_struct("PassContext")
            .field("options", options)
            .field("timings", timings)
            .field("observer", &observer.is_some())
            .field("explain", explain)
            .field("fusion", fusion)
            .field("runs_changed", runs_changed)
            .field("refused", refused)
            .field("plans", &plans.counts())
            .field("mip", &mip.is_some())
            .finish()
    }
}
