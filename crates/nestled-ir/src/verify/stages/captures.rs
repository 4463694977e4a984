//! Checks captures: the values of a kernel that its thunks may name.

use super::{KernelContext, Read};
use crate::diagnostic::Diagnostic;
use crate::id::ValueId;
use crate::kernel::Combinator;
use crate::span::Span;
use crate::thunk::{Atom, Stmt, StmtKind, Thunk, ThunkPart};
use crate::verify::report::Report;

/// Checks that the operands of a statement, and the arrays and segmentations that it indexes, are parameters of the kernel.
pub(super) fn check_params(cx: &KernelContext<'_>, stmt: &Stmt, report: &mut Report) {
    stmt.kind.for_each_part(&mut |part| match part {
        ThunkPart::Param(value) => check_param(cx, *value, stmt.span, report),
        ThunkPart::Atom(atom) => check_atom(cx, *atom, stmt.span, report),
        ThunkPart::Block(block) => {
            block.results.iter().for_each(|&result| check_atom(cx, result, stmt.span, report));
        }
        ThunkPart::Dst(_)
        | ThunkPart::LoopLocal(_)
        | ThunkPart::Earlier(_)
        | ThunkPart::NewPrivate(_)
        | ThunkPart::Private(_)
        | ThunkPart::Thunk(_)
        | ThunkPart::Rule(_)
        | ThunkPart::Site(_) => {}
    });
}

/// Checks an operand.
pub(super) fn check_atom(cx: &KernelContext<'_>, atom: Atom, span: Span, report: &mut Report) {
    match atom {
        Atom::Value(value) => check_param(cx, value, span, report),
        Atom::Local(_) | Atom::Const(_) => {}
    }
}

fn check_param(cx: &KernelContext<'_>, value: ValueId, span: Span, report: &mut Report) {
    let Some(binder) = cx.binder(value) else { return };
    let name = cx.name(value);
    let (message, help) = if binder.kind.is_readable() {
        let message = format!(
            "`{name}` is made by this kernel, and may be read only at the own coordinates or in a window"
        );
        (message, "return it, and read it in another kernel")
    } else {
        not_readable(&name, binder)
    };
    report.add(cx.message("L0421", message, span, value).help(help));
}

/// Checks that a register or window is of an earlier `map`, `scan` or `reduce`.
pub(super) fn check_readable<'a>(
    cx: &KernelContext<'a>,
    read: &Read<'_>,
    report: &mut Report,
) -> Option<&'a Combinator> {
    let name = cx.name(read.bind);
    let binder = cx.binders[read.bind.index()].filter(|&binder| binder < read.position);
    let Some(binder) = binder.map(|binder| &cx.kernel.steps[binder]) else {
        let message = format!("`{name}` is read as an earlier combinator, but is a parameter");
        report.add(cx.message("L0422", message, read.span, read.bind));
        return None;
    };
    if !binder.kind.is_readable() {
        let (message, help) = not_readable(&name, binder);
        report.add(cx.message("L0421", message, read.span, read.bind).help(help));
        return None;
    }
    Some(binder)
}

fn not_readable(name: &str, binder: &Combinator) -> (String, &'static str) {
    let message = format!(
        "`{name}` is made by `{}`, and only leaves the kernel: nothing in it reads it",
        binder.kind.name()
    );
    (message, "return it, and read it in another kernel")
}

/// Checks that private arrays have the same size at all points.
pub(super) fn check_privates(thunk: &Thunk, report: &mut Report) {
    thunk.body.walk(&mut |stmt| {
        if let StmtKind::PrivateNew { array, size: Atom::Local(_) } = &stmt.kind {
            let name = &thunk.privates[array.index()].name;
            let message = format!("the size of the private array `{name}` may differ from point to point");
            report.add(
                Diagnostic::new("L0423", message, stmt.span)
                    .help("give a literal, or a scalar parameter or extent of the kernel"),
            );
        }
    });
}
