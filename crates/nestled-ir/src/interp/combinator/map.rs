//! `map`: computes one value at each point.

use super::set_all;
use crate::interp::capture::Point;
use crate::interp::error::Error;
use crate::interp::kernel::Launch;
use crate::interp::sweep::{Tools, Visit, Visitor};
use crate::interp::tile::{Registers, TilePoints};
use crate::kernel::{Combinator, Level};
use crate::value::Buffer;

/// Runs a `map`.
pub(in crate::interp) fn map(launch: &mut Launch<'_, '_>, step: &Combinator) -> Result<(), Error> {
    let (level, types) = (step.level(), launch.result_types(step));
    let buffers = launch.tools.buffers(&types, launch.captures.space.points_at(level.0))?;
    let mut results = Results { level, buffers };
    launch.tools.sweep_with(&launch.captures, step, &types, &mut results)?;
    launch.bind(step, level, results.buffers);
    Ok(())
}

/// The results at the points of a level.
struct Results {
    level: Level,
    buffers: Vec<Buffer>,
}

impl Visitor for Results {
    fn point(&mut self, _: &mut Tools<'_, '_>, point: &Point, visit: Visit<'_>) -> Result<(), Error> {
        if let Some(values) = visit.values() {
            set_all(&mut self.buffers, point.at[self.level.0], values);
        }
        Ok(())
    }

    fn tile(
        &mut self,
        _: &mut Tools<'_, '_>,
        points: &TilePoints,
        results: &Registers<'_>,
    ) -> Result<bool, Error> {
        for (buffer, column) in self.buffers.iter_mut().zip(results.results()) {
            points.put(self.level.0, buffer, column);
        }
        Ok(true)
    }
}
