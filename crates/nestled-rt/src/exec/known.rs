//! Shape statements of what the host knows, or what stays on the device: most of them. Each says whether it is done; what would wait, or fault, is left as it was to the future in
//! `host.rs`.

use super::datum::{ArrayData, Datum};
use super::machine::Machine;
use crate::lower::{Literal, Operand, Slot};
use nestled_ir::Scalar;
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
}
