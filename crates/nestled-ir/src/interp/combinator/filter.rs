//! `filter`: stream compaction. Packs the points whose guard holds, in order.

use crate::interp::error::Error;
use crate::interp::kernel::Launch;
use crate::interp::sweep::Tools;
use crate::kernel::{Combinator, Level};
use crate::scalar::Scalar;
use crate::value::{AxisValue, Buffer, Segmentation, Value};
use std::sync::Arc;

/// Runs a `filter`.
pub(in crate::interp) fn filter(
    launch: &mut Launch<'_, '_>,
    step: &Combinator,
    within: Level,
) -> Result<(), Error> {
    let types = launch.result_types(step);
    let n_groups = launch.captures.space.points_at(within.0);
    launch.tools.take(n_groups, 2 * size_of::<u64>())?;
    let mut lengths = vec![0u64; n_groups as usize];
    let mut buffers: Vec<Buffer> = types.iter().map(|&ty| Buffer::zeroed(ty, 0)).collect();
    launch.tools.sweep(&launch.captures, step, &types, &mut |tools, point, visit| {
        let Some(values) = visit.values() else { return Ok(()) };
        lengths[point.at[within.0] as usize] += 1;
        push_all(tools, &mut buffers, values)
    })?;
    let axis = if within == Level::WHOLE {
        AxisValue::Extent(lengths[0])
    } else {
        // A sum of counted points fits.
        let seg = Segmentation::from_lengths(launch.level_shape(within), lengths.into_iter());
        AxisValue::Seg(Arc::new(seg.expect("points have been counted")))
    };
    launch.keep(step.binds[0], Value::from(axis.clone()));
    launch.keep_arrays(&step.binds[1..], &[axis], buffers);
    Ok(())
}

/// Appends one value of each component.
pub(super) fn push_all(
    tools: &mut Tools<'_, '_>,
    buffers: &mut [Buffer],
    values: &[Scalar],
) -> Result<(), Error> {
    for (buffer, &value) in buffers.iter_mut().zip(values) {
        tools.take(1, value.ty().size())?;
        buffer.push(value);
    }
    Ok(())
}
