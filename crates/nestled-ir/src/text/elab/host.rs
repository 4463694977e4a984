//! Elaborates host code: blocks, statements and the values they bind.

use super::destination::Destination;
use super::items::Items;
use super::signature::{Binding, Values, check_annotation};
use super::{Broken, Elab, Reports, literal};
use crate::diagnostic::Diagnostic;
use crate::host::{Function, HostAtom, HostBlock, HostOp, HostStmt};
use crate::id::ValueId;
use crate::program::Program;
use crate::scalar::{Scalar, ScalarType};
use crate::span::Span;
use crate::text::ast::{self, Binder, Expr, ExprKind, FunctionItem};
use crate::types::Type;
use crate::typing::{TypeError, host_types};

/// A function under construction.
pub(super) struct HostCx<'a> {
    pub program: &'a Program,
    pub items: &'a Items,
    pub reports: &'a mut Reports,
    pub values: Values,
    /// The function being elaborated; its table of values is in `values`.
    function: Function,
    stmts: Vec<HostStmt>,
}

/// A block, with those of its results that are literals without a type.
struct Body<'e> {
    block: HostBlock,
    untyped: Vec<(usize, &'e ast::Literal)>,
    /// True if a result is wrong; that was reported already.
    broken: bool,
}

/// The whole function, from its signature and its body.
pub(super) fn elaborate_body(
    item: &FunctionItem,
    signature: &Function,
    values: Values,
    program: &Program,
    items: &Items,
    reports: &mut Reports,
) -> Function {
    let places: Vec<Option<ScalarType>> =
        signature.results.iter().map(|&result| signature.values[result.index()].ty.as_scalar()).collect();
    let function = Function { values: Vec::new(), ..signature.clone() };
    let mut cx = HostCx { program, items, reports, values, function, stmts: Vec::new() };
    for stmt in &item.body.stmts {
        cx.stmt(stmt);
    }
    let mut body = Body { block: HostBlock::default(), untyped: Vec::new(), broken: false };
    cx.results(&item.body.results, &places, &mut body);
    for (_, waiting) in body.untyped {
        cx.report_untyped(waiting);
    }
    body.block.stmts = cx.stmts;
    Function { values: cx.values.table, body: body.block, ..cx.function }
}

impl HostCx<'_> {
    fn report_untyped(&mut self, literal: &ast::Literal) {
        if let Err(diagnostic) = literal::scalar(literal, None) {
            self.reports.diagnostics.push(diagnostic);
        }
    }

    fn block<'e>(&mut self, block: &'e ast::Block, places: &[Option<ScalarType>]) -> Body<'e> {
        self.values.names.open();
        let outer = std::mem::take(&mut self.stmts);
        let mut body = Body { block: HostBlock::default(), untyped: Vec::new(), broken: false };
        let (stmts, last) = split_last(block);
        for stmt in stmts {
            self.stmt(stmt);
        }
        match last {
            Some(expr) => {
                let values = self.construct(expr, Destination::Anonymous, None);
                body.broken = values.is_err();
                body.block.results = values.into_iter().flatten().map(HostAtom::Value).collect();
            }
            None => self.results(&block.results, places, &mut body),
        }
        body.block.stmts = std::mem::replace(&mut self.stmts, outer);
        self.values.names.close();
        body
    }

    fn results<'e>(&mut self, results: &'e [Expr], places: &[Option<ScalarType>], body: &mut Body<'e>) {
        for (position, expr) in results.iter().enumerate() {
            let place = places.get(position).copied().flatten();
            let atom = match &expr.kind {
                ExprKind::Literal(literal) if literal::own_type(literal).or(place).is_none() => {
                    body.untyped.push((position, literal));
                    HostAtom::Const(Scalar::Bool(false))
                }
                _ => self.expr(expr, place).unwrap_or_else(|Broken| {
                    body.broken = true;
                    HostAtom::Const(Scalar::Bool(false))
                }),
            };
            body.block.results.push(atom);
        }
    }

    /// Elaborates a statement. Errors are reported, and its names become broken.
    fn stmt(&mut self, stmt: &ast::Stmt) {
        let ast::StmtKind::Bind { binders, expr } = &stmt.kind else {
            let message = "private arrays belong into thunks, not into host code";
            self.reports.diagnostics.push(Diagnostic::new("L0108", message, stmt.span));
            return;
        };
        let result = self.bound(binders, expr);
        for (position, binder) in binders.iter().enumerate() {
            let binding = match &result {
                Ok(atoms) => atoms.get(position).map_or(Binding::Broken, |&atom| Binding::Atom(atom)),
                Err(Broken) => Binding::Broken,
            };
            if let Some(name) = &binder.name {
                self.values.bind(name, binding, self.reports);
            }
        }
        if let Ok(atoms) = result {
            self.check_annotations(binders, &atoms);
        }
    }

    /// Annotations may use the names that the statement binds.
    fn check_annotations(&mut self, binders: &[Binder], atoms: &[HostAtom]) {
        for (binder, &atom) in binders.iter().zip(atoms) {
            let Some(ty) = &binder.ty else { continue };
            let annotated = self.values.ty(ty, self.reports);
            let found = match atom {
                HostAtom::Value(value) => self.values.table[value.index()].ty.clone(),
                HostAtom::Const(scalar) => Type::scalar(scalar.ty()),
            };
            check_annotation(annotated, &found, ty.span, self.reports);
        }
    }

    /// The operands that a statement's names stand for. A name or a literal on the right makes no statement: the new name is an alias.
    fn bound(&mut self, binders: &[Binder], expr: &Expr) -> Elab<Vec<HostAtom>> {
        let place = match binders {
            [Binder { ty: Some(ast::TypeExpr { kind: ast::TypeKind::Array { elem, .. }, .. }), .. }] => {
                Some(*elem)
            }
            _ => None,
        };
        if matches!(expr.kind, ExprKind::Name(_) | ExprKind::Literal(_)) {
            if binders.len() != 1 {
                let error = TypeError::Binds { expected: 1, found: binders.len() };
                return self.reports.error("L0106", error.to_string(), expr.span);
            }
            return Ok(vec![self.expr(expr, place)?]);
        }
        let values = self.construct(expr, Destination::Binders(binders), place)?;
        Ok(values.into_iter().map(HostAtom::Value).collect())
    }

    /// Values for the results of a construct; their types are set later. `count` is their number if no names are given.
    pub fn binds(&mut self, count: usize, target: Destination<'_>, span: Span) -> Vec<ValueId> {
        match target {
            Destination::Anonymous => {
                (0..count).map(|_| self.values.add("".into(), Type::Dim, span)).collect()
            }
            Destination::Binders(binders) => {
                let name = |binder: &Binder| {
                    binder.name.as_ref().map_or_else(|| "".into(), |name| name.name.clone())
                };
                binders.iter().map(|binder| self.values.add(name(binder), Type::Dim, binder.span)).collect()
            }
        }
    }

    /// Adds the statement, and sets the types of the values it binds.
    pub fn emit(&mut self, op: HostOp, binds: Vec<ValueId>, span: Span) -> Elab<Vec<ValueId>> {
        if matches!(op, HostOp::Run { kernel, .. } if self.reports.broken_kernels[kernel.index()]) {
            return Err(Broken);
        }
        // Types are asked of a function, so it has the table of values for a moment.
        self.function.values = std::mem::take(&mut self.values.table);
        let types = host_types(self.program, &self.function, &op, &binds);
        self.values.table = std::mem::take(&mut self.function.values);
        let types = match types {
            Ok(types) => types,
            Err(error) => return self.wrong(error, span),
        };
        for (&bind, ty) in binds.iter().zip(types) {
            self.values.table[bind.index()].ty = ty;
        }
        self.stmts.push(HostStmt { binds: binds.clone(), op, span });
        Ok(binds)
    }

    fn wrong<T>(&mut self, error: TypeError, span: Span) -> Elab<T> {
        let code = match error {
            TypeError::Binds { .. } | TypeError::Arguments { .. } | TypeError::Results { .. } => "L0106",
            _ => "L0105",
        };
        let value = match error {
            TypeError::NotAnArray(value)
            | TypeError::NotASegmentation(value)
            | TypeError::NotAMatrix(value)
            | TypeError::NotAScalar(value) => Some(value),
            _ => None,
        };
        let mut message = error.to_string();
        if let Some(name) =
            value.map(|value| &self.values.table[value.index()].name).filter(|name| !name.is_empty())
        {
            message = format!("{message}, which `{name}` is not");
        }
        self.reports.error(code, message, span)
    }

    pub fn branch(
        &mut self,
        cond: &Expr,
        then: &ast::Block,
        otherwise: &ast::Block,
        target: Destination<'_>,
        span: Span,
    ) -> Elab<Vec<ValueId>> {
        let cond = self.expr(cond, Some(ScalarType::Bool))?;
        let count = self.width(then);
        let binds = self.binds(count, target, span);
        let annotated = match target {
            Destination::Binders(binders) => ast::annotated(binders),
            Destination::Anonymous => Vec::new(),
        };
        let mut then = self.block(then, &annotated);
        let places: Vec<_> =
            (0..then.block.results.len()).map(|position| self.result_type(&then, position)).collect();
        let mut otherwise = self.block(otherwise, &places);
        if then.broken || otherwise.broken {
            return Err(Broken);
        }
        let places: Vec<_> = (0..otherwise.block.results.len())
            .map(|position| self.result_type(&otherwise, position))
            .collect();
        self.settle(&mut then, &places);
        self.settle(&mut otherwise, &[]);
        if then.broken || otherwise.broken {
            return Err(Broken);
        }
        let (then, otherwise) = (then.block, otherwise.block);
        let (first, second) = (then.results.len(), otherwise.results.len());
        if first != second {
            let message = format!("one branch gives {first} values, the other {second}");
            return self.reports.error("L0106", message, span);
        }
        if first != binds.len() {
            let message = format!("the branches give {first} values, and {} are wanted", binds.len());
            return self.reports.error("L0106", message, span);
        }
        self.emit(HostOp::If { cond, then, otherwise }, binds, span)
    }

    /// The scalar type of a block's result, unless it is a literal without one.
    fn result_type(&self, body: &Body<'_>, position: usize) -> Option<ScalarType> {
        let untyped = body.broken || body.untyped.iter().any(|(other, _)| *other == position);
        body.block.results.get(position).filter(|_| !untyped).and_then(|&atom| self.atom_type(atom))
    }

    /// Gives the literals that wait for it a type; a block with one that gets none is broken.
    fn settle(&mut self, body: &mut Body<'_>, places: &[Option<ScalarType>]) {
        for (position, waiting) in std::mem::take(&mut body.untyped) {
            match literal::scalar(waiting, places.get(position).copied().flatten()) {
                Ok(scalar) => body.block.results[position] = HostAtom::Const(scalar),
                Err(diagnostic) => {
                    self.reports.diagnostics.push(diagnostic);
                    body.broken = true;
                }
            }
        }
    }

    /// Number of results of a block.
    fn width(&self, block: &ast::Block) -> usize {
        match split_last(block) {
            (_, Some(expr)) => self.expr_width(expr),
            (_, None) => block.results.len(),
        }
    }

    /// Number of values of a construct.
    pub fn expr_width(&self, expr: &Expr) -> usize {
        match &expr.kind {
            ExprKind::If { then, .. } => self.width(then),
            ExprKind::Call { run: true, callee, .. } => {
                self.items.kernels.get(callee).map_or(1, |&id| self.program.kernel(id).ret.len())
            }
            ExprKind::Call { callee, .. } | ExprKind::Each { callee, .. } => {
                self.items.functions.get(callee).map_or(1, |&id| self.program.function(id).results.len())
            }
            ExprKind::Sort { args, .. } => args.len(),
            ExprKind::Host { word: ast::HostWord::ReadFile, .. } => 3,
            ExprKind::Same { .. } | ExprKind::Check { .. } | ExprKind::Print { .. } => 0,
            _ => 1,
        }
    }

    pub fn atom_type(&self, atom: HostAtom) -> Option<ScalarType> {
        match atom {
            HostAtom::Value(value) => self.values.table[value.index()].ty.as_scalar(),
            HostAtom::Const(scalar) => Some(scalar.ty()),
        }
    }
}

/// Statements, and the construct that is the last line and gives its results.
fn split_last(block: &ast::Block) -> (&[ast::Stmt], Option<&Expr>) {
    let whole = |expr: &Expr| {
        matches!(
            expr.kind,
            ExprKind::Call { .. }
                | ExprKind::Each { .. }
                | ExprKind::Sort { .. }
                | ExprKind::Host { word: ast::HostWord::ReadFile, .. }
        )
    };
    match (block.results.as_slice(), block.stmts.split_last()) {
        ([only], _) if whole(only) => (&block.stmts, Some(only)),
        ([], Some((last, before))) => match &last.kind {
            ast::StmtKind::Bind { binders, expr }
                if binders.is_empty() && (expr.gives_all() || whole(expr)) =>
            {
                (before, Some(expr))
            }
            _ => (&block.stmts, None),
        },
        _ => (&block.stmts, None),
    }
}
