//! Type inference of apply-to-each.

use super::Infer;
use crate::ast::{self, ExprKind, PatternKind};
use crate::typed::{Each, Expr, Kind};
use crate::types::{Class, Type, TypeId};
use nestled_ir::{Diagnostic, Span};

impl Infer<'_> {
    pub(super) fn each(&mut self, each: &ast::Each, span: Span) -> Expr {
        // The sources do not see the names that the patterns bind.
        let sources: Vec<Expr> = each.iterations.iter().map(|iteration| self.source(iteration)).collect();
        let mut names = Vec::new();
        let mut iterations = Vec::new();
        for (iteration, source) in each.iterations.iter().zip(sources) {
            let element = self.element(&source);
            iterations.push((self.pattern(&iteration.pattern, element, &mut names), source));
        }
        let parallel = usize::from(!each.serial || self.dialect.compat);
        self.parallel += parallel;
        let body = match &each.body {
            Some(body) => self.expr(body),
            None => self.expr(&as_expr(&each.iterations[0].pattern)),
        };
        let filter = each.filter.as_ref().map(|filter| self.condition(filter, "a filter cannot be"));
        self.parallel -= parallel;
        self.unbind(&names);
        if let (Some(filter), Some(_), false) = (&filter, &each.body, self.library) {
            self.unguarded(&body, filter);
        }
        let ty = self.sequence_of(body.ty);
        let each = Each { serial: each.serial, iterations, body, filter };
        Expr { kind: Kind::Each(Box::new(each)), ty, span }
    }

    fn source(&mut self, iteration: &ast::Iteration) -> Expr {
        match &iteration.source {
            Some(source) => self.expr(source),
            None => self.expr(&as_expr(&iteration.pattern)),
        }
    }

    /// Returns the element type of a source.
    fn element(&mut self, source: &Expr) -> TypeId {
        if let Type::Seq(element) = *self.env.types.get(source.ty) {
            return element;
        }
        let element = self.env.types.fresh(Class::Any);
        let sequence = self.sequence_of(element);
        if self.env.types.unify(sequence, source.ty).is_err() {
            let shown = self.show(source.ty);
            let diagnostic = Diagnostic::new("N0111", format!("`{shown}` has no elements"), source.span)
                .here("an apply-to-each runs over sequences")
                .help("the numbers below `n` are `index(n)`, those from `a` to below `b` `[a:b]`");
            self.error(diagnostic);
        }
        element
    }
}

/// Returns the expression that a pattern looks like.
fn as_expr(pattern: &ast::Pattern) -> ast::Expr {
    let kind = match &pattern.kind {
        PatternKind::Name(name) => ExprKind::Name(name.clone()),
        PatternKind::Pair(left, right) => ExprKind::Pair(Box::new(as_expr(left)), Box::new(as_expr(right))),
        PatternKind::Record(name, content) => {
            let record = ast::Expr::new(ExprKind::Name(name.text.clone()), name.span);
            ExprKind::Apply(Box::new(record), Box::new(as_expr(content)), Vec::new())
        }
    };
    ast::Expr::new(kind, pattern.span)
}
