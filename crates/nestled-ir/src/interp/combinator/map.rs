//! `map`: computes one value at each point.

use super::set_all;
use crate::interp::error::Error;
use crate::interp::kernel::Launch;
use crate::kernel::Combinator;

/// Runs a `map`.
pub(in crate::interp) fn map(launch: &mut Launch<'_, '_>, step: &Combinator) -> Result<(), Error> {
    let (level, types) = (step.level(), launch.result_types(step));
    let mut buffers = launch.tools.buffers(&types, launch.captures.space.points_at(level.0))?;
    launch.tools.sweep(&launch.captures, step, &types, &mut |_, point, visit| {
        if let Some(values) = visit.values() {
            set_all(&mut buffers, point.at[level.0], values);
        }
        Ok(())
    })?;
    launch.bind(step, level, buffers);
    Ok(())
}
