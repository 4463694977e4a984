//! Ids of a function.

use super::values::Values;
use super::{check_id, check_site};
use crate::host::{Command, EachArg, Function, HostAtom, HostBlock, HostOp, HostStmt, Library, PrintItem};
use crate::program::Program;
use crate::span::Span;
use crate::types::Axis;
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
        self.atoms(&block.results, span);
        self.values.leave(mark);
    }

    fn stmt(&mut self, stmt: &HostStmt) {
        self.operands(&stmt.op, stmt.span);
        for block in stmt.op.blocks() {
            self.block(block, stmt.span);
        }
        if let Some(site) = stmt.op.site() {
            check_site(self.program, site, stmt.span, self.report);
        }
        for &bind in &stmt.binds {
            self.values.define(bind, stmt.span, self.report);
        }
    }

    fn operands(&mut self, op: &HostOp, span: Span) {
        match op {
            HostOp::Scalar { op: _, args } => self.atoms(args, span),
            HostOp::Literal { elem: _, extents: _, elements: _ } => {}
            HostOp::Dim { extent, site: _ } => self.atom(*extent, span),
            HostOp::Size { shape } => self.values.use_shape(shape, span, self.report),
            HostOp::Segments { lengths: value, site: _ }
            | HostOp::Widen { seg: value }
            | HostOp::Lengths { seg: value }
            | HostOp::Starts { seg: value } => self.values.use_value(*value, span, self.report),
            HostOp::Regular { parent, length } => {
                self.values.use_shape(parent, span, self.report);
                self.values.use_axis(*length, span, self.report);
            }
            HostOp::Same { left, right, site: _ } => self.axes(&[*left, *right], span),
            HostOp::Reshape { array, shape, site: _ } => {
                self.values.use_value(*array, span, self.report);
                self.values.use_shape(shape, span, self.report);
            }
            HostOp::View { seg, starts, buffer, site: _ } => {
                for value in [seg, starts, buffer] {
                    self.values.use_value(*value, span, self.report);
                }
            }
            HostOp::Check { cond, code: _, site: _ } | HostOp::If { cond, then: _, otherwise: _ } => {
                self.atom(*cond, span);
            }
            HostOp::Call { function, shapes, args } => {
                check_id("function", function.index(), self.program.functions.len(), span, self.report);
                self.axes(shapes, span);
                self.atoms(args, span);
            }
            HostOp::Run { kernel, shapes, args } => {
                check_id("kernel", kernel.index(), self.program.kernels.len(), span, self.report);
                self.axes(shapes, span);
                self.atoms(args, span);
            }
            HostOp::Each { extent, function, shapes, args } => {
                check_id("function", function.index(), self.program.functions.len(), span, self.report);
                self.values.use_axis(*extent, span, self.report);
                shapes.iter().flatten().for_each(|&axis| self.values.use_axis(axis, span, self.report));
                args.iter().for_each(|arg| self.each_arg(*arg, span));
            }
            HostOp::Library(library) => self.library(library, span),
            HostOp::Command(command) => self.command(command, span),
        }
    }

    fn each_arg(&mut self, arg: EachArg, span: Span) {
        match arg {
            EachArg::Uniform(atom) => self.atom(atom, span),
            EachArg::Element(array) => self.values.use_value(array, span, self.report),
        }
    }

    fn library(&mut self, library: &Library, span: Span) {
        match library {
            Library::Sort { keys, payload, order: _ } => {
                for value in std::iter::once(keys).chain(payload) {
                    self.values.use_value(*value, span, self.report);
                }
            }
            Library::Rank { keys, order: _ } => self.values.use_value(*keys, span, self.report),
            Library::MatMul { left, right } => {
                self.values.use_value(*left, span, self.report);
                self.values.use_value(*right, span, self.report);
            }
        }
    }

    fn command(&mut self, command: &Command, span: Span) {
        match command {
            Command::Print { items, to_error: _ } => {
                for item in items {
                    match item {
                        PrintItem::Text(_) => {}
                        PrintItem::Value(atom) => self.atom(*atom, span),
                    }
                }
            }
            Command::ReadFile { path } => self.values.use_value(*path, span, self.report),
            Command::WriteFile { path, bytes, append: _ } => {
                self.values.use_value(*path, span, self.report);
                self.values.use_value(*bytes, span, self.report);
            }
            Command::Clock { after } => {
                after.iter().for_each(|&value| self.values.use_value(value, span, self.report))
            }
            Command::Entropy => {}
        }
    }

    fn axes(&mut self, axes: &[Axis], span: Span) {
        for &axis in axes {
            self.values.use_axis(axis, span, self.report);
        }
    }

    fn atoms(&mut self, atoms: &[HostAtom], span: Span) {
        for &atom in atoms {
            self.atom(atom, span);
        }
    }

    fn atom(&mut self, atom: HostAtom, span: Span) {
        match atom {
            HostAtom::Value(id) => self.values.use_value(id, span, self.report),
            HostAtom::Const(_) => {}
        }
    }
}
