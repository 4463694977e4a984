//! Verification of plans: which of them can run.

use super::{Groups, Maps, Pace, Pack, Plan, Reduce, Scan, Scatter, Schedule, Stores};
use crate::dialect::Dialect;
use nestled_ir::CombinatorKind;

/// Says why a plan cannot run.
///
/// # Errors
/// A combinator runs twice or not at all, or a pass has combinators of other levels, a schedule that its sink has not, or one that the machine cannot run.
pub fn verify(plan: &Plan<'_>, dialect: &Dialect) -> Result<(), String> {
    let kernel = &plan.kernel;
    let mut ran = vec![false; kernel.steps.len()];
    for (number, pass) in plan.passes.iter().enumerate() {
        for &at in pass.maps.iter().chain(&pass.sink) {
            let step = kernel.steps.get(at).ok_or_else(|| format!("there is no combinator {at}"))?;
            if std::mem::replace(&mut ran[at], true) {
                return Err(format!("combinator {at} runs twice"));
            }
            if step.level().0 != pass.level {
                return Err(format!("combinator {at} runs in pass {number}, at another level"));
            }
        }
        let sink = pass.sink.map(|sink| &kernel.steps[sink].kind);
        if !is_of_kind(&pass.schedule, sink) {
            return Err(format!("pass {number} has the schedule of another combinator"));
        }
        if !dialect.has_warps() && wants_warps(&pass.schedule) {
            return Err(format!("pass {number} wants warps"));
        }
    }
    match ran.iter().position(|ran| !ran) {
        Some(at) => Err(format!("combinator {at} does not run")),
        None => Ok(()),
    }
}

fn is_of_kind(schedule: &Schedule, sink: Option<&CombinatorKind>) -> bool {
    match (schedule, sink) {
        (Schedule::Maps(_), None)
        | (Schedule::Reduce(_), Some(CombinatorKind::Reduce { .. }))
        | (Schedule::Scan(_), Some(CombinatorKind::Scan { .. }))
        | (Schedule::Partition(_), Some(CombinatorKind::Partition { .. }))
        | (Schedule::Scatter(_), Some(CombinatorKind::Permute { .. }))
        | (Schedule::Interpreted, Some(CombinatorKind::Serial { .. })) => true,
        (Schedule::Filter(pack), Some(CombinatorKind::Filter { .. })) => *pack != Pack::Sort,
        _ => false,
    }
}

/// True if a schedule takes warps, or workgroups that wait for each other.
fn wants_warps(schedule: &Schedule) -> bool {
    match schedule {
        Schedule::Maps(Maps { stores, .. }) => *stores == Stores::Fours,
        Schedule::Reduce(Reduce { groups, pace, .. }) => *groups != Groups::Tiles || *pace != Pace::Single,
        Schedule::Scan(scan) => matches!(scan, Scan::SinglePass { .. } | Scan::VectorsInOneSweep),
        Schedule::Filter(pack) | Schedule::Partition(pack) => *pack == Pack::SinglePass,
        Schedule::Scatter(scatter) => *scatter == Scatter::Privatised,
        Schedule::Interpreted => false,
    }
}
