//! Native operations of the reference device.

use super::State;
use crate::device::{DeviceError, DeviceFault, Extent, Native, NativeKind, Rows, Slice, device_error};
use nestled_ir::interp::{FaultKind, library};
use nestled_ir::value::{Array, AxisValue, Buffer, Coordinates, Lengths, Segmentation};
use nestled_ir::{Scalar, ScalarType, SiteId};
use std::sync::Arc;

impl State {
    pub(super) fn run_native(&mut self, native: &Native) -> Result<(), DeviceError> {
        match self.try_native(native) {
            // What follows a fault may be called with values that the program never meant.
            Err(DeviceError::Bug(_)) if self.fault.is_some() => {
                native.kind.results().into_iter().try_for_each(|slice| self.memory.spoil(slice))
            }
            outcome => outcome,
        }
    }

    fn try_native(&mut self, native: &Native) -> Result<(), DeviceError> {
        match &native.kind {
            NativeKind::Sort { elem: _, keys, sorted, payload, rows, order } => {
                let keys = self.rows_value(*keys, *rows)?;
                let mut moved = Vec::with_capacity(payload.len());
                for (_, part, _) in payload {
                    moved.push(Arc::new(self.rows_value(*part, *rows)?));
                }
                let results =
                    library::sort(&keys, &moved, *order, &mut self.meter()).map_err(device_error)?;
                let into = std::iter::once(*sorted).chain(payload.iter().map(|(_, _, to)| *to));
                into.zip(results).try_for_each(|(slice, result)| self.memory.write(slice, result.data))
            }
            NativeKind::Rank { elem: _, keys, ranks, rows, order } => {
                let keys = self.rows_value(*keys, *rows)?;
                let result = library::rank(&keys, *order, &mut self.meter()).map_err(device_error)?;
                self.memory.write(*ranks, result.data)
            }
            NativeKind::MatMul { elem: _, left, right, product, sizes: [n, k, m] } => {
                let left = self.matrix(*left, *n, *k)?;
                let right = self.matrix(*right, *k, *m)?;
                let result = library::matmul(&left, &right, &mut self.meter()).map_err(device_error)?;
                self.memory.write(*product, result.data)
            }
            NativeKind::Offsets { elem: _, lengths, count, offsets, site } => {
                self.offsets(native, *lengths, *count, *offsets, *site)
            }
            NativeKind::Lengths { offsets, lengths } => {
                let entries = self.memory.indices(*offsets, offsets.len)?;
                let list: Vec<i64> = entries.windows(2).map(|pair| pair[1] - pair[0]).collect();
                self.memory.write(*lengths, Arc::new(Buffer::Idx(list)))
            }
            NativeKind::Ramp { step, count, into } => {
                let (step, count) = (self.memory.exact(*step)?, self.memory.exact(*count)?);
                let list = (0..into.len).map(|at| at.min(count).saturating_mul(step) as i64).collect();
                self.memory.write(*into, Arc::new(Buffer::Idx(list)))
            }
            NativeKind::FillExtent { extent, into } => {
                let extent = self.memory.exact(*extent)? as i64;
                self.memory.write(*into, Arc::new(Buffer::Idx(vec![extent; into.len as usize])))
            }
            NativeKind::Inside { starts, count, rows, limit, site } => {
                self.inside(native, *starts, *count, *rows, *limit, *site)
            }
            NativeKind::SameOffsets { left, right, equal } => {
                let a = self.memory.indices(*left, left.len)?;
                let b = self.memory.indices(*right, right.len)?;
                let same = (0..a.len().max(b.len())).all(|at| entry(&a, at) == entry(&b, at));
                self.memory
                    .write(*equal, Arc::new(Buffer::from_scalars(ScalarType::Bool, &[Scalar::Bool(same)])))
            }
        }
    }

    /// The keys or payload of a sort: an array over its rows.
    fn rows_value(&self, slice: Slice, rows: Rows) -> Result<Array, DeviceError> {
        let (shape, len) = match rows {
            Rows::Regular { count, length } => {
                let (count, length) = (self.memory.exact(count)?, self.memory.exact(length)?);
                (vec![AxisValue::Extent(count), AxisValue::Extent(length)], count * length)
            }
            Rows::Offsets(offsets) => {
                let entries = self.memory.indices(offsets, offsets.len)?;
                let total = entry(&entries, entries.len()) as u64;
                let parent = vec![AxisValue::Extent(entries.len() as u64 - 1)];
                let seg = Segmentation { parent, lengths: Lengths::Offsets(entries.into()) };
                (vec![AxisValue::Seg(Arc::new(seg))], total)
            }
        };
        let data = self.memory.read(Slice { len, ..slice })?;
        Ok(Array { elem: data.elem(), shape, starts: None, data })
    }

    fn matrix(&self, slice: Slice, rows: Extent, columns: Extent) -> Result<Array, DeviceError> {
        let (rows, columns) = (self.memory.exact(rows)?, self.memory.exact(columns)?);
        let data = self.memory.read(Slice { len: rows * columns, ..slice })?;
        let shape = vec![AxisValue::Extent(rows), AxisValue::Extent(columns)];
        Ok(Array { elem: data.elem(), shape, starts: None, data })
    }

    fn offsets(
        &mut self,
        native: &Native,
        lengths: Slice,
        count: Extent,
        offsets: Slice,
        site: SiteId,
    ) -> Result<(), DeviceError> {
        let count = self.memory.exact(count)?;
        let lengths = self.memory.read(Slice { len: count, ..lengths })?;
        let mut entries = vec![0i64];
        let (mut total, mut is_fit) = (0i64, true);
        for at in 0..lengths.len() {
            let value = lengths.get(at).as_index().unwrap_or(0);
            if value < 0 {
                self.fault(native, site, at as u64, FaultKind::Negative { value });
            }
            let sum = total.checked_add(value.max(0));
            is_fit &= sum.is_some();
            total = sum.unwrap_or(i64::MAX);
            entries.push(total);
        }
        // Where a length is negative, that is what is wrong.
        if !is_fit && (0..lengths.len()).all(|at| lengths.get(at).as_index() >= Some(0)) {
            return Err(DeviceError::Points);
        }
        entries.resize(offsets.len as usize, total);
        self.memory.write(offsets, Arc::new(Buffer::Idx(entries)))
    }

    fn inside(
        &mut self,
        native: &Native,
        starts: Slice,
        count: Extent,
        rows: Rows,
        limit: Extent,
        site: SiteId,
    ) -> Result<(), DeviceError> {
        let count = self.memory.exact(count)?;
        let limit = self.memory.exact(limit)?;
        let starts = self.memory.indices(starts, count)?;
        let length: Box<dyn Fn(usize) -> u64> = match rows {
            Rows::Regular { count: _, length } => {
                let length = self.memory.exact(length)?;
                Box::new(move |_| length)
            }
            Rows::Offsets(offsets) => {
                let entries = self.memory.indices(offsets, offsets.len)?;
                Box::new(move |at| (entry(&entries, at + 1) - entry(&entries, at)) as u64)
            }
        };
        for (at, &start) in starts.iter().enumerate() {
            let length = length(at);
            let end = u64::try_from(start).ok().and_then(|start| start.checked_add(length));
            if end.is_none_or(|end| end > limit) {
                self.fault(native, site, at as u64, FaultKind::Segment { start, length, extent: limit });
            }
        }
        Ok(())
    }

    fn fault(&mut self, native: &Native, site: SiteId, element: u64, kind: FaultKind) {
        self.note(DeviceFault { region: native.region, site, element, point: Coordinates::default(), kind });
    }
}

/// An entry of offsets that are padded with their total without end.
fn entry(offsets: &[i64], at: usize) -> i64 {
    offsets.get(at).or(offsets.last()).copied().unwrap_or(0)
}
