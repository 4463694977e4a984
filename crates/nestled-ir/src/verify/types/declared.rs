//! Checks declared types by themselves: the symbols in shapes, and size limits.

use crate::diagnostic::Diagnostic;
use crate::id::ValueId;
use crate::name::Value;
use crate::program::Program;
use crate::span::Span;
use crate::types::{ArrayType, Axis, Placement, SegType, Shape, Type};
use crate::verify::names;
use crate::verify::report::Report;

/// The greatest extent: every position must have an `idx`.
const MAX_EXTENT: u64 = i64::MAX as u64;

/// Checks the types of all values of a program, and the kinds of parameters.
pub(in crate::verify) fn check(program: &Program, report: &mut Report) {
    for kernel in &program.kernels {
        check_table(&kernel.values, kernel.span, report);
        check_params(&kernel.values, &kernel.shapes, &kernel.params, kernel.span, report);
        for &axis in &kernel.space {
            check_axis(&kernel.values, axis, kernel.span, report);
        }
    }
    for function in &program.functions {
        check_table(&function.values, function.span, report);
        check_params(&function.values, &function.shapes, &function.params, function.span, report);
    }
}

/// The place of a value, or that of its owner.
fn place(value: &Value, otherwise: Span) -> Span {
    if value.span.is_known() { value.span } else { otherwise }
}

fn check_table(values: &[Value], span: Span, report: &mut Report) {
    let before = report.len();
    for value in values {
        check_type(values, &value.ty, place(value, span), report);
    }
    // Coordinates are counted only once it is known what is a segmentation of what.
    if report.len() == before {
        check_coordinates(values, span, report);
    }
}

fn check_type(values: &[Value], ty: &Type, span: Span, report: &mut Report) {
    match ty {
        Type::Array(ArrayType { elem: _, shape, placement }) => {
            check_shape(values, shape, span, report);
            let segmented = matches!(shape.axes.as_slice(), [Axis::Sym(id)] if is_seg(values, *id));
            if *placement == Placement::View && !segmented {
                let message =
                    format!("`{}` is no view: its shape is no single segmentation", names::ty(values, ty));
                report.add(Diagnostic::new("L0304", message, span).help("views are written `view[s]f32`"));
            }
        }
        Type::Dim => {}
        Type::Seg(SegType { parent, form: _ }) => {
            check_shape(values, parent, span, report);
            if parent.is_scalar() {
                let message = "a segmentation needs a shape whose points own the segments";
                report
                    .add(Diagnostic::new("L0305", message, span).help("write `seg[1]` for a single segment"));
            }
        }
    }
}

/// Checks a shape: its axes, the position of a segmentation, and its rank.
pub(super) fn check_shape(values: &[Value], shape: &Shape, span: Span, report: &mut Report) {
    if shape.rank() > Shape::MAX_RANK {
        let message = format!("{} axes are too many: a shape has at most {}", shape.rank(), Shape::MAX_RANK);
        return report.add(Diagnostic::new("L0303", message, span));
    }
    for (position, &axis) in shape.axes.iter().enumerate() {
        check_axis(values, axis, span, report);
        if let Axis::Sym(id) = axis
            && position > 0
            && is_seg(values, id)
        {
            let name = names::value(values, id);
            let message = format!("the segmentation `{name}` is not the first axis of the shape");
            report.add(Diagnostic::new("L0302", message, span).help(format!(
                "write `[{name}, …]`: `{name}` stands for the levels that it segments as well"
            )));
        }
    }
}

/// Checks a single axis: an extent that fits, or an extent or segmentation by name.
pub(super) fn check_axis(values: &[Value], axis: Axis, span: Span, report: &mut Report) {
    match axis {
        Axis::Const(extent) => check_extent(extent, span, report),
        Axis::Sym(id) => {
            let value = &values[id.index()];
            if !value.ty.is_shape() {
                let (name, ty) = (names::value(values, id), names::ty(values, &value.ty));
                let message = format!("`{name}` is `{ty}`, and cannot be an axis of a shape");
                report.add(
                    Diagnostic::new("L0301", message, span)
                        .label(value.span, "bound here")
                        .help(format!("make an extent of it: `k = dim {name}`")),
                );
            }
        }
    }
}

/// Checks that an extent in the text has an `idx`.
pub(super) fn check_extent(extent: u64, span: Span, report: &mut Report) {
    if extent > MAX_EXTENT {
        let message = format!("the extent {extent} is too large for an `idx`");
        report.add(Diagnostic::new("L0306", message, span).help(format!("the greatest is {MAX_EXTENT}")));
    }
}

fn is_seg(values: &[Value], id: ValueId) -> bool {
    values[id.index()].ty.as_seg().is_some()
}

/// Checks that no point has more coordinates than a shape may have axes: kernels could not run over it.
fn check_coordinates(values: &[Value], span: Span, report: &mut Report) {
    let mut counted = vec![None; values.len()];
    for index in 0..values.len() {
        let ty = &values[index].ty;
        let count = match ty {
            Type::Array(array) => count_shape(values, &array.shape, &mut counted),
            Type::Dim => Some(1),
            Type::Seg(_) => count_symbol(values, ValueId::from(index), &mut counted),
        };
        if count.is_none_or(|count| count > Shape::MAX_RANK) {
            let message = format!(
                "a point of `{}` has more than {} coordinates",
                names::ty(values, ty),
                Shape::MAX_RANK
            );
            report.add(Diagnostic::new("L0303", message, place(&values[index], span)));
        }
    }
}

/// Coordinates of a point of a shape; `None` where a segmentation in it has too many.
fn count_shape(values: &[Value], shape: &Shape, counted: &mut [Option<usize>]) -> Option<usize> {
    shape.axes.iter().try_fold(0, |sum, &axis| match axis {
        Axis::Const(_) => Some(sum + 1),
        Axis::Sym(id) => count_symbol(values, id, counted).map(|count| sum + count),
    })
}

/// Coordinates that an axis stands for; `None` where they are too many. Goes from parent to parent without recursion, since only the
/// first axis of a shape may be a segmentation.
fn count_symbol(values: &[Value], id: ValueId, counted: &mut [Option<usize>]) -> Option<usize> {
    let (mut symbol, mut count) = (id, 0);
    while count <= Shape::MAX_RANK {
        if let Some(known) = counted[symbol.index()] {
            count += known;
            counted[id.index()] = Some(count);
            return Some(count);
        }
        let Type::Seg(seg) = &values[symbol.index()].ty else {
            counted[symbol.index()] = Some(1);
            continue;
        };
        // The segment's own coordinate, and those of the parent; its first axis comes in the next round.
        count += seg.parent.rank();
        match seg.parent.axes.first() {
            Some(Axis::Sym(first)) => symbol = *first,
            Some(Axis::Const(_)) | None => {
                counted[id.index()] = Some(count + 1);
                return Some(count + 1);
            }
        }
    }
    None
}

fn check_params(values: &[Value], shapes: &[ValueId], params: &[ValueId], span: Span, report: &mut Report) {
    for &id in shapes {
        let value = &values[id.index()];
        if !value.ty.is_shape() {
            let message = format!(
                "the shape parameter `{}` is `{}`, neither an extent nor a segmentation",
                names::value(values, id),
                names::ty(values, &value.ty)
            );
            report.add(Diagnostic::new("L0307", message, place(value, span)));
        }
    }
    for &id in params {
        let value = &values[id.index()];
        if value.ty.is_shape() {
            let name = names::value(values, id);
            let message = format!("the parameter `{name}` is a shape");
            report.add(
                Diagnostic::new("L0308", message, place(value, span))
                    .help(format!("write it in `<…>`: `<{name}: {}>`", names::ty(values, &value.ty))),
            );
        }
    }
}
