//! `filter`: stream compaction. Packs the points whose guard holds, in order.

use crate::interp::capture::Point;
use crate::interp::error::Error;
use crate::interp::kernel::Launch;
use crate::interp::sweep::{Tools, Visit, Visitor};
use crate::interp::tile::{Registers, TilePoints};
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
    let lengths = vec![0u64; n_groups as usize];
    let buffers: Vec<Buffer> = types.iter().map(|&ty| Buffer::zeroed(ty, 0)).collect();
    let mut packed = Packed { within, lengths, buffers };
    launch.tools.sweep_with(&launch.captures, step, &types, &mut packed)?;
    let Packed { lengths, buffers, .. } = packed;
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

/// The points so far.
struct Packed {
    within: Level,
    /// The number of points of each group.
    lengths: Vec<u64>,
    buffers: Vec<Buffer>,
}

impl Visitor for Packed {
    fn point(&mut self, tools: &mut Tools<'_, '_>, point: &Point, visit: Visit<'_>) -> Result<(), Error> {
        let Some(values) = visit.values() else { return Ok(()) };
        self.lengths[point.at[self.within.0] as usize] += 1;
        push_all(tools, &mut self.buffers, values)
    }

    fn tile(
        &mut self,
        tools: &mut Tools<'_, '_>,
        points: &TilePoints,
        results: &Registers<'_>,
    ) -> Result<bool, Error> {
        for run in points.groups(self.within.0) {
            self.lengths[points.positions(self.within.0)[run.start] as usize] += run.len() as u64;
        }
        for (buffer, column) in self.buffers.iter_mut().zip(results.results()) {
            tools.take(points.len() as u64, column.elem().size())?;
            points.append(buffer, column);
        }
        Ok(true)
    }
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
