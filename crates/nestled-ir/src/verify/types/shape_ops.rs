//! Checks the types of shape operations of host code: extents, segmentations, reshapes and views.

use super::declared::{check_axis, check_extent, check_shape};
use super::host::HostTypes;
use crate::diagnostic::Diagnostic;
use crate::id::ValueId;
use crate::scalar::{Scalar, ScalarType};
use crate::span::Span;
use crate::types::{Axis, Form, Shape, Type};

impl HostTypes<'_, '_> {
    /// `[1, 2, 3]i32`: as many elements as the extents say, all of the type.
    pub(super) fn literal(&mut self, elem: ScalarType, extents: &[u64], elements: &[Scalar], span: Span) {
        if extents.is_empty() || extents.len() > Shape::MAX_RANK {
            let message = format!("a literal array has 1 to {} axes, not {}", Shape::MAX_RANK, extents.len());
            return self.report.add(Diagnostic::new("L0341", message, span));
        }
        extents.iter().for_each(|&extent| check_extent(extent, span, self.report));
        let points = extents.iter().try_fold(1u64, |points, &extent| points.checked_mul(extent));
        // With an extent of 0 there are no points, however large the others are.
        let points = if extents.contains(&0) { Some(0) } else { points };
        if points != Some(elements.len() as u64) {
            let message =
                format!("the literal has {} elements, but its shape is {extents:?}", elements.len());
            self.report.add(Diagnostic::new("L0341", message, span));
        }
        if let Some(wrong) = elements.iter().find(|element| element.ty() != elem) {
            let message = format!("`{wrong:?}` is an element of a literal array of `{elem}`");
            self.report.add(Diagnostic::new("L0342", message, span));
        }
    }

    /// A shape that stands in a statement.
    pub(super) fn any_shape(&mut self, shape: &Shape, span: Span) {
        check_shape(self.values(), shape, span, self.report);
    }

    /// A shape that stands in a statement and must have an axis.
    fn some_shape(&mut self, shape: &Shape, span: Span) {
        self.any_shape(shape, span);
        if shape.is_scalar() {
            let message = "a shape with at least one axis is wanted here";
            self.report.add(Diagnostic::new("L0345", message, span).help("write `[1]` for a single point"));
        }
    }

    /// `s = segments lens`
    pub(super) fn segments(&mut self, lengths: ValueId, span: Span) {
        let Some(array) = self.dense(lengths, span) else { return };
        if !array.elem.is_integer() {
            let message = format!("lengths of segments must be integers, not `{}`", array.elem);
            self.report.add(Diagnostic::new("L0344", message, span));
        }
    }

    /// `s = regular [p] m`
    pub(super) fn regular(&mut self, parent: &Shape, length: Axis, span: Span) {
        self.some_shape(parent, span);
        self.extent(length, span);
    }

    /// `t = widen s`
    pub(super) fn widen(&mut self, seg: ValueId, span: Span) {
        let Some(ty) = self.seg(seg, span) else { return };
        if ty.form == Form::Offsets {
            let message = format!("`{}` has offsets already", self.name(seg));
            self.report.add(Diagnostic::new("L0346", message, span).help("use it as it is"));
        }
    }

    /// `same a b`: two extents, or two segmentations of equal parents.
    pub(super) fn same(&mut self, left: Axis, right: Axis, span: Span) {
        let before = self.report.len();
        for axis in [left, right] {
            check_axis(self.values(), axis, span, self.report);
        }
        if self.report.len() > before {
            return;
        }
        let message = match (self.axis_seg(left), self.axis_seg(right)) {
            (None, None) => return,
            (Some(left), Some(right)) if self.equal.shape(&left, &right) => return,
            (Some(_), Some(_)) => "`same` wants segmentations of equal shapes",
            (None, Some(_)) | (Some(_), None) => "`same` wants two extents or two segmentations",
        };
        let diagnostic = Diagnostic::new("L0347", message, span);
        self.report.add(match (self.axis_seg(left), self.axis_seg(right)) {
            (Some(_), Some(_)) => diagnostic.help("make their parents `same` before"),
            _ => diagnostic,
        });
    }

    /// The parent, if the axis is a segmentation.
    fn axis_seg(&self, axis: Axis) -> Option<Shape> {
        match axis {
            Axis::Const(_) => None,
            Axis::Sym(value) => self.ty(value).as_seg().map(|seg| seg.parent.clone()),
        }
    }

    /// `ys = reshape xs [n, m]`
    pub(super) fn reshape(&mut self, array: ValueId, shape: &Shape, span: Span) {
        self.dense(array, span);
        self.some_shape(shape, span);
    }

    /// `v = view s starts buffer`
    pub(super) fn view(&mut self, seg: ValueId, starts: ValueId, buffer: ValueId, span: Span) {
        let (Some(seg), Some(found), Some(data)) =
            (self.seg(seg, span), self.dense(starts, span), self.dense(buffer, span))
        else {
            return;
        };
        let wanted = Type::dense(ScalarType::Idx, seg.parent.clone());
        if !self.equal.ty(&Type::Array(found.clone()), &wanted) {
            let message = format!(
                "the starts `{}` are `{}`, but must be `{}`",
                self.name(starts),
                self.type_text(self.ty(starts)),
                self.type_text(&wanted)
            );
            self.report.add(Diagnostic::new("L0348", message, span));
        }
        if data.shape.rank() != 1 || self.scope().is_seg(data.shape.axes[0]) {
            let name = self.name(buffer);
            let message =
                format!("the buffer `{name}` is `{}`, but must be `[m]T`", self.type_text(self.ty(buffer)));
            let help = format!("flatten it: `m = size …`, then `reshape {name} [m]`");
            self.report.add(Diagnostic::new("L0348", message, span).help(help));
        }
    }

    /// An axis that must be an extent.
    pub(super) fn extent(&mut self, axis: Axis, span: Span) {
        let before = self.report.len();
        check_axis(self.values(), axis, span, self.report);
        if self.report.len() == before
            && let Axis::Sym(value) = axis
            && *self.ty(value) != Type::Dim
        {
            let message = format!(
                "an extent is wanted, but `{}` is `{}`",
                self.name(value),
                self.type_text(self.ty(value))
            );
            self.report.add(Diagnostic::new("L0349", message, span));
        }
    }
}
