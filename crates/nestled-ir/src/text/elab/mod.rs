//! Elaboration, from the syntax tree to the program: resolves names to ids, infers types, flattens nested expressions.
//!
//! Everything that gets a number is numbered in order of the text: of a statement first its operands, left to right, then the values it
//! binds, then the contents of its blocks. [`compact`](crate::compact::compact) gives any program the same order.
//!
//! A construct that fails is reported once; the names it should have bound are marked *broken*, and their uses report nothing more.

mod definitions;
mod destination;
mod host;
mod host_calls;
mod host_exprs;
mod items;
mod kernel;
mod kernel_scope;
mod literal;
mod names;
mod private;
mod signature;
mod sites;
mod thunk;
mod thunk_loops;
mod thunk_reads;

use super::ast::{Expr, ExprKind, File, Ident};
use crate::diagnostic::Diagnostic;
use crate::op::Op;
use crate::program::Program;
use crate::scalar::ScalarType;
use crate::span::{SourceMap, Span};
use crate::text::suggest::closest;
pub(in crate::text) use host_calls::infer_shapes;
pub(in crate::text) use kernel::result_places;
use sites::Sites;

/// The construct was wrong, and that was reported.
#[derive(Debug)]
struct Broken;

type Elab<T> = Result<T, Broken>;

/// Diagnostics and fault sites, shared by all parts of elaboration.
struct Reports {
    diagnostics: Vec<Diagnostic>,
    sites: Sites,
    /// For each kernel so far, true if it is wrong, so that the types of its results are unknown.
    broken_kernels: Vec<bool>,
}

impl Reports {
    fn report<T>(&mut self, diagnostic: Diagnostic) -> Elab<T> {
        self.diagnostics.push(diagnostic);
        Err(Broken)
    }

    fn error<T>(&mut self, code: &'static str, message: impl Into<String>, span: Span) -> Elab<T> {
        self.report(Diagnostic::new(code, message, span))
    }
}

/// Elaborates a file.
pub(super) fn elaborate(file: &File, sources: SourceMap) -> (Program, Vec<Diagnostic>) {
    let mut reports =
        Reports { diagnostics: Vec::new(), sites: Sites::new(file.sites), broken_kernels: Vec::new() };
    let mut program = Program { sources, ..Program::default() };
    definitions::elaborate(file, &mut program, &mut reports);
    let Reports { mut diagnostics, sites, broken_kernels: _ } = reports;
    program.sites = sites.finish(&mut diagnostics);
    (program, diagnostics)
}

/// The operand that decides the type of the literals among `args`: the type of the first that has one.
fn shared_type(op: Op, args: &[Expr], infer: &dyn Fn(&Expr) -> Option<ScalarType>) -> Option<ScalarType> {
    args.iter().skip(op.first_shared_operand()).find_map(infer)
}

/// Infers the type of an expression without elaborating it; `leaf` handles all but literals and operations.
fn infer(expr: &Expr, leaf: &dyn Fn(&Expr) -> Option<ScalarType>) -> Option<ScalarType> {
    match &expr.kind {
        ExprKind::Literal(literal) => literal::own_type(literal),
        ExprKind::Op { op, args } => match op {
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => Some(ScalarType::Bool),
            Op::Convert(ty) | Op::Bitcast(ty) => Some(*ty),
            _ => shared_type(*op, args, &|arg| infer(arg, leaf)),
        },
        _ => leaf(expr),
    }
}

/// The types that the operands of an operation ask of their literals.
fn operand_places(
    op: Op,
    args: &[Expr],
    place: Option<ScalarType>,
    infer: &dyn Fn(&Expr) -> Option<ScalarType>,
) -> Vec<Option<ScalarType>> {
    let place = match op {
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => None,
        Op::Convert(_) | Op::Bitcast(_) => return vec![None; args.len()],
        _ => place,
    };
    // Operations hand the question on to the literals among their own operands.
    let asks = |arg: &Expr| match &arg.kind {
        ExprKind::Literal(literal) => literal::own_type(literal).is_none(),
        ExprKind::Op { .. } => true,
        _ => false,
    };
    let known = if args.iter().any(asks) { shared_type(op, args, infer).or(place) } else { place };
    let mut places = vec![known; args.len()];
    if op == Op::Select {
        places[0] = Some(ScalarType::Bool);
    }
    places
}

/// The message about a name that means nothing.
fn unknown(what: &str, name: &Ident, candidates: impl Iterator<Item = String>) -> Diagnostic {
    let text = name.text();
    let diagnostic = Diagnostic::new("L0101", format!("unknown {what} `{text}`"), name.span);
    match closest(&text, candidates) {
        Some(close) => diagnostic.help(format!("did you mean `{close}`?")),
        None => diagnostic,
    }
}
