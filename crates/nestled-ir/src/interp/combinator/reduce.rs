//! `reduce`: a segmented reduction. Combines the points of each group to one value.

use super::set_all;
use crate::interp::combine::Part;
use crate::interp::error::Error;
use crate::interp::kernel::Launch;
use crate::interp::reduce_order::Reduction;
use crate::interp::sweep::Tools;
use crate::kernel::{Combinator, Level};
use crate::monoid::Monoid;
use crate::scalar::Scalar;
use crate::value::Buffer;

/// Runs a `reduce`.
pub(in crate::interp) fn reduce(
    launch: &mut Launch<'_, '_>,
    step: &Combinator,
    to: Level,
    monoid: &Monoid,
) -> Result<(), Error> {
    let (level, types) = (step.level(), launch.result_types(step));
    let parts = Part::all(launch.tools.program, monoid, &types);
    let units: Vec<Scalar> = parts.iter().flat_map(|part| part.unit.clone()).collect();
    let n_groups = launch.captures.space.points_at(to.0);
    let mut buffers = launch.tools.buffers(&types, n_groups)?;
    launch.tools.meter.step(n_groups)?;
    (0..n_groups).for_each(|group| set_all(&mut buffers, group, &units));
    let mut groups =
        Groups { reductions: parts.into_iter().map(Reduction::new).collect(), open: None, buffers };
    let space = &launch.captures.space;
    launch.tools.sweep(&launch.captures, step, &types, &mut |tools, point, visit| {
        let group = point.at[to.0];
        if groups.open != Some(group) {
            groups.close(tools)?;
            let (from, end) = space.below(to.0, level.0, group, group + 1);
            groups.reductions.iter_mut().for_each(|reduction| reduction.begin(end - from));
            groups.open = Some(group);
        }
        let (combiner, meter) = (&mut tools.combiner, &mut *tools.meter);
        groups.reductions.iter_mut().try_for_each(|one| one.push(visit.values(), combiner, meter))
    })?;
    groups.close(&mut launch.tools)?;
    launch.bind(step, to, groups.buffers);
    Ok(())
}

/// The groups, of which one at a time is being reduced.
struct Groups {
    reductions: Vec<Reduction>,
    open: Option<u64>,
    buffers: Vec<Buffer>,
}

impl Groups {
    /// Writes the result of the open group.
    fn close(&mut self, tools: &mut Tools<'_, '_>) -> Result<(), Error> {
        let Some(group) = self.open.take() else { return Ok(()) };
        let mut results = Vec::new();
        for reduction in &mut self.reductions {
            reduction.end(&mut results, &mut tools.combiner, tools.meter)?;
        }
        set_all(&mut self.buffers, group, &results);
        Ok(())
    }
}
