//! The plan of a kernel on a GPU: which combinators share a sweep, and how each sweep runs; made before any text is written.
//!
//! ```text
//! a kernel ──split-mixed──► passes ──a strategy for each──► Plan ──code/──► entry points
//! ```
//!
//! **Invariant.** A plan depends on the kernel, its program and the dialect only, and never changes what is computed. Emission (`code/`) takes no decision of this kind:
//! it prints what the plan says. `text.rs` prints plans and reads them back, `verify.rs` says which of them can run.
//!
//! | Decision | File |
//! |---|---|
//! | combinators that share a pass, and what goes through memory between passes | `group.rs` |
//! | maps: by points, packed, by fours; interior versions | `maps.rs`, `interior.rs` |
//! | reductions: who takes the tiles, how many points at once, across or along memory | `reduce.rs` |
//! | scans: the order that shows, one sweep or two | `scan.rs` |
//! | filters and partitions: one sweep, two, or a sort | `pack.rs` |
//! | scatters: atomics, private tables, claims, or a sort | `scatter.rs` |

mod group;
mod interior;
mod maps;
mod pack;
mod reduce;
mod scan;
mod scatter;
mod split_mixed;
mod step;
pub mod text;
mod verify;
mod view;

pub use maps::{Maps, Stores};
pub use pack::Pack;
pub use reduce::{Groups, Pace, Reduce};
pub use scan::Scan;
pub use scatter::{LongRuns, Scatter};
pub use verify::verify;

pub(crate) use interior::{Along, Inner, needs};
pub(crate) use reduce::REST;
pub(crate) use scatter::{Atomic, atomics};
pub(crate) use step::{Step, array_steps, shape_position, steps_of};
pub(crate) use view::{bind_level, sites};

use crate::dialect::Dialect;
use group::{Group, carried, passes};
use nestled_ir::{CombinatorKind, Kernel, Program, ValueId};
use split_mixed::split_mixed;
use std::borrow::Cow;
use view::View;

/// The plan of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan<'k> {
    /// The kernel, legalised.
    pub kernel: Cow<'k, Kernel>,
    /// The passes, in order.
    pub passes: Vec<Pass>,
    /// Values that are materialised in scratch: another pass reads them, but they are no results.
    pub carried: Vec<ValueId>,
    /// True if each point is visited once and reads only at its own place, so that results may be written over arguments.
    pub in_place: bool,
}

/// Combinators that share a sweep over the points of a level: some maps, then perhaps one combinator that is more than a map, its *sink*. Values of earlier passes
/// are read from memory, values of the same pass from registers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pass {
    /// The level at whose points thunks run.
    pub level: usize,
    /// Maps, by their position among the steps.
    pub maps: Vec<usize>,
    /// The combinator that consumes the values of all points, if there is one.
    pub sink: Option<usize>,
    /// How it runs.
    pub schedule: Schedule,
}

/// How a pass runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Schedule {
    /// Maps only.
    Maps(Maps),
    /// A reduction.
    Reduce(Reduce),
    /// A scan.
    Scan(Scan),
    /// A filter.
    Filter(Pack),
    /// A partition.
    Partition(Pack),
    /// A scatter.
    Scatter(Scatter),
    /// There is no code for it: the reference interpreter runs the kernel.
    Interpreted,
}

/// Plans a kernel.
pub fn plan<'k>(program: &'k Program, kernel: &'k Kernel, dialect: &Dialect) -> Plan<'k> {
    let kernel = split_mixed(kernel, &program.monoids, dialect.math);
    let grouped = passes(&kernel);
    let carried = carried(&kernel, &grouped);
    let view = View::new(program, &kernel, dialect, &carried);
    let in_place = !view.has_sites && grouped.len() == 1 && grouped[0].sink.is_none();
    let passes = grouped
        .into_iter()
        .map(|group| {
            let schedule = schedule(&view, &group);
            let Group { level, maps, sink } = group;
            Pass { level, maps, sink, schedule }
        })
        .collect();
    Plan { kernel, passes, carried, in_place }
}

fn schedule(view: &View<'_>, group: &Group) -> Schedule {
    let Some(sink) = group.sink else { return Schedule::Maps(view.maps(group)) };
    let step = &view.kernel.steps[sink];
    match &step.kind {
        CombinatorKind::Map => unreachable!("a map is no sink"),
        CombinatorKind::Reduce { to, monoid } => Schedule::Reduce(view.reduce(group, step, to.0, monoid)),
        CombinatorKind::Scan { within, monoid, .. } => Schedule::Scan(view.scan(step, within.0, monoid)),
        CombinatorKind::Filter { .. } => Schedule::Filter(view.filter()),
        CombinatorKind::Partition { classes, .. } => Schedule::Partition(view.partition(*classes)),
        CombinatorKind::Permute { dest, collision, .. } => {
            Schedule::Scatter(view.scatter(step, dest, collision))
        }
        CombinatorKind::Serial { .. } => Schedule::Interpreted,
    }
}
