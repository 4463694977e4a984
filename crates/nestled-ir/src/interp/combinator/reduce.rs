//! `reduce`: a segmented reduction. Combines the points of each group to one value.

use super::set_all;
use crate::interp::capture::Point;
use crate::interp::combine::Part;
use crate::interp::error::Error;
use crate::interp::kernel::Launch;
use crate::interp::reduce_order::Reduction;
use crate::interp::sweep::{Tools, Visit, Visitor};
use crate::interp::tile::{GroupsInto, Registers, TilePoints, combine};
use crate::kernel::{Combinator, Level};
use crate::monoid::Monoid;
use crate::scalar::Scalar;
use crate::value::{Buffer, Layout};
use std::ops::Range;

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
    let reductions = parts.into_iter().map(Reduction::new).collect();
    let space = &launch.captures.space;
    let mut groups = Groups { space, to, level, reductions, open: None, whole: Vec::new(), buffers };
    launch.tools.sweep_with(&launch.captures, step, &types, &mut groups)?;
    groups.close(&mut launch.tools)?;
    launch.bind(step, to, groups.buffers);
    Ok(())
}

/// The groups, of which one at a time is being reduced.
struct Groups<'s> {
    space: &'s Layout,
    to: Level,
    level: Level,
    reductions: Vec<Reduction>,
    open: Option<u64>,
    /// Groups of a tile that lie in it whole and are combined from left to right.
    whole: Vec<(Range<usize>, usize)>,
    buffers: Vec<Buffer>,
}

impl Groups<'_> {
    /// Begins a group, unless it is the open one.
    fn open(&mut self, group: u64, tools: &mut Tools<'_, '_>) -> Result<(), Error> {
        if self.open != Some(group) {
            self.close(tools)?;
            let (from, end) = self.space.below(self.to.0, self.level.0, group, group + 1);
            self.reductions.iter_mut().for_each(|reduction| reduction.begin(end - from));
            self.open = Some(group);
        }
        Ok(())
    }

    /// True if a run of points is a group, all of whose components are combined from left to right by built-in operations.
    fn is_whole(&self, group: u64, n: u64) -> bool {
        let (from, end) = self.space.below(self.to.0, self.level.0, group, group + 1);
        let is_simple = |one: &Reduction| one.part().op().is_some() && one.is_in_order(n);
        self.open != Some(group) && end - from == n && self.reductions.iter().all(is_simple)
    }

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

impl Visitor for Groups<'_> {
    fn point(&mut self, tools: &mut Tools<'_, '_>, point: &Point, visit: Visit<'_>) -> Result<(), Error> {
        self.open(point.at[self.to.0], tools)?;
        let (combiner, meter) = (&mut tools.combiner, &mut *tools.meter);
        self.reductions.iter_mut().try_for_each(|one| one.push(visit.values(), combiner, meter))
    }

    fn tile(
        &mut self,
        tools: &mut Tools<'_, '_>,
        points: &TilePoints,
        results: &Registers<'_>,
    ) -> Result<bool, Error> {
        // The place of a point in its group decides what it is combined with.
        if !points.is_whole() {
            return Ok(false);
        }
        self.whole.clear();
        for run in points.groups(self.to.0) {
            let group = points.positions(self.to.0)[run.start] as u64;
            if self.is_whole(group, run.len() as u64) {
                self.whole.push((run, group as usize));
                continue;
            }
            self.open(group, tools)?;
            let columns: Vec<Buffer> =
                results.results().map(|column| column.slice(run.start, run.end)).collect();
            let (combiner, meter) = (&mut tools.combiner, &mut *tools.meter);
            let n = run.len() as u64;
            self.reductions.iter_mut().try_for_each(|one| one.push_run(&columns, n, combiner, meter))?;
        }
        if !self.whole.is_empty() {
            let columns: Vec<&Buffer> = results.results().collect();
            tools.meter.step(points.len() as u64 / 8)?;
            for (op, at) in self.reductions.iter().filter_map(|one| one.part().built_in()) {
                combine(op, &mut self.buffers[at], columns[at], GroupsInto(&self.whole));
            }
        }
        Ok(true)
    }
}
