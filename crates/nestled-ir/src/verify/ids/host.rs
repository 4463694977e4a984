//! Checks the ids of a function.

use super::values::Values;
use super::{check_id, check_site};
use crate::host::{Function, HostAtom, HostBlock, HostPart, HostStmt};
use crate::program::Program;
use crate::span::Span;
use crate::verify::report::Report;

/// Checks a function.
pub(super) fn check(program: &Program, function: &Function, report: &mut Report) {
    let mut values = Values::new(&function.values, report);
    for &param in function.shapes.iter().chain(&function.params) {
        values.define(param, function.span, report);
    }
    values.define_formals(&function.results, function.span, report);
    Walk { program, values, report }.block(&function.body, function.span);
}

struct Walk<'a, 'r> {
    program: &'a Program,
    values: Values<'a>,
    report: &'r mut Report,
}

impl Walk<'_, '_> {
    fn block(&mut self, block: &HostBlock, span: Span) {
        let mark = self.values.enter();
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
        block.results.iter().for_each(|&result| self.atom(result, span));
        self.values.leave(mark);
    }

    fn stmt(&mut self, stmt: &HostStmt) {
        let span = stmt.span;
        stmt.op.for_each_part(&mut |part| self.part(part, span));
        for &bind in &stmt.binds {
            self.values.define(bind, span, self.report);
        }
    }

    fn part(&mut self, part: HostPart<'_>, span: Span) {
        match part {
            HostPart::Atom(atom) => self.atom(*atom, span),
            HostPart::Value(value) => self.values.use_value(*value, span, self.report),
            HostPart::Axis(axis) => self.values.use_axis(*axis, span, self.report),
            HostPart::Block(block) => self.block(block, span),
            HostPart::Site(site) => check_site(self.program, *site, span, self.report),
            HostPart::Function(function) => {
                check_id("function", function.index(), self.program.functions.len(), span, self.report);
            }
            HostPart::Kernel(kernel) => {
                check_id("kernel", kernel.index(), self.program.kernels.len(), span, self.report);
            }
        }
    }

    fn atom(&mut self, atom: HostAtom, span: Span) {
        match atom {
            HostAtom::Value(id) => self.values.use_value(id, span, self.report),
            HostAtom::Const(_) => {}
        }
    }
}
