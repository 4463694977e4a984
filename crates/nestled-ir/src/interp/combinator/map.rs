//! `map`: computes one value at each point.

use super::values::Values;
use crate::interp::error::Error;
use crate::interp::kernel::Launch;
use crate::kernel::Combinator;

/// Runs a `map`.
pub(in crate::interp) fn map(launch: &mut Launch<'_, '_>, step: &Combinator) -> Result<(), Error> {
    let (level, types) = (step.level(), launch.result_types(step));
    let buffers = launch.tools.buffers(&types, launch.captures.space.points_at(level.0))?;
    let mut values = Values { level, buffers, present: None };
    launch.tools.sweep_with(&launch.captures, step, &types, &mut values)?;
    launch.bind(step, level, values.buffers);
    Ok(())
}
