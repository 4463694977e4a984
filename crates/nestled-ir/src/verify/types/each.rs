//! Checks the types of `each`: the arguments of every instance, and the segmentations they come from.

use super::arguments::{Callee, substitution};
use super::host::HostTypes;
use crate::diagnostic::Diagnostic;
use crate::host::EachArg;
use crate::id::{FunctionId, ValueId};
use crate::span::Span;
use crate::types::{ArrayType, Axis, Shape, Type};
use crate::typing::Substitution;
use crate::verify::names;

impl HostTypes<'_, '_> {
    /// `(s, ys) = each n f<_>(xs[_], c)`
    pub(super) fn each(
        &mut self,
        extent: Axis,
        function: FunctionId,
        shapes: &[Option<Axis>],
        args: &[EachArg],
        span: Span,
    ) {
        let callee = Callee::function(self.program, function);
        let n = [callee.shapes.len(), shapes.len(), callee.params.len(), args.len()];
        if !self.counts(callee, n, span) {
            return;
        }
        let before = self.report.len();
        self.extent(extent, span);
        self.shape_arguments(callee, shapes, span);
        self.lengths(callee, shapes, span);
        if self.report.len() > before {
            return;
        }
        let substitution = substitution(callee, shapes);
        let mut instances = Instances { extent, shapes, segs: Vec::new() };
        for (&param, &arg) in callee.params.iter().zip(args) {
            self.each_argument(callee, param, arg, &substitution, &mut instances, span);
        }
        if self.report.len() == before {
            self.all_lengths_known(callee, &instances, span);
        }
    }

    /// Checks that the lengths of segments are extents, and that no segmentation is built on one.
    fn lengths(&mut self, callee: Callee<'_>, shapes: &[Option<Axis>], span: Span) {
        for (&formal, actual) in callee.shapes.iter().zip(shapes) {
            let Type::Seg(seg) = &callee.values[formal.index()].ty else { continue };
            let on_length = seg.parent.axes.iter().any(|&axis| is_length(callee, shapes, axis));
            if actual.is_none() || on_length {
                let name = names::value(callee.values, formal);
                let message = format!(
                    "`{name}` of `{}` is a segmentation, and differs from instance to instance",
                    callee.name
                );
                self.report.add(
                    Diagnostic::new("L0363", message, span)
                        .help("`each` gives an instance scalars, one segment `[k]T` of an array, and what is the same for all"),
                );
            }
        }
    }

    fn each_argument(
        &mut self,
        callee: Callee<'_>,
        param: ValueId,
        arg: EachArg,
        substitution: &Substitution,
        instances: &mut Instances<'_>,
        span: Span,
    ) {
        let formal = &callee.values[param.index()].ty;
        match arg {
            EachArg::Uniform(atom) => {
                let varies = formal.as_array().is_some_and(|array| {
                    array.shape.axes.iter().any(|&axis| is_length(callee, instances.shapes, axis))
                });
                if varies {
                    let text = self.atom_text(atom);
                    return self.wrong_element(
                        callee,
                        param,
                        format!("`{text}` is the same for every instance"),
                        span,
                    );
                }
                self.argument(callee, param, &substitution.ty(formal), atom, span);
            }
            EachArg::Element(array) => self.element(callee, param, array, instances, span),
        }
    }

    /// `xs[_]`: an element of `[n]T`, or a segment of `[s]T`.
    fn element(
        &mut self,
        callee: Callee<'_>,
        param: ValueId,
        array: ValueId,
        instances: &mut Instances<'_>,
        span: Span,
    ) {
        let Some(found) = self.dense(array, span) else { return };
        let formal = &callee.values[param.index()].ty;
        let wanted = formal.as_array().map(|array| (array.elem, array.shape.axes.as_slice()));
        let fits = match (wanted, found.shape.axes.as_slice()) {
            (Some((elem, [])), &[axis]) => elem == found.elem && self.equal.axis(axis, instances.extent),
            (Some((elem, &[Axis::Sym(length)])), &[Axis::Sym(seg)])
                if is_length(callee, instances.shapes, Axis::Sym(length)) =>
            {
                elem == found.elem && self.is_segment(length, seg, instances)
            }
            _ => false,
        };
        if !fits {
            let points = names::axis(self.values(), instances.extent);
            let ty = self.type_text(&Type::Array(ArrayType::clone(found)));
            let found = format!("`{}` is `{ty}`, and `each` is over `{points}`", self.name(array));
            self.wrong_element(callee, param, found, span);
        }
    }

    /// True if `seg` segments the points of the `each`, and equals the segmentation of the other arrays with this length.
    fn is_segment(&self, length: ValueId, seg: ValueId, instances: &mut Instances<'_>) -> bool {
        let Some(ty) = self.ty(seg).as_seg() else { return false };
        let known = instances.segs.iter().find(|(formal, _)| *formal == length).map(|(_, seg)| *seg);
        if known.is_none() {
            instances.segs.push((length, seg));
        }
        self.equal.shape(&ty.parent, &Shape::new([instances.extent]))
            && known.is_none_or(|known| self.equal.axis(Axis::Sym(known), Axis::Sym(seg)))
    }

    fn wrong_element(&mut self, callee: Callee<'_>, param: ValueId, found: String, span: Span) {
        let value = &callee.values[param.index()];
        let message = format!(
            "{found}, but an instance of `{}` wants `{}: {}`",
            callee.name,
            names::value(callee.values, param),
            names::ty(callee.values, &value.ty)
        );
        self.report.add(
            Diagnostic::new("L0363", message, span).label(value.span, "declared here").help(
                "`xs[_]` is the element of `[n]T` for a scalar, and the segment of `[s]T` for `[k]T` with `_` given for `k`",
            ),
        );
    }

    fn all_lengths_known(&mut self, callee: Callee<'_>, instances: &Instances<'_>, span: Span) {
        for (&formal, actual) in callee.shapes.iter().zip(instances.shapes) {
            let known = instances.segs.iter().any(|(length, _)| *length == formal);
            if actual.is_none() && !known {
                let name = names::value(callee.values, formal);
                let message = format!("no segment says what `{name}` of `{}` is", callee.name);
                self.report
                    .add(Diagnostic::new("L0363", message, span).help("give an extent in the place of `_`"));
            }
        }
    }
}

/// The shape arguments of the instances of an `each`.
struct Instances<'a> {
    extent: Axis,
    shapes: &'a [Option<Axis>],
    /// For each length that varies, the segmentation that it comes from.
    segs: Vec<(ValueId, ValueId)>,
}

/// True if an axis of the callee is the length of the instance's segment.
fn is_length(callee: Callee<'_>, shapes: &[Option<Axis>], axis: Axis) -> bool {
    callee.shapes.iter().zip(shapes).any(|(&formal, actual)| actual.is_none() && axis == Axis::Sym(formal))
}
