//! Elaborates indexed constructs in thunks: reads, windows, private arrays, segment lengths and starts.

use super::destination::Destination;
use super::thunk::{Binding, ThunkCx};
use super::{Broken, Elab, unknown};
use crate::diagnostic::Diagnostic;
use crate::host::HostAtom;
use crate::id::{LocalId, PrivateId, SiteId, ValueId};
use crate::op::Op;
use crate::scalar::{Scalar, ScalarType};
use crate::span::Span;
use crate::text::ast::{Expr, ExprKind, Ident, IndexExpr, SiteMark};
use crate::thunk::{Atom, Index, Offset, Rule, StmtKind};

impl ThunkCx<'_> {
    /// The value that an earlier combinator bound at level 0 under this name, if any: such a value is read by its bare name.
    pub fn level_zero(&self, name: &Ident) -> Option<ValueId> {
        if self.names.get(name).is_some() {
            return None;
        }
        self.kernel?.bound(name).filter(|(_, level)| *level == 0).map(|(value, _)| value)
    }

    /// `s`, bound at level 0.
    pub fn own_scalar(&mut self, name: &Ident, target: Destination<'_>) -> Elab<Vec<LocalId>> {
        match self.level_zero(name) {
            Some(bind) => self.own(bind, target, name.span),
            None => self.reports.error("L0106", "a name binds nothing by itself", name.span),
        }
    }

    fn own(&mut self, bind: ValueId, target: Destination<'_>, span: Span) -> Elab<Vec<LocalId>> {
        let ty = self.element_of(bind, span)?;
        let dsts = self.dsts(&[ty], target, span)?;
        self.emit(StmtKind::Own { dst: dsts[0], bind }, span);
        Ok(dsts)
    }

    /// `xs[i, j] else 0.0`: an array, a register or window, or a private array.
    pub fn read(
        &mut self,
        array: &Ident,
        index: &[IndexExpr],
        default: Option<&Expr>,
        site: SiteMark,
        target: Destination<'_>,
        span: Span,
    ) -> Elab<Vec<LocalId>> {
        match self.names.get(array) {
            Some(Binding::Private(private)) => {
                let private = *private;
                return self.private_get(private, index, default, site, target, span);
            }
            Some(Binding::Broken) => return Err(Broken),
            Some(Binding::Atom(_)) => return self.not_an_array(array),
            None => {}
        }
        let value = self.captured(array)?;
        match self.kernel.and_then(|kernel| kernel.level(value)) {
            Some(level) if self.is_own(index, level) && default.is_none() => self.own(value, target, span),
            Some(level) => self.window(array, value, level, index, default, site, target, span),
            None => self.read_array(value, index, default, site, target, span),
        }
    }

    fn read_array(
        &mut self,
        array: ValueId,
        index: &[IndexExpr],
        default: Option<&Expr>,
        site: SiteMark,
        target: Destination<'_>,
        span: Span,
    ) -> Elab<Vec<LocalId>> {
        let elem = self.element_of(array, span)?;
        let mut indices = Vec::new();
        for one in index {
            let at = self.expr(&one.at, Some(ScalarType::Idx))?;
            indices.push(Index { at, rule: rule(one, default.is_some()) });
        }
        let default = match default {
            Some(default) => Some(self.expr(default, Some(elem))?),
            None => None,
        };
        let dsts = self.dsts(&[elem], target, span)?;
        let site = self.read_site(indices.iter().map(|index| index.rule), site, span)?;
        self.emit(StmtKind::Read { dst: dsts[0], array, index: indices, default, site }, span);
        Ok(dsts)
    }

    /// A read is a site if one of its rules is `fault`.
    fn read_site(
        &mut self,
        mut rules: impl Iterator<Item = Rule>,
        site: SiteMark,
        span: Span,
    ) -> Elab<Option<SiteId>> {
        if rules.any(|rule| rule == Rule::Fault) {
            return self.reports.sites.take(site, span).map(Some);
        }
        self.no_site(site)
    }

    fn no_site(&mut self, site: SiteMark) -> Elab<Option<SiteId>> {
        match site.number {
            None => Ok(None),
            Some(_) => self.reports.error("L0111", "this cannot fault, so it has no site", site.span),
        }
    }

    /// True if these are exactly the own coordinates of a level, without rules.
    fn is_own(&self, index: &[IndexExpr], level: usize) -> bool {
        index.len() == level
            && index
                .iter()
                .enumerate()
                .all(|(position, one)| one.rule.is_none() && self.is_coordinate(&one.at, position))
    }

    /// True if an expression is the name of the coordinate at a position.
    fn is_coordinate(&self, expr: &Expr, position: usize) -> bool {
        let ExprKind::Name(name) = &expr.kind else { return false };
        match self.names.get(name) {
            Some(Binding::Atom(Atom::Local(local))) => {
                local.index() == position && position < self.thunk.n_params
            }
            _ => false,
        }
    }

    /// `p[i + 1 clamp, j - 2 wrap]`
    #[expect(clippy::too_many_arguments)]
    fn window(
        &mut self,
        name: &Ident,
        bind: ValueId,
        level: usize,
        index: &[IndexExpr],
        default: Option<&Expr>,
        site: SiteMark,
        target: Destination<'_>,
        span: Span,
    ) -> Elab<Vec<LocalId>> {
        if index.len() != level {
            let message =
                format!("`{}` lives at level {level}, so it is read with {level} coordinates", name.text());
            return self.reports.error("L0110", message, span);
        }
        let mut offsets = Vec::new();
        for (position, one) in index.iter().enumerate() {
            let Some(by) = self.offset(&one.at, position) else {
                let message =
                    "an earlier combinator is read at the own coordinates plus or minus literals only";
                let diagnostic = Diagnostic::new("L0110", message, one.at.span);
                return self
                    .reports
                    .report(diagnostic.help("whatever else is read must come from another kernel"));
            };
            offsets.push(Offset { by, rule: rule(one, default.is_some()) });
        }
        let elem = self.element_of(bind, span)?;
        let default = match default {
            Some(default) => Some(self.expr(default, Some(elem))?),
            None => None,
        };
        let dsts = self.dsts(&[elem], target, span)?;
        let site = self.read_site(offsets.iter().map(|offset| offset.rule), site, span)?;
        self.emit(StmtKind::Window { dst: dsts[0], bind, offsets, default, site }, span);
        Ok(dsts)
    }

    /// The constant in `i`, `i + 1` or `i - 1`.
    fn offset(&self, expr: &Expr, position: usize) -> Option<i64> {
        if self.is_coordinate(expr, position) {
            return Some(0);
        }
        let ExprKind::Op { op, args } = &expr.kind else { return None };
        let [left, right] = args.as_slice() else { return None };
        let (coordinate, constant) = match (op, &left.kind) {
            (Op::Add, ExprKind::Literal(_)) => (right, left),
            (Op::Add | Op::Sub, _) => (left, right),
            _ => return None,
        };
        let ExprKind::Literal(literal) = &constant.kind else { return None };
        let scalar = super::literal::scalar(literal, Some(ScalarType::Idx)).ok()?;
        let (Scalar::Idx(by), true) = (scalar, self.is_coordinate(coordinate, position)) else { return None };
        if *op == Op::Sub { by.checked_neg() } else { Some(by) }
    }

    /// The index of a private array, and whether it is proved to be inside.
    pub fn private_index(&mut self, index: &[IndexExpr], span: Span) -> Elab<(Atom, bool)> {
        let [IndexExpr { at, rule }] = index else {
            return self.reports.error("L0106", "a private array has one index", span);
        };
        let proved = match rule {
            None | Some(Rule::Fault) => false,
            Some(Rule::Proved) => true,
            Some(Rule::Clamp | Rule::Wrap | Rule::Else) => {
                return self.reports.error(
                    "L0108",
                    "private arrays have the rules `fault` and `proved` only",
                    at.span,
                );
            }
        };
        Ok((self.expr(at, Some(ScalarType::Idx))?, proved))
    }

    fn private_get(
        &mut self,
        array: PrivateId,
        index: &[IndexExpr],
        default: Option<&Expr>,
        site: SiteMark,
        target: Destination<'_>,
        span: Span,
    ) -> Elab<Vec<LocalId>> {
        if let Some(default) = default {
            return self.reports.error("L0108", "private arrays have no `else`", default.span);
        }
        let (at, proved) = self.private_index(index, span)?;
        let elem = self.thunk.privates[array.index()].elem;
        let dsts = self.dsts(&[elem], target, span)?;
        let site = if proved { self.no_site(site)? } else { Some(self.reports.sites.take(site, span)?) };
        self.emit(StmtKind::PrivateGet { dst: dsts[0], array, at, site }, span);
        Ok(dsts)
    }

    /// `len s[i]` or `start s[i]`
    pub fn segment(
        &mut self,
        start: bool,
        seg: &Ident,
        at: &[Expr],
        target: Destination<'_>,
        span: Span,
    ) -> Elab<Vec<LocalId>> {
        let value = self.captured(seg)?;
        let at = self.exprs(at, Some(ScalarType::Idx))?;
        let dsts = self.dsts(&[ScalarType::Idx], target, span)?;
        let dst = dsts[0];
        self.emit(
            if start {
                StmtKind::Start { dst, seg: value, at }
            } else {
                StmtKind::Len { dst, seg: value, at }
            },
            span,
        );
        Ok(dsts)
    }

    /// The value of the kernel that a name means.
    fn captured(&mut self, name: &Ident) -> Elab<ValueId> {
        let Some(kernel) = self.kernel else {
            let diagnostic = unknown("array", name, self.names.texts());
            return self
                .reports
                .report(diagnostic.help("a named thunk captures nothing; it reads only private arrays"));
        };
        if self.names.get(name).is_some() {
            return self.not_an_array(name);
        }
        match kernel.values.resolve(name, self.reports)? {
            HostAtom::Value(value) => Ok(value),
            HostAtom::Const(_) => self.not_an_array(name),
        }
    }

    fn not_an_array<T>(&mut self, name: &Ident) -> Elab<T> {
        self.reports.error("L0109", format!("`{}` is not an array", name.text()), name.span)
    }

    fn element_of(&mut self, value: ValueId, span: Span) -> Elab<ScalarType> {
        let ty = self.kernel.map(|kernel| &kernel.values.table[value.index()].ty);
        match ty.and_then(|ty| ty.as_array()) {
            Some(array) => Ok(array.elem),
            None => self.reports.error("L0109", "only arrays have elements to read", span),
        }
    }
}

fn rule(index: &IndexExpr, has_default: bool) -> Rule {
    index.rule.unwrap_or(if has_default { Rule::Else } else { Rule::Fault })
}
