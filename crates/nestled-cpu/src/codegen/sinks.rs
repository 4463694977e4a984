//! Sinks: where the results of a sweep go that are not bound at its points: accumulators of reductions, scans, and streams.

use super::function::Function;
use super::reduce::Accumulators;
use super::scan::Scans;
use super::stream::Writers;
use nestled_ir::reduction_order::LANES;
use nestled_kernel::nest::{At, Nest};

/// The sinks of a sweep's results.
#[derive(Clone, Debug)]
pub struct Sinks {
    /// Reductions.
    pub accumulators: Accumulators,
    /// Scans.
    pub scans: Scans,
    /// Streams.
    pub writers: Writers,
}

impl Sinks {
    /// Defines the sinks of a sweep over the elements of a nest, with streams of their own. Accumulators have W lanes, or sixteen where their order is
    /// fixed, or one.
    pub fn new(f: &mut Function<'_, '_>, nest: &Nest, sweep: usize, lanes: bool) -> Sinks {
        let elements = nest.items.iter().filter(|item| matches!(item.at, At::Element(_)));
        let streams = f.streams(elements.map(|item| item.step));
        let writers = Writers::new(f, streams);
        Sinks::with(f, nest, sweep, lanes, writers)
    }

    /// Defines the sinks of a sweep that appends to known streams.
    pub fn with(f: &mut Function<'_, '_>, nest: &Nest, sweep: usize, lanes: bool, writers: Writers) -> Sinks {
        let parts = f.reductions(nest.in_sweep(sweep));
        let width = if nest.tiled { LANES } else { f.emit.lanes };
        let accumulators = Accumulators::new(f, parts, lanes.then_some(width));
        let scans = f.scans(nest.in_sweep(sweep));
        let scans = Scans::new(f, scans, nest, lanes);
        Sinks { accumulators, scans, writers }
    }

    /// Makes the sinks of a sweep that only maps.
    pub fn none(f: &mut Function<'_, '_>, nest: &Nest) -> Sinks {
        let writers = Writers::new(f, Vec::new());
        let scans = Scans::new(f, Vec::new(), nest, true);
        Sinks { accumulators: Accumulators::at(Vec::new(), Vec::new(), f.emit.lanes), scans, writers }
    }
}

/// Returns a predicate that tells, for each step, whether points may be skipped by a guard.
pub fn guarded(f: &Function<'_, '_>) -> impl Fn(usize) -> bool + use<> {
    let list: Vec<bool> = f.shared.kernel.steps.iter().map(|step| step.guard.is_some()).collect();
    move |step| list[step]
}
