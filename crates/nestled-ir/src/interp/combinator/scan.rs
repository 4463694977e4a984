//! `scan`: a segmented prefix scan. Inexact parts are combined in the order of `scan_order.rs`, or block by block; exact ones point by point.

use super::set_all;
use super::values::Values;
use crate::interp::combine::{Combiner, Part};
use crate::interp::error::Error;
use crate::interp::kernel::Launch;
use crate::interp::meter::Meter;
use crate::interp::scan_order::{self, Scanned};
use crate::interp::tile::ScanOfGroup;
use crate::kernel::{Combinator, Direction, Inclusion, Level};
use crate::monoid::Monoid;
use crate::reduction_order::SCAN_BLOCK_OF_POINTS;
use crate::scalar::{Scalar, ScalarType};
use crate::value::Buffer;

/// Runs a `scan`.
pub(in crate::interp) fn scan(
    launch: &mut Launch<'_, '_>,
    step: &Combinator,
    within: Level,
    monoid: &Monoid,
    inclusion: Inclusion,
    direction: Direction,
) -> Result<(), Error> {
    let (level, types) = (step.level(), launch.result_types(step));
    let n = launch.captures.space.points_at(level.0);
    let buffers = launch.tools.buffers(&types, n)?;
    let present = match step.guard {
        Some(_) => Some(launch.tools.buffer(ScalarType::Bool, n)?),
        None => None,
    };
    let mut values = Values { level, buffers, present };
    launch.tools.sweep_with(&launch.captures, step, &types, &mut values)?;
    let Values { mut buffers, present, .. } = values;
    let takes_part =
        |at: u64| present.as_ref().is_none_or(|present| present.get(at as usize) == Scalar::Bool(true));
    let in_tiles = launch.tools.code.is_some() && present.is_none();
    let parts = Part::all(launch.tools.program, monoid, &types);
    let (combiner, meter) = (&mut launch.tools.combiner, &mut *launch.tools.meter);
    let n_groups = if n == 0 { 0 } else { launch.captures.space.points_at(within.0) };
    for group in 0..n_groups {
        meter.step(1)?;
        let (from, to) = launch.captures.space.below(within.0, level.0, group, group + 1);
        for part in &parts {
            let buffers = &mut buffers[part.first..part.first + part.width()];
            if let (true, Some(op)) = (in_tiles, part.op()) {
                meter.step((to - from) / 4)?;
                let (from, to, in_vectors) = (from as usize, to as usize, part.in_vectors());
                let group = ScanOfGroup { from, to, inclusion, direction, in_vectors };
                group.run(op, part.unit[0], &mut buffers[0]);
                continue;
            }
            let points = GroupPart { part, buffers, from, to, inclusion, direction, combiner, meter };
            if part.in_vectors() {
                scan_order::scan(&mut InVectors { points, takes_part: &takes_part }, to - from, direction)?;
            } else {
                points.one_by_one(&takes_part)?;
            }
        }
    }
    launch.bind(step, level, buffers);
    Ok(())
}

/// The points of a group, with the results of one part.
struct GroupPart<'g, 'a> {
    part: &'g Part,
    /// The values of the points, which become prefixes.
    buffers: &'g mut [Buffer],
    from: u64,
    to: u64,
    inclusion: Inclusion,
    direction: Direction,
    combiner: &'g mut Combiner<'a>,
    meter: &'g mut Meter,
}

impl GroupPart<'_, '_> {
    /// Scans point by point. If the order shows in the result, the running prefix begins anew in each block, and the carry is combined last.
    fn one_by_one(mut self, takes_part: &dyn Fn(u64) -> bool) -> Result<(), Error> {
        let unit = self.part.unit.clone();
        let (mut carry, mut running): (Option<Vec<Scalar>>, Option<Vec<Scalar>>) = (None, None);
        for step in 0..self.to - self.from {
            let (at, enters_block) = match self.direction {
                Direction::Forward => (self.from + step, step.is_multiple_of(SCAN_BLOCK_OF_POINTS)),
                Direction::Backward => {
                    let at = self.to - 1 - step;
                    (at, (at - self.from + 1).is_multiple_of(SCAN_BLOCK_OF_POINTS))
                }
            };
            if enters_block && !self.part.exact {
                let block = running.take();
                carry = self.join(carry, block)?;
            }
            if !takes_part(at) {
                continue;
            }
            let value: Vec<Scalar> = self.buffers.iter().map(|buffer| buffer.get(at as usize)).collect();
            let before = running.clone();
            running = self.join(running, Some(value))?;
            let local = match self.inclusion {
                Inclusion::Exclusive => before,
                Inclusion::Inclusive => running.clone(),
            };
            let prefix = self.join(carry.clone(), local)?;
            set_all(self.buffers, at, prefix.as_ref().unwrap_or(&unit));
        }
        Ok(())
    }

    /// Combines two values, of which the scan visits `earlier` first: whichever has the lower index is on the left.
    fn join(
        &mut self,
        earlier: Option<Vec<Scalar>>,
        later: Option<Vec<Scalar>>,
    ) -> Result<Option<Vec<Scalar>>, Error> {
        let (mut earlier, later) = match (earlier, later) {
            (Some(earlier), Some(later)) => (earlier, later),
            (earlier, later) => return Ok(earlier.or(later)),
        };
        match self.direction {
            Direction::Forward => self.combiner.fold(self.part, &mut earlier, &later, self.meter)?,
            Direction::Backward => self.combiner.fold_right(self.part, &later, &mut earlier, self.meter)?,
        }
        Ok(Some(earlier))
    }
}

/// The points of a group, scanned in vectors.
struct InVectors<'g, 'a> {
    points: GroupPart<'g, 'a>,
    takes_part: &'g dyn Fn(u64) -> bool,
}

impl Scanned for InVectors<'_, '_> {
    type Item = Scalar;
    type Error = Error;

    fn value(&mut self, position: u64) -> Option<Scalar> {
        let at = self.points.from + position;
        (self.takes_part)(at).then(|| self.points.buffers[0].get(at as usize))
    }

    fn join(&mut self, earlier: Scalar, later: Scalar) -> Result<Scalar, Error> {
        let GroupPart { part, direction, combiner, meter, .. } = &mut self.points;
        let (left, right) = match direction {
            Direction::Forward => (earlier, later),
            Direction::Backward => (later, earlier),
        };
        let mut joined = [left];
        combiner.fold(part, &mut joined, &[right], meter)?;
        Ok(joined[0])
    }

    fn put(&mut self, position: u64, before: Option<Scalar>, with: Scalar) {
        let GroupPart { part, buffers, from, inclusion, .. } = &mut self.points;
        let prefix = match inclusion {
            Inclusion::Inclusive => with,
            Inclusion::Exclusive => before.unwrap_or(part.unit[0]),
        };
        buffers[0].set((*from + position) as usize, prefix);
    }
}
