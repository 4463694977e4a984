//! `scan`: a segmented prefix scan, computed point by point inside each group.

use super::set_all;
use crate::interp::combine::{Combiner, Part};
use crate::interp::error::Error;
use crate::interp::kernel::Launch;
use crate::interp::meter::Meter;
use crate::kernel::{Combinator, Direction, Inclusion, Level};
use crate::monoid::Monoid;
use crate::scalar::Scalar;
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
    let mut buffers = launch.tools.buffers(&types, n)?;
    let mut present = Buffer::zeroed(crate::ScalarType::Bool, 0);
    if step.guard.is_some() {
        present = launch.tools.buffer(crate::ScalarType::Bool, n)?;
    }
    launch.tools.sweep(&launch.captures, step, &types, &mut |_, point, visit| {
        let Some(values) = visit.values() else { return Ok(()) };
        set_all(&mut buffers, point.at[level.0], values);
        if step.guard.is_some() {
            present.set(point.at[level.0] as usize, Scalar::Bool(true));
        }
        Ok(())
    })?;
    let takes_part = |at: u64| step.guard.is_none() || present.get(at as usize) == Scalar::Bool(true);
    let mut prefix = Prefix::new(Part::all(launch.tools.program, monoid, &types));
    let (combiner, meter) = (&mut launch.tools.combiner, &mut *launch.tools.meter);
    let n_groups = if n == 0 { 0 } else { launch.captures.space.points_at(within.0) };
    for group in 0..n_groups {
        meter.step(1)?;
        prefix.empty = true;
        let (from, to) = launch.captures.space.below(within.0, level.0, group, group + 1);
        for step in 0..to - from {
            let at = if direction == Direction::Forward { from + step } else { to - 1 - step };
            if takes_part(at) {
                prefix.visit(&mut buffers, at, inclusion, direction, combiner, meter)?;
            }
        }
    }
    launch.bind(step, level, buffers);
    Ok(())
}

/// The running prefix of a group.
struct Prefix {
    parts: Vec<Part>,
    units: Vec<Scalar>,
    sum: Vec<Scalar>,
    value: Vec<Scalar>,
    /// True before the first point of the group; `sum` is stale then.
    empty: bool,
}

impl Prefix {
    fn new(parts: Vec<Part>) -> Prefix {
        let units: Vec<Scalar> = parts.iter().flat_map(|part| part.unit.clone()).collect();
        Prefix { parts, sum: units.clone(), value: units.clone(), units, empty: true }
    }

    /// Takes the value of a point and puts the prefix there.
    fn visit(
        &mut self,
        buffers: &mut [Buffer],
        at: u64,
        inclusion: Inclusion,
        direction: Direction,
        cx: &mut Combiner<'_>,
        meter: &mut Meter,
    ) -> Result<(), Error> {
        for (value, buffer) in self.value.iter_mut().zip(buffers.iter()) {
            *value = buffer.get(at as usize);
        }
        if inclusion == Inclusion::Exclusive {
            set_all(buffers, at, if self.empty { &self.units } else { &self.sum });
        }
        if self.empty {
            self.sum.copy_from_slice(&self.value);
            self.empty = false;
        } else {
            self.add(direction, cx, meter)?;
        }
        if inclusion == Inclusion::Inclusive {
            set_all(buffers, at, &self.sum);
        }
        Ok(())
    }

    /// Combines the value with the sum, whichever has the lower index on the left.
    fn add(&mut self, direction: Direction, cx: &mut Combiner<'_>, meter: &mut Meter) -> Result<(), Error> {
        for part in &self.parts {
            let range = part.first..part.first + part.width();
            let (sum, value) = (&mut self.sum[range.clone()], &self.value[range]);
            match direction {
                Direction::Forward => cx.fold(part, sum, value, meter)?,
                Direction::Backward => cx.fold_right(part, value, sum, meter)?,
            }
        }
        Ok(())
    }
}
