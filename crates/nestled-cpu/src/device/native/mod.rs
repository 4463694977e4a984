//! Native operations on slices of memory.

mod blocks;
mod offsets;
mod product;
mod sorting;
mod views;

use super::memory::{Memory, bug};
use nestled_ir::interp::FaultKind;
use nestled_ir::value::Coordinates;
use nestled_ir::{ScalarType, SiteId};
use nestled_pool::Pool;
use nestled_rt::device::{DeviceError, DeviceFault, Extent, Native, NativeKind, Rows, Slice};
use views::Views;

/// Runs an operation and returns its least fault. After an earlier fault the contents of memory are not trusted.
pub(super) fn run(
    pool: &Pool,
    memory: &mut Memory,
    native: &Native,
    after_fault: bool,
) -> Result<Option<DeviceFault>, DeviceError> {
    let room = memory.room_for(matches!(native.kind, NativeKind::Sort { .. } | NativeKind::Rank { .. }));
    let views = Views::new(memory, &native.kind)?;
    let work = Work { pool, views, after_fault, room };
    let fault = work.run(&native.kind)?;
    let region = native.region;
    let point = Coordinates::default();
    Ok(fault.map(|(site, element, kind)| DeviceFault { region, site, element, point, kind }))
}

/// Site, element, and kind.
type Fault = (SiteId, u64, FaultKind);

/// The context of an operation.
struct Work<'a> {
    pool: &'a Pool,
    views: Views<'a>,
    after_fault: bool,
    /// Bytes of scratch that it may allocate.
    room: u64,
}

impl Work<'_> {
    fn run(&self, kind: &NativeKind) -> Result<Option<Fault>, DeviceError> {
        match kind {
            NativeKind::Sort { elem, keys, sorted, payload, rows, order } => {
                self.sort(*elem, *keys, *sorted, payload, *rows, *order)?;
            }
            NativeKind::Rank { elem, keys, ranks, rows, order } => {
                self.rank(*elem, *keys, *ranks, *rows, *order)?;
            }
            NativeKind::MatMul { elem, left, right, product, sizes } => {
                self.product(*elem, *left, *right, *product, *sizes)?;
            }
            NativeKind::Offsets { elem, lengths, count, offsets, site } => {
                return self.offsets(*elem, *lengths, *count, *offsets, *site);
            }
            NativeKind::Lengths { offsets, lengths } => {
                let offsets: &[i64] = self.views.input(*offsets)?;
                offsets::lengths(self.pool, offsets, self.views.output(*lengths)?);
            }
            NativeKind::Ramp { step, count, into } => {
                let (step, count) = (self.exact(*step)?, self.exact(*count)?);
                offsets::ramp(self.pool, step, count, self.views.output(*into)?);
            }
            NativeKind::FillExtent { extent, into } => {
                let extent = self.exact(*extent)? as i64;
                blocks::fill(self.pool, self.views.output(*into)?, |_, block| block.fill(extent));
            }
            NativeKind::Inside { starts, count, rows, limit, site } => {
                return self.inside(*starts, *count, *rows, *limit, *site);
            }
            NativeKind::SameOffsets { left, right, equal } => {
                let same = offsets::same(self.pool, self.views.input(*left)?, self.views.input(*right)?);
                self.views.output::<u8>(*equal)?.fill(u8::from(same));
            }
        }
        Ok(None)
    }

    fn exact(&self, extent: Extent) -> Result<u64, DeviceError> {
        self.views.memory().exact(extent)
    }

    fn offsets(
        &self,
        elem: ScalarType,
        lengths: Slice,
        count: Extent,
        offsets: Slice,
        site: SiteId,
    ) -> Result<Option<Fault>, DeviceError> {
        let lengths = first(lengths, self.exact(count)?)?;
        if offsets.len <= lengths.len {
            return Err(bug("no room for offsets"));
        }
        let (views, entries) = (&self.views, self.views.output(offsets)?);
        let made = match elem {
            ScalarType::I8 => offsets::from_lengths::<i8>(self.pool, views.input(lengths)?, entries),
            ScalarType::U8 => offsets::from_lengths::<u8>(self.pool, views.input(lengths)?, entries),
            ScalarType::I16 => offsets::from_lengths::<i16>(self.pool, views.input(lengths)?, entries),
            ScalarType::U16 => offsets::from_lengths::<u16>(self.pool, views.input(lengths)?, entries),
            ScalarType::I32 => offsets::from_lengths::<i32>(self.pool, views.input(lengths)?, entries),
            ScalarType::U32 => offsets::from_lengths::<u32>(self.pool, views.input(lengths)?, entries),
            // As an index a length beyond the greatest one is negative.
            ScalarType::I64 | ScalarType::U64 | ScalarType::Idx => {
                offsets::from_lengths::<i64>(self.pool, views.input(lengths)?, entries)
            }
            ScalarType::Bool | ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => {
                return Err(bug(format!("lengths of type {elem}")));
            }
        };
        match made {
            Ok(()) => Ok(None),
            Err(offsets::BadLengths::TooMany) => Err(DeviceError::Points),
            Err(offsets::BadLengths::Negative { at, value }) => {
                Ok(Some((site, at as u64, FaultKind::Negative { value })))
            }
        }
    }

    fn inside(
        &self,
        starts: Slice,
        count: Extent,
        rows: Rows,
        limit: Extent,
        site: SiteId,
    ) -> Result<Option<Fault>, DeviceError> {
        let (count, limit) = (self.exact(count)?, self.exact(limit)?);
        let starts: &[i64] = self.views.input(first(starts, count)?)?;
        let lengths = match rows {
            Rows::Regular { count: _, length } => offsets::RowLengths::Regular(self.exact(length)?),
            Rows::Offsets(offsets) => offsets::RowLengths::Offsets(self.views.input(offsets)?),
        };
        let outside = offsets::first_outside(self.pool, starts, lengths, limit);
        Ok(outside.map(|at| {
            let (start, length) = (starts[at], lengths.of(at));
            (site, at as u64, FaultKind::Segment { start, length, extent: limit })
        }))
    }
}

/// Returns the first elements of a slice.
fn first(slice: Slice, len: u64) -> Result<Slice, DeviceError> {
    if len > slice.len {
        return Err(bug(format!("{len} elements are wanted of {slice:?}")));
    }
    Ok(Slice { len, ..slice })
}
