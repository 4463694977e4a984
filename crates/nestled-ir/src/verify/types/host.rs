//! Checks the types of host code: walks over statements, and checks scalar operations.

use super::union_find::Equalities;
use super::{expect_scalar, type_error};
use crate::diagnostic::Diagnostic;
use crate::host::{Command, Function, HostAtom, HostBlock, HostOp, HostStmt};
use crate::id::ValueId;
use crate::name::Value;
use crate::op::{Op, OpError};
use crate::program::Program;
use crate::scalar::ScalarType;
use crate::span::Span;
use crate::types::{ArrayType, Axis, Placement, SegType, Type};
use crate::typing::{self, Scope, TypeError};
use crate::verify::names;
use crate::verify::report::Report;

/// Checks a function.
pub(super) fn check(program: &Program, function: &Function, report: &mut Report) {
    let mut types = HostTypes { program, function, equal: Equalities::default(), report };
    types.stmts(&function.body);
    types.function_results();
}

/// A function that is being checked.
pub(super) struct HostTypes<'a, 'r> {
    pub(super) program: &'a Program,
    pub(super) function: &'a Function,
    pub(super) equal: Equalities,
    pub(super) report: &'r mut Report,
}

impl<'a> HostTypes<'a, '_> {
    /// Checks the statements of a block; its results are the caller's business.
    pub(super) fn stmts(&mut self, block: &HostBlock) {
        for stmt in &block.stmts {
            let before = self.report.len();
            self.operands(stmt);
            if self.report.len() == before {
                self.binds(stmt);
                self.equalities(stmt);
            }
        }
    }

    /// Checks the operands of a statement and, for an `if`, the results of its branches.
    fn operands(&mut self, stmt: &HostStmt) {
        let span = stmt.span;
        match &stmt.op {
            HostOp::Scalar { op, args } => self.scalar(*op, args, span),
            HostOp::Literal { elem, extents, elements } => self.literal(*elem, extents, elements, span),
            HostOp::Dim { extent, site: _ } => {
                self.expect("L0311", "an extent", ScalarType::Idx, *extent, span);
            }
            HostOp::Size { shape } => self.any_shape(shape, span),
            HostOp::Segments { lengths, site: _ } => self.segments(*lengths, span),
            HostOp::Regular { parent, length } => self.regular(parent, *length, span),
            HostOp::Widen { seg } => self.widen(*seg, span),
            HostOp::Lengths { seg } | HostOp::Starts { seg } => drop(self.seg(*seg, span)),
            HostOp::Same { left, right, site: _ } => self.same(*left, *right, span),
            HostOp::Reshape { array, shape, site: _ } => self.reshape(*array, shape, span),
            HostOp::View { seg, starts, buffer, site: _ } => self.view(*seg, *starts, *buffer, span),
            HostOp::Check { cond, code: _, site: _ } => self.condition(*cond, span),
            HostOp::If { cond, then, otherwise } => {
                self.condition(*cond, span);
                self.branch(&stmt.binds, then, "the first branch", span);
                self.branch(&stmt.binds, otherwise, "the `else` branch", span);
            }
            HostOp::Call { function, shapes, args } => self.call(*function, shapes, args, span),
            HostOp::Run { kernel, shapes, args } => self.run(*kernel, shapes, args, span),
            HostOp::Each { extent, function, shapes, args } => {
                self.each(*extent, *function, shapes, args, span);
            }
            HostOp::Library(library) => self.library(library, span),
            HostOp::Command(command) => self.command(command, span),
        }
    }

    /// Checks the declared types of the values that a statement binds. They are exactly those of the typing rules, symbol by symbol, for the
    /// text form does not show them.
    fn binds(&mut self, stmt: &HostStmt) {
        let types = match typing::host_types(self.program, self.function, &stmt.op, &stmt.binds) {
            Ok(types) => types,
            Err(error) => return self.report.add(type_error(&error, self.values(), stmt.span)),
        };
        for (&bind, ty) in stmt.binds.iter().zip(&types) {
            let declared = self.ty(bind);
            if declared != ty {
                let message = format!(
                    "`{}` is declared `{}`, but bound to `{}`",
                    self.name(bind),
                    self.type_text(declared),
                    self.type_text(ty)
                );
                self.report.add(Diagnostic::new("L0314", message, stmt.span));
            }
        }
    }

    /// Unifies the symbols that the statement makes equal for the statements that follow.
    fn equalities(&mut self, stmt: &HostStmt) {
        match &stmt.op {
            HostOp::Same { left, right, site: _ } => self.equal.join(*left, *right),
            // The same segmentation in another form.
            HostOp::Widen { seg } => {
                for &wide in &stmt.binds {
                    self.equal.join(Axis::Sym(*seg), Axis::Sym(wide));
                }
            }
            HostOp::Scalar { .. }
            | HostOp::Literal { .. }
            | HostOp::Dim { .. }
            | HostOp::Size { .. }
            | HostOp::Segments { .. }
            | HostOp::Regular { .. }
            | HostOp::Lengths { .. }
            | HostOp::Starts { .. }
            | HostOp::Reshape { .. }
            | HostOp::View { .. }
            | HostOp::Check { .. }
            | HostOp::If { .. }
            | HostOp::Call { .. }
            | HostOp::Run { .. }
            | HostOp::Each { .. }
            | HostOp::Library(_)
            | HostOp::Command(_) => {}
        }
    }

    fn scalar(&mut self, op: Op, args: &[HostAtom], span: Span) {
        let scope = Scope::new(&self.function.values);
        let mut found = Vec::new();
        for &arg in args {
            match scope.host_scalar(arg) {
                Ok(ty) => found.push(ty),
                Err(error) => return self.report.add(type_error(&error, self.values(), span)),
            }
        }
        let Err(error) = op.result_type(&found) else { return };
        let message = format!("`{op}`: {}", TypeError::Op(error.clone()));
        let mut diagnostic = Diagnostic::new("L0310", message, span);
        if let OpError::Mismatch { operand, expected, .. } = error {
            diagnostic =
                diagnostic.help(format!("convert it: `{expected} {}`", self.atom_text(args[operand])));
        }
        self.report.add(diagnostic);
    }

    fn command(&mut self, command: &Command, span: Span) {
        match command {
            Command::Print { items: _, to_error: _ } | Command::Clock { .. } | Command::Entropy => {}
            Command::ReadFile { path } => self.bytes("the name of a file", *path, span),
            Command::WriteFile { path, bytes, append: _ } => {
                self.bytes("the name of a file", *path, span);
                self.bytes("what is written to a file", *bytes, span);
            }
        }
    }

    fn bytes(&mut self, what: &str, value: ValueId, span: Span) {
        let is_bytes = self.ty(value).as_array().is_some_and(|array| {
            array.elem == ScalarType::U8
                && array.placement == Placement::Dense
                && array.shape.rank() == 1
                && !self.scope().is_seg(array.shape.axes[0])
        });
        if !is_bytes {
            let found = self.type_text(self.ty(value));
            let message = format!("{what} must be a dense `[k]u8`, but `{}` is `{found}`", self.name(value));
            self.report.add(Diagnostic::new("L0357", message, span));
        }
    }

    /// The values of the function.
    pub(super) fn values(&self) -> &'a [Value] {
        &self.function.values
    }

    /// The values of the function, to ask about their types.
    pub(super) fn scope(&self) -> Scope<'a> {
        Scope::new(&self.function.values)
    }

    /// The type of a value.
    pub(super) fn ty(&self, value: ValueId) -> &'a Type {
        self.scope().ty(value)
    }

    /// The name of a value, for messages.
    pub(super) fn name(&self, value: ValueId) -> String {
        names::value(self.values(), value)
    }

    /// A type of this function, for messages.
    pub(super) fn type_text(&self, ty: &Type) -> String {
        names::ty(self.values(), ty)
    }

    /// An operand, for messages.
    pub(super) fn atom_text(&self, atom: HostAtom) -> String {
        match atom {
            HostAtom::Value(value) => self.name(value),
            HostAtom::Const(scalar) => format!("{scalar:?}"),
        }
    }

    /// Checks a condition.
    fn condition(&mut self, atom: HostAtom, span: Span) {
        self.expect("L0312", "a condition", ScalarType::Bool, atom, span);
    }

    /// Checks an operand that must be a scalar of a certain type.
    fn expect(&mut self, code: &'static str, what: &str, wanted: ScalarType, atom: HostAtom, span: Span) {
        match self.scope().host_scalar(atom) {
            Ok(found) => expect_scalar(code, what, wanted, Some(found), span, self.report),
            Err(error) => self.report.add(type_error(&error, self.values(), span)),
        }
    }

    /// The type of a segmentation; says so where the value is none.
    pub(super) fn seg(&mut self, value: ValueId, span: Span) -> Option<&'a SegType> {
        let seg = self.ty(value).as_seg();
        if seg.is_none() {
            self.report.add(type_error(&TypeError::NotASegmentation(value), self.values(), span));
        }
        seg
    }

    /// The type of a dense array that is no scalar; says so where the value is none.
    pub(super) fn dense(&mut self, value: ValueId, span: Span) -> Option<&'a ArrayType> {
        let Some(array) = self.ty(value).as_array().filter(|array| !array.shape.is_scalar()) else {
            self.report.add(type_error(&TypeError::NotAnArray(value), self.values(), span));
            return None;
        };
        if array.placement == Placement::View {
            let name = self.name(value);
            let message = format!("`{name}` is a view; a dense array is wanted");
            let help = format!("copy it in a kernel: `map {{ i, j => {name}[i, j] }}`");
            self.report.add(Diagnostic::new("L0343", message, span).help(help));
            return None;
        }
        Some(array)
    }
}
