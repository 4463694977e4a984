//! Elaborates control flow in thunks: branches and loops with carried values.

use super::destination::Destination;
use super::thunk::{Binding, Body, ThunkCx};
use super::{Broken, Elab, literal};
use crate::id::LocalId;
use crate::scalar::ScalarType;
use crate::span::Span;
use crate::text::ast::{self, CarriedExpr, Expr, ExprKind, Ident};
use crate::thunk::{Atom, Block, Carried, StmtKind};

impl ThunkCx<'_> {
    pub fn branch(
        &mut self,
        cond: &Expr,
        then: &ast::Block,
        otherwise: &ast::Block,
        target: Destination<'_>,
        span: Span,
    ) -> Elab<Vec<LocalId>> {
        let cond = self.expr(cond, Some(ScalarType::Bool))?;
        let count = match target {
            Destination::Binders(binders) => binders.len(),
            Destination::Anonymous => self.width(then),
        };
        // Types are known only when the blocks are.
        let dsts = self.dsts(&vec![ScalarType::Bool; count], target, span)?;
        let annotated = match target {
            Destination::Binders(binders) => ast::annotated(binders),
            Destination::Anonymous => Vec::new(),
        };
        let mut then = self.block(then, &annotated);
        let places: Vec<_> = (0..count)
            .map(|position| {
                let untyped = then.broken || then.untyped.iter().any(|(other, _)| *other == position);
                then.block.results.get(position).filter(|_| !untyped).and_then(|&atom| self.atom_type(atom))
            })
            .collect();
        let mut otherwise = self.block(otherwise, &places);
        if then.broken || otherwise.broken {
            return Err(Broken);
        }
        let places: Vec<_> = otherwise.block.results.iter().map(|&atom| self.atom_type(atom)).collect();
        let unknown: Vec<usize> = otherwise.untyped.iter().map(|(position, _)| *position).collect();
        self.settle(&mut then, |position| {
            places.get(position).copied().flatten().filter(|_| !unknown.contains(&position))
        });
        self.settle(&mut otherwise, |_| None);
        if then.broken || otherwise.broken {
            return Err(Broken);
        }
        let (then, otherwise) = (then.block, otherwise.block);
        self.same_count(count, &then, &otherwise, span)?;
        for (&dst, &result) in dsts.iter().zip(&then.results) {
            if let Some(ty) = self.atom_type(result) {
                self.thunk.locals[dst.index()].ty = ty;
            }
        }
        self.emit(StmtKind::If { dsts: dsts.clone(), cond, then, otherwise }, span);
        Ok(dsts)
    }

    /// Gives the literals that wait for it a type; a block with one that gets none is broken.
    fn settle(&mut self, body: &mut Body<'_>, place: impl Fn(usize) -> Option<ScalarType>) {
        for (position, waiting) in std::mem::take(&mut body.untyped) {
            match literal::scalar(waiting, place(position)) {
                Ok(scalar) => body.block.results[position] = Atom::Const(scalar),
                Err(diagnostic) => {
                    self.reports.diagnostics.push(diagnostic);
                    body.broken = true;
                }
            }
        }
    }

    fn same_count(&mut self, count: usize, then: &Block, otherwise: &Block, span: Span) -> Elab<()> {
        let (first, second) = (then.results.len(), otherwise.results.len());
        if first != second {
            let message = format!("one branch gives {first} values, the other {second}");
            return self.reports.error("L0106", message, span);
        }
        if first != count {
            let message = format!("the branches give {first} values, and {count} are wanted");
            return self.reports.error("L0106", message, span);
        }
        Ok(())
    }

    /// Number of results of a block.
    fn width(&self, block: &ast::Block) -> usize {
        let width = |expr: &Expr| match &expr.kind {
            ExprKind::If { then, .. } => self.width(then),
            ExprKind::For { carried, .. } | ExprKind::While { carried, .. } => carried.len(),
            ExprKind::Threefry { .. } => 2,
            ExprKind::Call { callee, .. } => {
                self.items.thunks.get(callee).map_or(1, |&id| self.program.thunk(id).results.len())
            }
            _ => 1,
        };
        match (block.results.as_slice(), block.stmts.last()) {
            ([only], _) => width(only),
            ([], Some(ast::Stmt { kind: ast::StmtKind::Bind { binders, expr }, .. }))
                if binders.is_empty() && expr.gives_all() =>
            {
                width(expr)
            }
            (results, _) => results.len(),
        }
    }

    pub fn counted_loop(
        &mut self,
        var: Option<&Ident>,
        bounds: [&Expr; 2],
        carried: &[CarriedExpr],
        body: &ast::Block,
        target: Destination<'_>,
        span: Span,
    ) -> Elab<Vec<LocalId>> {
        let from = self.expr(bounds[0], Some(ScalarType::Idx))?;
        let to = self.expr(bounds[1], Some(ScalarType::Idx))?;
        let (inits, types) = self.inits(carried)?;
        let dsts = self.dsts(&types, target, span)?;
        self.names.open();
        let counter = self.local(var.map_or_else(|| "".into(), |var| var.name.clone()), ScalarType::Idx);
        if let Some(var) = var {
            self.bind(var, Binding::Atom(Atom::Local(counter)));
        }
        let carried = self.carried(carried, &inits, &types);
        let places: Vec<_> = types.iter().copied().map(Some).collect();
        let body = self.round(body, &places);
        self.names.close();
        self.emit(StmtKind::For { dsts: dsts.clone(), var: counter, from, to, carried, body: body? }, span);
        Ok(dsts)
    }

    pub fn while_loop(
        &mut self,
        carried: &[CarriedExpr],
        cond: &ast::Block,
        body: &ast::Block,
        target: Destination<'_>,
        span: Span,
    ) -> Elab<Vec<LocalId>> {
        let (inits, types) = self.inits(carried)?;
        let dsts = self.dsts(&types, target, span)?;
        self.names.open();
        let carried = self.carried(carried, &inits, &types);
        let cond = self.round(cond, &[Some(ScalarType::Bool)]);
        let places: Vec<_> = types.iter().copied().map(Some).collect();
        let body = self.round(body, &places);
        self.names.close();
        self.emit(StmtKind::While { dsts: dsts.clone(), carried, cond: cond?, body: body? }, span);
        Ok(dsts)
    }

    fn inits(&mut self, carried: &[CarriedExpr]) -> Elab<(Vec<Atom>, Vec<ScalarType>)> {
        let (mut inits, mut types) = (Vec::new(), Vec::new());
        for one in carried {
            let init = self.expr(&one.init, None)?;
            types.extend(self.atom_type(init));
            inits.push(init);
        }
        Ok((inits, types))
    }

    fn carried(&mut self, carried: &[CarriedExpr], inits: &[Atom], types: &[ScalarType]) -> Vec<Carried> {
        let mut result = Vec::new();
        for ((one, &init), &ty) in carried.iter().zip(inits).zip(types) {
            let name = one.name.as_ref().map_or_else(|| "".into(), |name| name.name.clone());
            let local = self.local(name, ty);
            if let Some(name) = &one.name {
                self.bind(name, Binding::Atom(Atom::Local(local)));
            }
            result.push(Carried { local, init });
        }
        result
    }

    /// A block that must give as many values as there are places.
    fn round(&mut self, block: &ast::Block, places: &[Option<ScalarType>]) -> Elab<Block> {
        let errors = self.reports.diagnostics.len();
        let mut body = self.block(block, places);
        if body.broken {
            return Err(Broken);
        }
        self.settle(&mut body, |_| None);
        let found = body.block.results.len();
        if found != places.len() && errors == self.reports.diagnostics.len() {
            let message = format!("this block gives {found} values, and {} are wanted", places.len());
            return self.reports.error("L0106", message, block.span);
        }
        Ok(body.block)
    }
}
