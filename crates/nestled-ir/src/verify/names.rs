//! Prints names and types for messages, in the words of the text form. Never panics, whatever the ids.

use crate::id::{LocalId, ValueId};
use crate::name::Value;
use crate::thunk::{Atom, Thunk};
use crate::types::{ArrayType, Axis, Form, Placement, Shape, Type};

/// The name of a value, without backticks; `%7` where it has none.
pub(super) fn value(values: &[Value], id: ValueId) -> String {
    match values.get(id.index()) {
        Some(value) if !value.name.is_empty() => value.name.to_string(),
        Some(_) | None => format!("{id:?}"),
    }
}

/// The name of a local, without backticks; `%7` where it has none.
pub(super) fn local(thunk: &Thunk, id: LocalId) -> String {
    match thunk.locals.get(id.index()) {
        Some(local) if !local.name.is_empty() => local.name.to_string(),
        Some(_) | None => format!("{id:?}"),
    }
}

/// An operand of a thunk.
pub(super) fn atom(values: &[Value], thunk: &Thunk, atom: Atom) -> String {
    match atom {
        Atom::Local(id) => local(thunk, id),
        Atom::Const(scalar) => format!("{scalar:?}"),
        Atom::Value(id) => value(values, id),
    }
}

/// An axis. A symbol that shares its name with others is told apart by its number: in a message about two shapes that only look
/// alike that is the point.
pub(super) fn axis(values: &[Value], axis: Axis) -> String {
    match axis {
        Axis::Const(extent) => extent.to_string(),
        Axis::Sym(id) => {
            let name = value(values, id);
            let shared = values.iter().filter(|value| *value.name == *name).count() > 1;
            if shared { format!("{name}.{}", id.0) } else { name }
        }
    }
}

/// A shape: `[n, 3]`.
pub(super) fn shape(values: &[Value], shape: &Shape) -> String {
    let axes: Vec<String> = shape.axes.iter().map(|&part| axis(values, part)).collect();
    format!("[{}]", axes.join(", "))
}

/// A type: `[n, 3]f32`, `view[s]f32`, `dim`, `seg[n]`.
pub(super) fn ty(values: &[Value], ty: &Type) -> String {
    match ty {
        Type::Array(ArrayType { elem, shape: Shape { axes }, placement: Placement::Dense })
            if axes.is_empty() =>
        {
            elem.to_string()
        }
        Type::Array(array) => {
            let view = match array.placement {
                Placement::Dense => "",
                Placement::View => "view",
            };
            format!("{view}{}{}", shape(values, &array.shape), array.elem)
        }
        Type::Dim => "dim".to_owned(),
        Type::Seg(seg) => {
            let form = match seg.form {
                Form::Regular => "regular",
                Form::Offsets => "seg",
            };
            format!("{form}{}", shape(values, &seg.parent))
        }
    }
}

/// `1 name`, `2 names`.
pub(super) fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}
