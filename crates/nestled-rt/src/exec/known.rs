//! Shape statements of what the host knows, or what stays on the device: most of them. Each says whether it is done; what would wait, or fault, is left as it was to the future in
//! `host.rs`.

use super::datum::{ArrayData, Datum};
use super::host::same_at_once;
use super::live_buffers::Purpose;
use super::machine::Machine;
use super::size_bounds::extent;
use crate::device::NativeKind;
use crate::error::Error;
use crate::lower::{Literal, Operand, Slot};
use nestled_ir::{Scalar, ScalarType, SiteId};
use std::rc::Rc;

impl Machine<'_> {
    /// A literal that was uploaded before.
    pub(super) fn literal_now(&mut self, literal: &Literal, dst: Slot) -> bool {
        let Some(data) = literal.uploaded.get() else { return false };
        let array = Datum::Array(Rc::new(ArrayData::whole(Rc::clone(data))));
        self.set(dst, array);
        true
    }

    /// An extent from the device, which is never negative, or a known number that is not.
    pub(super) fn dim_now(&mut self, extent: Operand, dst: Slot) -> bool {
        if matches!(self.datum(extent), Some(Datum::Cell(cell)) if cell.bound.is_some()) {
            let cell = self.take(extent);
            self.set(dst, cell);
            return true;
        }
        let Some(value @ 0..) = self.peek(extent).and_then(|number| number.as_integer()) else {
            return false;
        };
        self.done_with(extent);
        self.set(dst, Datum::Scalar(Scalar::Idx(value)));
        true
    }

    /// The number of points of known extents.
    pub(super) fn size_now(&mut self, axes: &[Operand], dst: Slot) -> bool {
        let mut points = 1i64;
        for &axis in axes {
            let extent = self.peek(axis).and_then(|number| number.as_integer());
            match extent.and_then(|extent| points.checked_mul(extent.max(0))) {
                Some(more) => points = more,
                None => return false,
            }
        }
        axes.iter().for_each(|&axis| self.done_with(axis));
        self.set(dst, Datum::Scalar(Scalar::Idx(points)));
        true
    }

    /// Extents that are known to be equal, or segmentations that were cut alike.
    pub(super) fn same_now(&mut self, left: Operand, right: Operand) -> bool {
        let equal = match (self.datum(left), self.datum(right)) {
            (Some(Datum::Seg(a)), Some(Datum::Seg(b))) => Rc::ptr_eq(&a.cut, &b.cut),
            _ => {
                let extent = |operand| self.peek(operand).and_then(|number: Scalar| number.as_integer());
                extent(left).is_some_and(|known| extent(right) == Some(known))
            }
        };
        if equal {
            self.done_with(left);
            self.done_with(right);
        }
        equal
    }

    /// An array in another shape of as many points.
    pub(super) fn reshape_now(
        &mut self,
        array: Operand,
        from: &[Operand],
        to: &[Operand],
        dst: Slot,
    ) -> bool {
        let (Some(before), Some(after)) = (self.points_now(from), self.points_now(to)) else { return false };
        if same_at_once(&before, &after) != Some(true) {
            return false;
        }
        let array = self.take(array);
        from.iter().chain(to).for_each(|&axis| self.done_with(axis));
        self.set(dst, array);
        true
    }

    /// A segmentation whose offsets fit into memory, and whose lengths need not be looked at.
    pub(super) fn segments_now(
        &mut self,
        lengths: Operand,
        parent: &[Operand],
        site: SiteId,
        dst: Slot,
    ) -> Result<bool, Error> {
        let Some(Datum::Array(array)) = self.datum(lengths) else { return Ok(false) };
        let array = Rc::clone(array);
        let Some(points) = self.points_now(parent) else { return Ok(false) };
        if let Some(offsets) = self.kept_offsets(&array, &points) {
            self.done_with(lengths);
            let parent = self.take_all(parent);
            self.set_segments(&array, parent, offsets, dst);
            return Ok(true);
        }
        let trusted = array.sum.as_ref().is_some_and(|sum| sum.is_natural());
        if !trusted && self.may_be_undercut(site) {
            return Ok(false);
        }
        let Ok(count) = extent(&points) else { return Ok(false) };
        let (len, purpose) = (array.len.saturating_add(1), Purpose::Words("a segmentation"));
        let Ok(offsets) = self.room(ScalarType::Idx, len, &purpose) else { return Ok(false) };
        self.done_with(lengths);
        let parent = self.take_all(parent);
        let (elem, lengths) = (array.data.elem, array.slice());
        self.native(NativeKind::Offsets { elem, lengths, count, offsets: offsets.slice(), site }, true)?;
        self.offsets_made(&array, &points, &offsets);
        self.set_segments(&array, parent, offsets, dst);
        Ok(true)
    }

    /// The number of points of a shape; `None` where it has to be waited for, or a value is lost.
    fn points_now(&self, axes: &[Operand]) -> Option<Datum> {
        let mut data = Vec::with_capacity(axes.len());
        for &axis in axes {
            data.push(match axis {
                Operand::Const(scalar) => Datum::Scalar(scalar),
                Operand::Slot { .. } => match self.datum(axis)? {
                    Datum::Empty => return None,
                    datum => datum.clone(),
                },
            });
        }
        self.points_at_once(&data).ok().flatten()
    }
}
