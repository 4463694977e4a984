//! Third layer, stages: the rules that make a kernel one sweep over its levels, and the restrictions on nesting and effects.

mod captures;
mod effects;
mod guards;
mod leave;
mod levels;
mod serial;
mod windows;

use super::report::Report;
use crate::diagnostic::Diagnostic;
use crate::id::ValueId;
use crate::kernel::{Combinator, Kernel};
use crate::program::Program;
use crate::span::Span;
use crate::thunk::{Stmt, StmtKind};

/// Checks all definitions of a program.
pub(super) fn check(program: &Program, report: &mut Report) {
    for def in &program.thunks {
        captures::check_privates(&def.thunk, report);
    }
    effects::check_monoids(program, report);
    for kernel in &program.kernels {
        check_kernel(kernel, report);
    }
    effects::check_each(program, report);
}

fn check_kernel(kernel: &Kernel, report: &mut Report) {
    let cx = KernelContext::new(kernel);
    levels::check_space(kernel, report);
    for (position, step) in kernel.steps.iter().enumerate() {
        let before = report.len();
        levels::check_step(&cx, step, report);
        guards::check_guard(&cx, step, report);
        leave::check_bases(&cx, step, report);
        serial::check(&cx, step, report);
        captures::check_privates(&step.body, report);
        if report.len() == before {
            step.body.body.walk(&mut |stmt| check_stmt(&cx, position, step, stmt, report));
            for &result in &step.body.body.results {
                captures::check_atom(&cx, result, step.span, report);
            }
        }
    }
    leave::check_ret(&cx, report);
}

/// Checks the reads of one statement of a thunk.
fn check_stmt(cx: &KernelContext<'_>, position: usize, step: &Combinator, stmt: &Stmt, report: &mut Report) {
    captures::check_params(cx, stmt, report);
    let (bind, check): (ValueId, fn(&_, &_, &_, &mut _)) = match &stmt.kind {
        StmtKind::Own { bind, .. } => (*bind, levels::check_own),
        StmtKind::Window { bind, .. } => (*bind, windows::check),
        StmtKind::Op { .. }
        | StmtKind::Threefry { .. }
        | StmtKind::Read { .. }
        | StmtKind::Len { .. }
        | StmtKind::Start { .. }
        | StmtKind::Call { .. }
        | StmtKind::If { .. }
        | StmtKind::For { .. }
        | StmtKind::While { .. }
        | StmtKind::PrivateNew { .. }
        | StmtKind::PrivateGet { .. }
        | StmtKind::PrivateSet { .. }
        | StmtKind::Check { .. } => return,
    };
    let read = Read { reader: step, position, bind, span: stmt.span };
    let Some(binder) = captures::check_readable(cx, &read, report) else { return };
    check(cx, &read, binder, report);
    guards::check_read(cx, &read, binder, report);
}

/// A kernel, with the combinator that binds each of its values.
struct KernelContext<'a> {
    kernel: &'a Kernel,
    /// For each value the position of its combinator in the list; `None` for a parameter.
    binders: Vec<Option<usize>>,
}

/// A read of an earlier combinator.
struct Read<'a> {
    reader: &'a Combinator,
    position: usize,
    bind: ValueId,
    span: Span,
}

impl<'a> KernelContext<'a> {
    fn new(kernel: &'a Kernel) -> KernelContext<'a> {
        let mut binders = vec![None; kernel.values.len()];
        for (position, step) in kernel.steps.iter().enumerate() {
            for bind in &step.binds {
                binders[bind.index()] = Some(position);
            }
        }
        KernelContext { kernel, binders }
    }

    /// The combinator that binds a value.
    fn binder(&self, value: ValueId) -> Option<&'a Combinator> {
        self.binders[value.index()].map(|position| &self.kernel.steps[position])
    }

    /// The name of a value, for messages.
    fn name(&self, value: ValueId) -> String {
        super::names::value(&self.kernel.values, value)
    }

    /// A message that also shows where a value is bound.
    fn message(&self, code: &'static str, message: String, span: Span, value: ValueId) -> Diagnostic {
        let bound = self.kernel.values[value.index()].span;
        let what = match self.binder(value) {
            Some(step) => format!("bound here, by `{}`", step.kind.name()),
            None => "a parameter of the kernel".to_owned(),
        };
        Diagnostic::new(code, message, span).label(bound, what)
    }
}
