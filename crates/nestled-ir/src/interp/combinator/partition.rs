//! `partition`: splits the points of each group by class, into one segment per class. Stable.

use super::filter::push_all;
use super::set_all;
use crate::id::SiteId;
use crate::interp::error::{Error, FaultKind};
use crate::interp::kernel::Launch;
use crate::interp::sweep::Tools;
use crate::kernel::{Combinator, Level};
use crate::scalar::Scalar;
use crate::span::Span;
use crate::value::{AxisValue, Buffer, Segmentation, Value};
use std::sync::Arc;

/// Runs a `partition`: the points are gathered with the segment that each goes to, and then moved.
pub(in crate::interp) fn partition(
    launch: &mut Launch<'_, '_>,
    step: &Combinator,
    within: Level,
    classes: u64,
    site: Option<SiteId>,
) -> Result<(), Error> {
    let types = launch.result_types(step);
    let n_segments = launch.captures.space.points_at(within.0).saturating_mul(classes);
    launch.tools.take(n_segments, 3 * size_of::<u64>())?;
    let mut lengths = vec![0u64; n_segments as usize];
    let mut segments: Vec<u64> = Vec::new();
    let mut gathered: Vec<Buffer> = types[1..].iter().map(|&ty| Buffer::zeroed(ty, 0)).collect();
    let zeros: Vec<Scalar> = types.iter().map(|&ty| Scalar::zero(ty)).collect();
    launch.tools.sweep(&launch.captures, step, &types, &mut |tools, point, visit| {
        let Some(mut values) = visit.values() else { return Ok(()) };
        let class = values[0].as_integer().unwrap_or(0);
        if class < 0 || class as u64 >= classes {
            let element = point.at[step.level().0];
            class_out_of_range(tools, step.span, class, classes, site, element)?;
            values = &zeros;
        }
        let class = values[0].as_integer().unwrap_or(0) as u64;
        let segment = point.at[within.0] * classes + class;
        lengths[segment as usize] += 1;
        tools.take(1, size_of::<u64>())?;
        segments.push(segment);
        push_all(tools, &mut gathered, &values[1..])
    })?;
    let mut parent = launch.level_shape(within);
    parent.push(AxisValue::Extent(classes));
    let seg = Segmentation::from_lengths(parent, lengths.into_iter()).expect("points have been counted");
    let buffers = move_to_segments(launch, &seg, &segments, &gathered)?;
    let axis = AxisValue::Seg(Arc::new(seg));
    launch.keep(step.binds[0], Value::from(axis.clone()));
    launch.keep_arrays(&step.binds[1..], &[axis], buffers);
    Ok(())
}

fn class_out_of_range(
    tools: &mut Tools<'_, '_>,
    span: Span,
    class: i64,
    classes: u64,
    site: Option<SiteId>,
    element: u64,
) -> Result<(), Error> {
    match site {
        Some(site) => {
            tools.fault(site, element, FaultKind::Class { class, classes });
            Ok(())
        }
        None => {
            let message = format!("class {class} is proved to be less than {classes}");
            tools.broken(Error::Bug { message, span })
        }
    }
}

/// Moves each point to the next place of its segment.
fn move_to_segments(
    launch: &mut Launch<'_, '_>,
    seg: &Segmentation,
    segments: &[u64],
    gathered: &[Buffer],
) -> Result<Vec<Buffer>, Error> {
    let types: Vec<_> = gathered.iter().map(Buffer::elem).collect();
    let mut buffers = launch.tools.buffers(&types, segments.len() as u64)?;
    let mut next: Vec<u64> = (0..seg.n_segments()).map(|segment| seg.lengths.start(segment)).collect();
    let mut values = Vec::new();
    for (from, &segment) in segments.iter().enumerate() {
        launch.tools.meter.step(1)?;
        values.clear();
        values.extend(gathered.iter().map(|buffer| buffer.get(from)));
        set_all(&mut buffers, next[segment as usize], &values);
        next[segment as usize] += 1;
    }
    Ok(buffers)
}
