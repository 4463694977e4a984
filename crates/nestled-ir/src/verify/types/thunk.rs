//! Checks the types of thunk statements: operands and results.

use super::{expect_scalar, type_error};
use crate::diagnostic::Diagnostic;
use crate::id::{LocalId, ThunkId};
use crate::name::Value;
use crate::op::OpError;
use crate::program::Program;
use crate::scalar::ScalarType;
use crate::span::Span;
use crate::thunk::{Atom, Block, Stmt, StmtKind, Thunk, ThunkDef};
use crate::typing::{Scope, TypeError};
use crate::verify::names;
use crate::verify::report::Report;

/// Checks a named thunk.
pub(super) fn check_def(program: &Program, def: &ThunkDef, report: &mut Report) {
    let mut types = ThunkTypes { program, values: &[], thunk: &def.thunk, report };
    types.stmts(&def.thunk.body);
    let found = types.atom_types(&def.thunk.body.results, def.span);
    types.expect_results("L0323", &format!("`{}`", def.name), &def.results, &found, def.span);
}

/// A thunk that is being checked.
pub(super) struct ThunkTypes<'a, 'r> {
    pub(super) program: &'a Program,
    /// The values of the kernel around the thunk.
    pub(super) values: &'a [Value],
    pub(super) thunk: &'a Thunk,
    pub(super) report: &'r mut Report,
}

impl ThunkTypes<'_, '_> {
    /// Checks the statements of a block; its results are the caller's business.
    pub(super) fn stmts(&mut self, block: &Block) {
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Op { dst, op, args } => self.op(*dst, *op, args, span),
            StmtKind::Threefry { dsts, key, counter } => {
                for (position, &atom) in key.iter().chain(counter).enumerate() {
                    let what = format!("operand {} of `threefry`", position + 1);
                    self.expect("L0324", &what, ScalarType::U32, atom, span);
                }
                dsts.iter().for_each(|&dst| self.declared(dst, ScalarType::U32, span));
            }
            StmtKind::Read { dst, array, index, default, site } => {
                let rules: Vec<_> = index.iter().map(|index| index.rule).collect();
                index.iter().for_each(|index| self.index(index.at, span));
                self.read(*dst, *array, &rules, *default, *site, span);
            }
            StmtKind::Own { dst, bind } => self.own(*dst, *bind, span),
            StmtKind::Window { dst, bind, offsets, default, site } => {
                let rules: Vec<_> = offsets.iter().map(|offset| offset.rule).collect();
                self.window(*dst, *bind, &rules, *default, *site, span);
            }
            StmtKind::Len { dst, seg, at } | StmtKind::Start { dst, seg, at } => {
                at.iter().for_each(|&at| self.index(at, span));
                self.segment(*dst, *seg, at.len(), span);
            }
            StmtKind::Call { dsts, thunk, args } => self.call(dsts, *thunk, args, span),
            StmtKind::If { dsts, cond, then, otherwise } => self.branch(dsts, *cond, [then, otherwise], span),
            StmtKind::For { dsts, var, from, to, carried, body } => {
                self.counted_loop(dsts, *var, [*from, *to], carried, body, span);
            }
            StmtKind::While { dsts, carried, cond, body } => self.loop_(dsts, carried, cond, body, span),
            StmtKind::PrivateNew { array: _, size } => {
                self.expect("L0311", "the size of a private array", ScalarType::Idx, *size, span);
            }
            StmtKind::PrivateGet { dst, array, at, site: _ } => {
                self.index(*at, span);
                self.declared(*dst, self.thunk.privates[array.index()].elem, span);
            }
            StmtKind::PrivateSet { array, at, value, site: _ } => {
                self.index(*at, span);
                let private = &self.thunk.privates[array.index()];
                let what = format!("what is written to `{}`", private.name);
                self.expect("L0319", &what, private.elem, *value, span);
            }
            StmtKind::Check { cond, code: _, site: _ } => self.condition(*cond, span),
        }
    }

    fn op(&mut self, dst: LocalId, op: crate::op::Op, args: &[Atom], span: Span) {
        let found: Vec<ScalarType> = self.atom_types(args, span).into_iter().flatten().collect();
        if found.len() < args.len() {
            return; // An operand has no scalar type, and that was said.
        }
        match op.result_type(&found) {
            Ok(ty) => self.declared(dst, ty, span),
            Err(error) => {
                let message = format!("`{op}`: {}", TypeError::Op(error.clone()));
                let mut diagnostic = Diagnostic::new("L0310", message, span);
                if let OpError::Mismatch { operand, expected, .. } = error {
                    let name = names::atom(self.values, self.thunk, args[operand]);
                    diagnostic = diagnostic.help(format!("convert it: `{expected} {name}`"));
                }
                self.report.add(diagnostic);
            }
        }
    }

    fn call(&mut self, dsts: &[LocalId], callee: ThunkId, args: &[Atom], span: Span) {
        let def = self.program.thunk(callee);
        let callee = &def.thunk;
        if args.len() != callee.n_params || dsts.len() != def.results.len() {
            let message = format!(
                "`{}` takes {} and gives {}, not {} and {}",
                def.name,
                names::count(callee.n_params, "operand"),
                names::count(def.results.len(), "result"),
                args.len(),
                dsts.len()
            );
            return self.report.add(Diagnostic::new("L0320", message, span).label(def.span, "defined here"));
        }
        for (&arg, param) in args.iter().zip(callee.params()) {
            let what = format!("the parameter `{}` of `{}`", names::local(callee, param), def.name);
            self.expect("L0320", &what, callee.local_type(param), arg, span);
        }
        for (&dst, &ty) in dsts.iter().zip(&def.results) {
            self.declared(dst, ty, span);
        }
    }

    /// The type of an operand; says so where it is no scalar.
    pub(super) fn atom_type(&mut self, atom: Atom, span: Span) -> Option<ScalarType> {
        match Scope::new(self.values).thunk_atom(self.thunk, atom) {
            Ok(ty) => Some(ty),
            Err(error) => {
                let diagnostic = type_error(&error, self.values, span);
                self.report.add(diagnostic.help("an element of an array is read with `[…]`"));
                None
            }
        }
    }

    /// The types of operands.
    pub(super) fn atom_types(&mut self, atoms: &[Atom], span: Span) -> Vec<Option<ScalarType>> {
        atoms.iter().map(|&atom| self.atom_type(atom, span)).collect()
    }

    /// Checks an operand that must have a certain type.
    pub(super) fn expect(
        &mut self,
        code: &'static str,
        what: &str,
        wanted: ScalarType,
        atom: Atom,
        span: Span,
    ) {
        let found = self.atom_type(atom, span);
        expect_scalar(code, what, wanted, found, span, self.report);
    }

    /// Checks an index.
    fn index(&mut self, atom: Atom, span: Span) {
        self.expect("L0311", "an index", ScalarType::Idx, atom, span);
    }

    /// Checks a condition.
    pub(super) fn condition(&mut self, atom: Atom, span: Span) {
        self.expect("L0312", "a condition", ScalarType::Bool, atom, span);
    }

    /// Checks the declared type of a local against the type of its binding.
    pub(super) fn declared(&mut self, local: LocalId, ty: ScalarType, span: Span) {
        let found = self.thunk.local_type(local);
        if found != ty {
            let name = names::local(self.thunk, local);
            let message = format!("`{name}` is declared `{found}`, but bound to `{ty}`");
            self.report.add(Diagnostic::new("L0314", message, span));
        }
    }

    /// Checks the results of a block against the types that are wanted.
    pub(super) fn expect_results(
        &mut self,
        code: &'static str,
        what: &str,
        wanted: &[ScalarType],
        found: &[Option<ScalarType>],
        span: Span,
    ) {
        if wanted.len() != found.len() {
            let message = format!(
                "{what} has {}, but {} wanted",
                names::count(found.len(), "result"),
                are(wanted.len())
            );
            return self.report.add(Diagnostic::new(code, message, span));
        }
        for (position, (&wanted, &found)) in wanted.iter().zip(found).enumerate() {
            let what = format!("result {} of {what}", position + 1);
            expect_scalar(code, &what, wanted, found, span, self.report);
        }
    }
}

fn are(n: usize) -> String {
    if n == 1 { "1 is".to_owned() } else { format!("{n} are") }
}
