//! Second layer, types. [`check_declared`] checks declared types by themselves, so that [`check`] may compute with them.

mod arguments;
mod branches;
mod combinator;
mod control;
mod declared;
mod each;
mod host;
mod library;
mod monoid;
mod reads;
mod shape_ops;
mod thunk;
mod union_find;

pub(super) use declared::check as check_declared;

use super::names;
use super::report::Report;
use crate::diagnostic::Diagnostic;
use crate::name::Value;
use crate::program::Program;
use crate::scalar::ScalarType;
use crate::span::Span;
use crate::typing::TypeError;

/// Checks the operands and results of every construct.
pub(super) fn check(program: &Program, report: &mut Report) {
    for def in &program.thunks {
        thunk::check_def(program, def, report);
    }
    for def in &program.monoids {
        monoid::check_def(program, def, report);
    }
    for kernel in &program.kernels {
        combinator::check_kernel(program, kernel, report);
    }
    for function in &program.functions {
        host::check(program, function, report);
    }
}

/// The message for an error of the typing rules.
fn type_error(error: &TypeError, values: &[Value], span: Span) -> Diagnostic {
    let named = |code, id, wanted: &str| {
        let found = values.get(crate::id::ValueId::index(id)).map(|value| names::ty(values, &value.ty));
        let message = format!(
            "{wanted} is wanted, but `{}` is `{}`",
            names::value(values, id),
            found.unwrap_or_default()
        );
        Diagnostic::new(code, message, span)
    };
    match error {
        TypeError::Op(_) => Diagnostic::new("L0310", error.to_string(), span),
        TypeError::NotAScalar(id) => named("L0313", *id, "a scalar"),
        TypeError::NotAnArray(id) => named("L0315", *id, "an array"),
        TypeError::NotASegmentation(id) => named("L0316", *id, "a segmentation"),
        TypeError::NotAMatrix(id) => named("L0356", *id, "a matrix"),
        TypeError::Arguments { .. } => Diagnostic::new("L0360", error.to_string(), span),
        TypeError::Results { .. } => Diagnostic::new("L0331", error.to_string(), span),
        TypeError::Binds { .. } => Diagnostic::new("L0330", error.to_string(), span),
        TypeError::EachResult => Diagnostic::new("L0364", error.to_string(), span),
    }
}

/// Checks the type of an operand that must have a certain one.
fn expect_scalar(
    code: &'static str,
    what: &str,
    wanted: ScalarType,
    found: Option<ScalarType>,
    span: Span,
    report: &mut Report,
) {
    let Some(found) = found.filter(|&found| found != wanted) else { return };
    let mut diagnostic = Diagnostic::new(code, format!("{what} must be `{wanted}`, not `{found}`"), span);
    if wanted == ScalarType::Idx && found.is_integer() {
        diagnostic = diagnostic.help("convert it with `idx x`");
    }
    if wanted == ScalarType::Bool && found.is_number() {
        diagnostic = diagnostic.help("compare it: `ne x 0`");
    }
    report.add(diagnostic);
}
