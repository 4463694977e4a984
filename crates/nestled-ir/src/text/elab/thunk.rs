//! Elaborates thunks: blocks, statements, operations and calls.

use super::destination::Destination;
use super::items::Items;
use super::kernel_scope::KernelScope;
use super::names::Names;
use super::signature::{bound_twice, scalar_type};
use super::{Broken, Elab, Reports, infer, literal, operand_places, unknown};
use crate::diagnostic::Diagnostic;
use crate::host::HostAtom;
use crate::id::{LocalId, PrivateId, ThunkId};
use crate::name::Name;
use crate::op::{Op, OpError};
use crate::program::Program;
use crate::scalar::{Scalar, ScalarType};
use crate::span::Span;
use crate::text::ast::{self, Binder, Expr, ExprKind, Ident, ThunkItem};
use crate::thunk::{Atom, Block, Local, Stmt, StmtKind, Thunk, ThunkDef};
use crate::typing::TypeError;

/// The meaning of a name in a thunk.
#[derive(Clone, Copy)]
pub(super) enum Binding {
    Atom(Atom),
    Private(PrivateId),
    Broken,
}

/// A thunk under construction.
pub(super) struct ThunkCx<'a> {
    pub program: &'a Program,
    pub items: &'a Items,
    pub reports: &'a mut Reports,
    /// The kernel around it, if it is the body of a combinator.
    pub kernel: Option<&'a KernelScope>,
    pub thunk: Thunk,
    pub names: Names<Binding>,
    /// The statements of the block that is being made.
    pub stmts: Vec<Stmt>,
}

/// A block, with those of its results that are literals without a type.
pub(super) struct Body<'e> {
    pub block: Block,
    pub untyped: Vec<(usize, &'e ast::Literal)>,
    /// True if a result is wrong; that was reported already.
    pub broken: bool,
}

/// The body of a named thunk.
pub(super) fn elaborate_thunk(
    item: &ThunkItem,
    def: &ThunkDef,
    program: &Program,
    items: &Items,
    reports: &mut Reports,
) -> Thunk {
    let mut cx = ThunkCx::new(program, items, reports, None, def.thunk.clone());
    for (index, param) in item.params.iter().enumerate() {
        if let Some(name) = &param.name {
            cx.bind(name, Binding::Atom(Atom::Local(LocalId::from(index))));
        }
    }
    let places: Vec<_> = def.results.iter().copied().map(Some).collect();
    cx.finish(&item.body, &places).0
}

impl<'a> ThunkCx<'a> {
    /// A thunk that has its parameters.
    pub fn new(
        program: &'a Program,
        items: &'a Items,
        reports: &'a mut Reports,
        kernel: Option<&'a KernelScope>,
        thunk: Thunk,
    ) -> ThunkCx<'a> {
        ThunkCx { program, items, reports, kernel, thunk, names: Names::new(), stmts: Vec::new() }
    }

    /// Elaborates the body, in the block of the parameters; returns the thunk, and whether its results have the expected types.
    pub fn finish(mut self, body: &ast::Block, places: &[Option<ScalarType>]) -> (Thunk, Elab<()>) {
        let Body { block, untyped, broken } = self.statements(body, places);
        self.thunk.body = block;
        if broken {
            return (self.thunk, Err(Broken));
        }
        for (_, literal) in untyped {
            self.untyped(literal);
        }
        (self.thunk, Ok(()))
    }

    pub fn bind(&mut self, name: &Ident, binding: Binding) {
        if let Some(before) = self.names.bind(name, binding) {
            self.reports.diagnostics.push(bound_twice(name, before));
        }
    }

    pub fn local(&mut self, name: Name, ty: ScalarType) -> LocalId {
        self.thunk.locals.push(Local { name, ty });
        LocalId::from(self.thunk.locals.len() - 1)
    }

    pub fn emit(&mut self, kind: StmtKind, span: Span) {
        self.stmts.push(Stmt { kind, span });
    }

    pub fn untyped(&mut self, literal: &ast::Literal) {
        if let Err(diagnostic) = literal::scalar(literal, None) {
            self.reports.diagnostics.push(diagnostic);
        }
    }

    /// Locals for the results of a construct.
    pub fn dsts(&mut self, types: &[ScalarType], target: Destination<'_>, span: Span) -> Elab<Vec<LocalId>> {
        let Destination::Binders(binders) = target else {
            return Ok(types.iter().map(|&ty| self.local("".into(), ty)).collect());
        };
        if types.len() != binders.len() {
            let error = TypeError::Binds { expected: types.len(), found: binders.len() };
            return self.reports.error("L0106", error.to_string(), span);
        }
        let mut dsts = Vec::new();
        for (binder, &ty) in binders.iter().zip(types) {
            let name = binder.name.as_ref().map_or_else(|| "".into(), |name| name.name.clone());
            dsts.push(self.local(name, ty));
        }
        Ok(dsts)
    }

    /// A block in its own scope.
    pub fn block<'e>(&mut self, block: &'e ast::Block, places: &[Option<ScalarType>]) -> Body<'e> {
        self.names.open();
        let outer = std::mem::take(&mut self.stmts);
        let body = self.statements(block, places);
        self.stmts = outer;
        self.names.close();
        body
    }

    fn statements<'e>(&mut self, block: &'e ast::Block, places: &[Option<ScalarType>]) -> Body<'e> {
        let (stmts, last) = split_last(block);
        for stmt in stmts {
            // What is wrong has been reported; the statements after it are looked at all the same.
            let _ = self.stmt(stmt);
        }
        let mut body = Body { block: Block::default(), untyped: Vec::new(), broken: false };
        match last {
            // A construct as the last line gives all that it has.
            Some(expr) => {
                let dsts = self.construct(expr, Destination::Anonymous, None);
                body.broken = dsts.is_err();
                body.block.results = dsts.into_iter().flatten().map(Atom::Local).collect();
            }
            None => self.results(&block.results, places, &mut body),
        }
        body.block.stmts = std::mem::take(&mut self.stmts);
        body
    }

    fn results<'e>(&mut self, results: &'e [Expr], places: &[Option<ScalarType>], body: &mut Body<'e>) {
        for (position, expr) in results.iter().enumerate() {
            let place = places.get(position).copied().flatten();
            let atom = match &expr.kind {
                ExprKind::Literal(literal) if literal::own_type(literal).or(place).is_none() => {
                    body.untyped.push((position, literal));
                    Atom::Const(Scalar::Bool(false))
                }
                _ => self.expr(expr, place).unwrap_or_else(|Broken| {
                    body.broken = true;
                    Atom::Const(Scalar::Bool(false))
                }),
            };
            body.block.results.push(atom);
        }
    }

    fn stmt(&mut self, stmt: &ast::Stmt) -> Elab<()> {
        match &stmt.kind {
            ast::StmtKind::Bind { binders, expr } => {
                let result = self.bound(binders, expr);
                for (position, binder) in binders.iter().enumerate() {
                    let binding = match &result {
                        Ok(atoms) => atoms.get(position).map_or(Binding::Broken, |&atom| Binding::Atom(atom)),
                        Err(Broken) => Binding::Broken,
                    };
                    if let Some(name) = &binder.name {
                        self.bind(name, binding);
                    }
                }
                self.check_annotations(binders, result.ok().as_deref());
                Ok(())
            }
            ast::StmtKind::Private { name, size, elem } => self.private(name, size, *elem, stmt.span),
            ast::StmtKind::Set { array, index, site, value } => {
                self.set(array, index, *site, value, stmt.span)
            }
        }
    }

    /// The operands that a statement's names stand for. A name or a literal on the right makes no statement: the new name is an alias.
    fn bound(&mut self, binders: &[Binder], expr: &Expr) -> Elab<Vec<Atom>> {
        let place = match binders {
            [Binder { ty: Some(ty), .. }] => Some(scalar_type(ty, self.reports)),
            _ => None,
        };
        let renames = match &expr.kind {
            ExprKind::Name(name) => self.level_zero(name).is_none(),
            ExprKind::Literal(_) => true,
            _ => false,
        };
        if renames {
            if binders.len() != 1 {
                let error = TypeError::Binds { expected: 1, found: binders.len() };
                return self.reports.error("L0106", error.to_string(), expr.span);
            }
            return Ok(vec![self.expr(expr, place)?]);
        }
        let dsts = self.construct(expr, Destination::Binders(binders), place)?;
        Ok(dsts.into_iter().map(Atom::Local).collect())
    }

    fn check_annotations(&mut self, binders: &[Binder], atoms: Option<&[Atom]>) {
        for (position, binder) in binders.iter().enumerate() {
            let Some(ty) = &binder.ty else { continue };
            let wanted = scalar_type(ty, self.reports);
            let found = atoms.and_then(|atoms| atoms.get(position)).and_then(|&atom| self.atom_type(atom));
            if let Some(found) = found.filter(|&found| found != wanted) {
                let message = format!("this is `{found}`, not `{wanted}`");
                self.reports.diagnostics.push(Diagnostic::new("L0112", message, ty.span));
            }
        }
    }

    /// One value.
    pub fn expr(&mut self, expr: &Expr, place: Option<ScalarType>) -> Elab<Atom> {
        match &expr.kind {
            ExprKind::Literal(literal) => match literal::scalar(literal, place) {
                Ok(scalar) => Ok(Atom::Const(scalar)),
                Err(diagnostic) => self.reports.report(diagnostic),
            },
            ExprKind::Name(name) if self.level_zero(name).is_none() => self.resolve(name),
            ExprKind::If { .. } | ExprKind::For { .. } | ExprKind::While { .. } => {
                let message = "`if`, `for` and `while` are statements of their own";
                let diagnostic = Diagnostic::new("L0108", message, expr.span);
                self.reports
                    .report(diagnostic.help("give the result a name on a line before, as in `y = if …`"))
            }
            _ => {
                let dsts = self.construct(expr, Destination::Anonymous, place)?;
                match dsts.as_slice() {
                    [dst] => Ok(Atom::Local(*dst)),
                    _ => {
                        let message = format!("one value is wanted here, and this gives {}", dsts.len());
                        self.reports.error("L0106", message, expr.span)
                    }
                }
            }
        }
    }

    pub fn exprs(&mut self, exprs: &[Expr], place: Option<ScalarType>) -> Elab<Vec<Atom>> {
        exprs.iter().map(|expr| self.expr(expr, place)).collect()
    }

    /// Elaborates an expression that makes a statement: first its operands, then the locals it binds, then its blocks.
    pub fn construct(
        &mut self,
        expr: &Expr,
        target: Destination<'_>,
        place: Option<ScalarType>,
    ) -> Elab<Vec<LocalId>> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Name(name) => self.own_scalar(name, target),
            ExprKind::Op { op, args } => self.operation(*op, args, target, place, span),
            ExprKind::Threefry { args } => {
                let args = self.exprs(args, Some(ScalarType::U32))?;
                let dsts = self.dsts(&[ScalarType::U32; 2], target, span)?;
                let (key, counter) = ([args[0], args[1]], [args[2], args[3]]);
                self.emit(StmtKind::Threefry { dsts: [dsts[0], dsts[1]], key, counter }, span);
                Ok(dsts)
            }
            ExprKind::Read { array, index, default, site } => {
                self.read(array, index, default.as_deref(), *site, target, span)
            }
            ExprKind::Segment { start, seg, at } => self.segment(*start, seg, at, target, span),
            ExprKind::Call { run: false, callee, shapes: None, args } => {
                self.call(callee, args, target, span)
            }
            ExprKind::If { cond, then, otherwise } => self.branch(cond, then, otherwise, target, span),
            ExprKind::For { var, from, to, carried, body } => {
                self.counted_loop(var.as_ref(), [&**from, &**to], carried, body, target, span)
            }
            ExprKind::While { carried, cond, body } => self.while_loop(carried, cond, body, target, span),
            ExprKind::Check { cond, code, site } => {
                let cond = self.expr(cond, Some(ScalarType::Bool))?;
                let dsts = self.dsts(&[], target, span)?;
                let site = self.reports.sites.take(*site, span)?;
                self.emit(StmtKind::Check { cond, code: code.clone(), site }, span);
                Ok(dsts)
            }
            ExprKind::Literal(_) => self.reports.error("L0106", "a literal binds nothing by itself", span),
            ExprKind::Call { .. }
            | ExprKind::Text(_)
            | ExprKind::Array(_)
            | ExprKind::Host { .. }
            | ExprKind::Shaped { .. }
            | ExprKind::Same { .. }
            | ExprKind::Each { .. }
            | ExprKind::Sort { .. }
            | ExprKind::Rank { .. }
            | ExprKind::Print { .. } => {
                self.reports.error("L0108", "this belongs into host code, not into a thunk", span)
            }
        }
    }

    fn operation(
        &mut self,
        op: Op,
        args: &[Expr],
        target: Destination<'_>,
        place: Option<ScalarType>,
        span: Span,
    ) -> Elab<Vec<LocalId>> {
        let places = operand_places(op, args, place, &|arg| self.infer(arg));
        let mut atoms = Vec::with_capacity(args.len());
        for (arg, place) in args.iter().zip(places) {
            atoms.push(self.expr(arg, place)?);
        }
        let types: Option<Vec<ScalarType>> = atoms.iter().map(|&atom| self.atom_type(atom)).collect();
        let Some(types) = types else { return Err(Broken) };
        let ty = match op.result_type(&types) {
            Ok(ty) => ty,
            Err(error) => return self.reports.report(wrong_operands(op, args, error, span)),
        };
        let dsts = self.dsts(&[ty], target, span)?;
        self.emit(StmtKind::Op { dst: dsts[0], op, args: atoms }, span);
        Ok(dsts)
    }

    fn call(
        &mut self,
        callee: &Ident,
        args: &[Expr],
        target: Destination<'_>,
        span: Span,
    ) -> Elab<Vec<LocalId>> {
        let Some(&id) = self.items.thunks.get(callee) else {
            let diagnostic = unknown("thunk", callee, self.items.thunks.texts());
            let host = self.items.functions.get(callee).is_some();
            let help = "this is a function of host code; thunks call thunks only";
            return self.reports.report(if host { diagnostic.help(help) } else { diagnostic });
        };
        let program = self.program;
        let def = program.thunk(id);
        let params = &def.thunk.locals[..def.thunk.n_params.min(def.thunk.locals.len())];
        if params.len() != args.len() {
            let error = TypeError::Arguments { what: "arguments", expected: params.len(), found: args.len() };
            return self.reports.error("L0106", error.to_string(), span);
        }
        let mut atoms = Vec::new();
        for (arg, param) in args.iter().zip(params) {
            atoms.push(self.expr(arg, Some(param.ty))?);
        }
        let dsts = self.dsts(&def.results, target, span)?;
        self.emit(StmtKind::Call { dsts: dsts.clone(), thunk: id, args: atoms }, span);
        Ok(dsts)
    }

    /// The scalar that a name means.
    fn resolve(&mut self, name: &Ident) -> Elab<Atom> {
        match self.names.get(name) {
            Some(Binding::Atom(atom)) => return Ok(*atom),
            Some(Binding::Broken) => return Err(Broken),
            Some(Binding::Private(_)) => {
                return self.not_a_scalar(name, "read an element of it, as in `stack[k]`");
            }
            None => {}
        }
        let Some(kernel) = self.kernel else {
            return self.reports.report(unknown("name", name, self.names.texts()));
        };
        if kernel.values.names.get(name).is_none() {
            let candidates = self.names.texts().chain(kernel.values.names.texts());
            return self.reports.report(unknown("name", name, candidates));
        }
        match kernel.values.resolve(name, self.reports)? {
            HostAtom::Const(scalar) => Ok(Atom::Const(scalar)),
            HostAtom::Value(value) if kernel.level(value).is_some() => {
                self.not_a_scalar(name, "read it at the own coordinates, as in `p[i]`")
            }
            HostAtom::Value(value) => match kernel.values.table[value.index()].ty.as_scalar() {
                Some(_) => Ok(Atom::Value(value)),
                None => self.not_a_scalar(name, "read an element of it, as in `xs[i]`"),
            },
        }
    }

    fn not_a_scalar<T>(&mut self, name: &Ident, help: &str) -> Elab<T> {
        let diagnostic = Diagnostic::new("L0109", format!("`{}` is not a scalar", name.text()), name.span);
        self.reports.report(diagnostic.help(help))
    }

    pub fn atom_type(&self, atom: Atom) -> Option<ScalarType> {
        match atom {
            Atom::Local(local) => Some(self.thunk.locals[local.index()].ty),
            Atom::Const(scalar) => Some(scalar.ty()),
            Atom::Value(value) => self.kernel?.values.table[value.index()].ty.as_scalar(),
        }
    }

    /// The type of an expression as far as it shows without elaborating.
    fn infer(&self, expr: &Expr) -> Option<ScalarType> {
        infer(expr, &|leaf| match &leaf.kind {
            ExprKind::Name(name) => match self.names.get(name) {
                Some(Binding::Atom(atom)) => self.atom_type(*atom),
                Some(_) => None,
                None => self.kernel?.element(name),
            },
            ExprKind::Read { array, .. } => match self.names.get(array) {
                Some(Binding::Private(private)) => Some(self.thunk.privates[private.index()].elem),
                Some(_) => None,
                None => self.kernel?.element(array),
            },
            ExprKind::Segment { .. } => Some(ScalarType::Idx),
            ExprKind::Call { callee, .. } => {
                let id: ThunkId = *self.items.thunks.get(callee)?;
                self.program.thunk(id).results.first().copied()
            }
            _ => None,
        })
    }
}

/// Statements, and the construct that is the last line and gives its results.
fn split_last(block: &ast::Block) -> (&[ast::Stmt], Option<&Expr>) {
    match (block.results.as_slice(), block.stmts.split_last()) {
        ([only], _) if matches!(only.kind, ExprKind::Call { .. } | ExprKind::Threefry { .. }) => {
            (&block.stmts, Some(only))
        }
        ([], Some((last, before))) => match &last.kind {
            ast::StmtKind::Bind { binders, expr } if binders.is_empty() && expr.gives_all() => {
                (before, Some(expr))
            }
            _ => (&block.stmts, None),
        },
        _ => (&block.stmts, None),
    }
}

/// The message about operands that an operation does not take.
pub(super) fn wrong_operands(op: Op, args: &[Expr], error: OpError, span: Span) -> Diagnostic {
    let message = format!("`{op}`: {}", TypeError::Op(error.clone()));
    match error {
        OpError::Mismatch { operand, found, expected } => {
            let place = args.get(operand).map_or(span, |arg| arg.span);
            Diagnostic::new("L0105", message, place)
                .here(format!("this is `{found}`"))
                .help(format!("conversions are written: `{expected} x`"))
        }
        OpError::Arity { .. } | OpError::Unsupported { .. } => Diagnostic::new("L0105", message, span),
    }
}
