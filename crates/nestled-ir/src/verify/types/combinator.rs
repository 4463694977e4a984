//! Checks the types of combinators: the results of their thunks, and the values they bind.

use super::declared::check_shape;
use super::thunk::ThunkTypes;
use super::{expect_scalar, monoid, type_error};
use crate::diagnostic::Diagnostic;
use crate::id::ValueId;
use crate::kernel::{Base, Collision, Combinator, CombinatorKind, Kernel};
use crate::program::Program;
use crate::scalar::{Scalar, ScalarType};
use crate::types::{Axis, Shape, Type};
use crate::typing::{self, Scope};
use crate::verify::names;
use crate::verify::report::Report;

/// Checks the combinators of a kernel.
pub(super) fn check_kernel(program: &Program, kernel: &Kernel, report: &mut Report) {
    for step in &kernel.steps {
        let before = report.len();
        let results = check_thunk(program, kernel, step, report);
        check_guard(kernel, step, report);
        check_dest(kernel, step, report);
        if report.len() > before {
            continue; // What it binds follows from what was wrong.
        }
        check_kind(program, kernel, step, &results, report);
        check_binds(kernel, step, report);
    }
}

/// Checks the thunk; gives the types of its results.
fn check_thunk(
    program: &Program,
    kernel: &Kernel,
    step: &Combinator,
    report: &mut Report,
) -> Vec<ScalarType> {
    for param in step.body.params() {
        let what = format!("the coordinate `{}`", names::local(&step.body, param));
        let found = Some(step.body.local_type(param));
        expect_scalar("L0326", &what, ScalarType::Idx, found, step.span, report);
    }
    let mut types = ThunkTypes { program, values: &kernel.values, thunk: &step.body, report };
    types.stmts(&step.body.body);
    types.atom_types(&step.body.body.results, step.span).into_iter().flatten().collect()
}

fn check_guard(kernel: &Kernel, step: &Combinator, report: &mut Report) {
    let Some(guard) = step.guard else { return };
    let value = &kernel.values[guard.index()];
    let is_bool = value.ty.as_array().is_some_and(|array| array.elem == ScalarType::Bool);
    if !is_bool {
        let (name, ty) = (names::value(&kernel.values, guard), names::ty(&kernel.values, &value.ty));
        let message = format!("the guard `{name}` is `{ty}`: its elements must be `bool`");
        report.add(Diagnostic::new("L0337", message, step.span).label(value.span, "bound here"));
    }
}

/// The destination of a `permute` is a shape like any other.
fn check_dest(kernel: &Kernel, step: &Combinator, report: &mut Report) {
    let CombinatorKind::Permute { dest, .. } = &step.kind else { return };
    check_shape(&kernel.values, dest, step.span, report);
    if dest.is_scalar() {
        report.add(
            Diagnostic::new("L0338", "the destination of a `permute` has no axes", step.span)
                .help("use `reduce @0` to combine everything into one value"),
        );
    }
}

fn check_kind(
    program: &Program,
    kernel: &Kernel,
    step: &Combinator,
    results: &[ScalarType],
    report: &mut Report,
) {
    match &step.kind {
        CombinatorKind::Map | CombinatorKind::Filter { within: _ } => {}
        CombinatorKind::Reduce { to: _, monoid } | CombinatorKind::Scan { within: _, monoid, .. } => {
            monoid::check_use(program, monoid, results, step.span, report);
        }
        CombinatorKind::Partition { within: _, classes, site: _ } => {
            check_classes(*classes, results, step, report);
        }
        CombinatorKind::Serial { bases } => check_serial(kernel, step, bases, report),
        CombinatorKind::Permute { dest, base, range: _, collision } => {
            let n_coordinates = Scope::new(&kernel.values).coordinates(dest);
            let Some((at, values)) = results.split_at_checked(n_coordinates) else {
                return; // Too few results: said with the types of what it binds.
            };
            for &found in at {
                let what = "a coordinate of the destination";
                expect_scalar("L0334", what, ScalarType::Idx, Some(found), step.span, report);
            }
            check_base(kernel, step, dest, base, values, report);
            match collision {
                Collision::Combine(monoid) => monoid::check_use(program, monoid, values, step.span, report),
                Collision::Proved | Collision::Fault(_) | Collision::First | Collision::Last => {}
            }
        }
    }
}

/// One private array for each base, of its type; bases with one axis.
fn check_serial(kernel: &Kernel, step: &Combinator, bases: &[ValueId], report: &mut Report) {
    for (&base, private) in bases.iter().zip(&step.body.privates) {
        let (name, found) = array_type(kernel, base);
        let has_one_axis = found.as_array().is_some_and(|array| match array.shape.axes.as_slice() {
            [Axis::Const(_)] => true,
            [Axis::Sym(symbol)] => kernel.values[symbol.index()].ty == Type::Dim,
            _ => false,
        });
        let wanted = found.as_array().map(|array| Type::dense(private.elem, array.shape.clone()));
        if !has_one_axis || wanted.as_ref() != Some(&found) {
            let text = names::ty(&kernel.values, &found);
            let message =
                format!("the base `{name}` is `{text}`, but must be `[_]{}` over an extent", private.elem);
            report.add(Diagnostic::new("L0339", message, step.span));
        }
    }
}

fn check_classes(classes: u64, results: &[ScalarType], step: &Combinator, report: &mut Report) {
    if classes == 0 || i64::try_from(classes).is_err() {
        let message =
            format!("a `partition` into {classes} classes: at least 1, and no more than an `idx` holds");
        report.add(Diagnostic::new("L0335", message, step.span));
    }
    let found = results.first().copied();
    expect_scalar("L0334", "the class", ScalarType::Idx, found, step.span, report);
}

/// One base for each component, of its type; arrays over the destination.
fn check_base(
    kernel: &Kernel,
    step: &Combinator,
    dest: &Shape,
    base: &Base,
    elems: &[ScalarType],
    report: &mut Report,
) {
    let bases: Vec<(String, Type)> = match base {
        Base::Fill(fill) => fill.iter().map(fill_type).collect(),
        Base::Arrays(arrays) => arrays.iter().map(|&array| array_type(kernel, array)).collect(),
    };
    if bases.len() != elems.len() {
        let message =
            format!("the base has {}, but {} go there", names::count(bases.len(), "part"), elems.len());
        return report.add(Diagnostic::new("L0336", message, step.span).help("give one for each component"));
    }
    for ((name, found), &elem) in bases.iter().zip(elems) {
        let shape = match base {
            Base::Fill(_) => Shape::SCALAR,
            Base::Arrays(_) => dest.clone(),
        };
        let wanted = Type::dense(elem, shape);
        if *found != wanted {
            let text = |ty| names::ty(&kernel.values, ty);
            let message = format!("the base `{name}` is `{}`, but must be `{}`", text(found), text(&wanted));
            report.add(Diagnostic::new("L0336", message, step.span));
        }
    }
}

fn fill_type(scalar: &Scalar) -> (String, Type) {
    (format!("{scalar:?}"), Type::scalar(scalar.ty()))
}

fn array_type(kernel: &Kernel, array: ValueId) -> (String, Type) {
    (names::value(&kernel.values, array), kernel.values[array.index()].ty.clone())
}

/// Checks the declared types of the values that the combinator binds.
fn check_binds(kernel: &Kernel, step: &Combinator, report: &mut Report) {
    let types = match typing::combinator_types(kernel, &step.kind, &step.body, &step.binds) {
        Ok(types) => types,
        Err(error) => return report.add(type_error(&error, &kernel.values, step.span)),
    };
    for (&bind, ty) in step.binds.iter().zip(&types) {
        let declared = &kernel.values[bind.index()].ty;
        if declared != ty {
            let text = |ty| names::ty(&kernel.values, ty);
            let message = format!(
                "`{}` is declared `{}`, but bound to `{}`",
                names::value(&kernel.values, bind),
                text(declared),
                text(ty)
            );
            report.add(Diagnostic::new("L0314", message, step.span));
        }
    }
}
