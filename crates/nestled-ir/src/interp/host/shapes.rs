//! Shape operations of host code: extents, segmentations, `same`, reshapes and views.

use super::super::error::{Error, FaultKind, Limit};
use super::super::meter;
use super::Machine;
use super::slot::Slot;
use crate::host::{HostAtom, HostStmt};
use crate::id::{SiteId, ValueId};
use crate::types::{Axis, Shape};
use crate::value::{Array, AxisValue, Buffer, Lengths, Segmentation, count_points, same_shape};
use std::sync::Arc;

impl Machine<'_, '_> {
    pub(super) fn dim(&mut self, stmt: &HostStmt, extent: HostAtom, site: SiteId) -> Result<(), Error> {
        let value = self.scalar(extent).as_integer().unwrap_or(-1);
        if value >= 0 {
            self.bind(stmt, [Slot::Dim(value as u64)]);
        } else {
            self.fault(site, 0, FaultKind::Negative { value });
            self.lose(stmt);
        }
        Ok(())
    }

    pub(super) fn size(&mut self, stmt: &HostStmt, shape: &Shape) -> Result<(), Error> {
        let points = countable(count_points(&self.shape(shape)))?;
        self.bind(stmt, [Slot::Dim(points)]);
        Ok(())
    }

    pub(super) fn segments(&mut self, stmt: &HostStmt, lengths: ValueId, site: SiteId) -> Result<(), Error> {
        let lengths = self.array(lengths);
        let n = lengths.points();
        self.meter.step(n)?;
        self.meter.room_for(n.saturating_mul(16))?;
        let values: Vec<i64> = lengths.elements().map(|length| length.as_index().unwrap_or(-1)).collect();
        if let Some(segment) = values.iter().position(|&length| length < 0) {
            self.fault(site, segment as u64, FaultKind::Negative { value: values[segment] });
            self.lose(stmt);
            return Ok(());
        }
        let values = values.into_iter().map(|length| length as u64);
        let seg = Segmentation::from_lengths(lengths.shape.clone(), values)
            .ok_or_else(|| meter::error(Limit::Points))?;
        self.bind_seg(stmt, seg)
    }

    pub(super) fn regular(&mut self, stmt: &HostStmt, parent: &Shape, length: Axis) -> Result<(), Error> {
        let length = match self.axis(length) {
            AxisValue::Extent(extent) => extent,
            AxisValue::Seg(_) => unreachable!("the verifier lets only extents be lengths"),
        };
        let seg = Segmentation::regular(self.shape(parent), length);
        countable(seg.total())?;
        self.bind_seg(stmt, seg)
    }

    pub(super) fn widen(&mut self, stmt: &HostStmt, seg: ValueId) -> Result<(), Error> {
        let seg = self.seg(seg);
        let n = seg.n_segments();
        self.meter.step(n)?;
        self.meter.room_for(n.saturating_mul(16))?;
        let offsets: Vec<i64> =
            (0..n).map(|at| seg.lengths.start(at) as i64).chain([seg.total() as i64]).collect();
        let lengths = Lengths::Offsets(offsets.into());
        self.bind_seg(stmt, Segmentation { parent: seg.parent.clone(), lengths })
    }

    fn bind_seg(&mut self, stmt: &HostStmt, seg: Segmentation) -> Result<(), Error> {
        self.meter.watch_offsets(&seg)?;
        self.bind(stmt, [Slot::Seg(Arc::new(seg))]);
        Ok(())
    }

    /// An array of one number for each segment.
    pub(super) fn of_segments(
        &mut self,
        stmt: &HostStmt,
        seg: ValueId,
        number: fn(&Segmentation, u64) -> u64,
    ) -> Result<(), Error> {
        let seg = self.seg(seg);
        let n = seg.n_segments();
        self.meter.step(n)?;
        self.meter.room_for(n.saturating_mul(8))?;
        let numbers = (0..n).map(|at| number(&seg, at) as i64).collect();
        self.bind_array(stmt, Array::dense(seg.parent.clone(), Buffer::Idx(numbers)))
    }

    pub(super) fn same(&mut self, left: Axis, right: Axis, site: SiteId) -> Result<(), Error> {
        let (left, right) = (self.axis(left), self.axis(right));
        if let (AxisValue::Seg(a), AxisValue::Seg(b)) = (&left, &right)
            && !Arc::ptr_eq(a, b)
        {
            self.meter.step(a.n_segments().min(b.n_segments()) / 4)?;
        }
        if !left.same(&right) {
            let (left, right) = (describe(&left), describe(&right));
            self.fault(site, 0, FaultKind::Unequal { left, right });
        }
        Ok(())
    }

    pub(super) fn reshape(
        &mut self,
        stmt: &HostStmt,
        array: ValueId,
        shape: &Shape,
        site: SiteId,
    ) -> Result<(), Error> {
        let (array, shape) = (self.array(array), self.shape(shape));
        let (found, wanted) = (array.points(), count_points(&shape));
        if found == wanted {
            let array = Array { elem: array.elem, shape, starts: None, data: Arc::clone(&array.data) };
            self.bind(stmt, [Slot::Array(Arc::new(array))]);
        } else {
            let left = format!("{found} elements");
            self.fault(site, 0, FaultKind::Unequal { left, right: format!("a shape of {wanted} points") });
            self.lose(stmt);
        }
        Ok(())
    }

    pub(super) fn view(
        &mut self,
        stmt: &HostStmt,
        seg: ValueId,
        starts: ValueId,
        buffer: ValueId,
        site: SiteId,
    ) -> Result<(), Error> {
        let (seg, starts, buffer) = (self.seg(seg), self.array(starts), self.array(buffer));
        let n = seg.n_segments();
        if !same_shape(&starts.shape, &seg.parent) {
            return self.unfit(stmt, format!("{} starts are given for {n} segments", starts.points()));
        }
        self.meter.step(n)?;
        self.meter.room_for(n.saturating_mul(8))?;
        let starts: Arc<[i64]> = starts.elements().map(|start| start.as_index().unwrap_or(-1)).collect();
        let extent = buffer.data.len() as u64;
        let outside = (0..n).find(|&at| !seg.lengths.fits(at, starts[at as usize], extent));
        if let Some(at) = outside {
            let (start, length) = (starts[at as usize], seg.lengths.length(at));
            self.fault(site, at, FaultKind::Segment { start, length, extent });
            self.lose(stmt);
            return Ok(());
        }
        self.meter.watch_starts(&starts)?;
        let shape = vec![AxisValue::Seg(seg)];
        let data = Arc::clone(&buffer.data);
        let view = Array { elem: buffer.elem, shape, starts: Some(starts), data };
        self.bind(stmt, [Slot::Array(Arc::new(view))]);
        Ok(())
    }
}

/// A count that fits an `idx`.
pub(super) fn countable(points: u64) -> Result<u64, Error> {
    if points <= i64::MAX as u64 { Ok(points) } else { Err(meter::error(Limit::Points)) }
}

fn describe(axis: &AxisValue) -> String {
    match axis {
        AxisValue::Extent(extent) => extent.to_string(),
        AxisValue::Seg(seg) => {
            format!("a segmentation of {} points into {} segments", seg.total(), seg.n_segments())
        }
    }
}
