//! Parser of expressions with a keyword or a bracket of their own.

use super::{Parser, Result};
use crate::ast::{Each, Expr, ExprKind, Iteration, LetBinding, PatternKind};
use nestled_ir::{Diagnostic, Span};

impl Parser<'_> {
    pub(super) fn if_form(&mut self) -> Result<Expr> {
        let start = self.advance().span;
        let condition = Box::new(self.expr(3)?);
        self.expect("then", "after the condition")?;
        let yes = Box::new(self.expr(3)?);
        if !self.is("else") {
            let diagnostic = self
                .unexpected("`else`")
                .label(start, "of this `if`")
                .help("both branches are needed: an `if` is an expression");
            return Err(self.stop(diagnostic));
        }
        self.at += 1;
        let no = Box::new(self.expr(3)?);
        let span = start.to(no.span);
        self.build(ExprKind::If(condition, yes, no), span)
    }

    pub(super) fn let_form(&mut self) -> Result<Expr> {
        let start = self.advance().span;
        let bindings = self.inside_let(|parser| {
            let mut bindings = vec![parser.let_binding()?];
            while parser.eat(";") {
                if parser.is("in") {
                    break;
                }
                bindings.push(parser.let_binding()?);
            }
            parser.expect("in", "or `;` after a binding")?;
            Ok(bindings)
        })?;
        let body = Box::new(self.expr(3)?);
        let span = start.to(body.span);
        self.build(ExprKind::Let(bindings, body), span)
    }

    fn let_binding(&mut self) -> Result<LetBinding> {
        let left = self.expr(3)?;
        let pattern = self.pattern_of(left)?;
        self.distinct(&pattern)?;
        self.expect("=", "after the names that are bound")?;
        Ok(LetBinding { pattern, value: self.expr(3)? })
    }

    pub(super) fn time_form(&mut self) -> Result<Expr> {
        let start = self.advance().span;
        self.open();
        let value = self.expr(3)?;
        self.close(")", "`)`")?;
        let span = start.to(self.last());
        self.build(ExprKind::Time(Box::new(value)), span)
    }

    /// Parses `[x, y]`, `[start : end : step]` or `[] type`.
    pub(super) fn sequence(&mut self) -> Result<Expr> {
        let start = self.span();
        self.open();
        if self.is("]") {
            return self.empty(start);
        }
        let first = self.expr(4)?;
        let kind = if self.eat(":") {
            let end = self.expr(3)?;
            let step = if self.eat(":") { Some(Box::new(self.expr(3)?)) } else { None };
            ExprKind::Range(Box::new(first), Box::new(end), step)
        } else {
            let mut elements = vec![first];
            while self.eat(",") {
                elements.push(self.expr(4)?);
            }
            ExprKind::Sequence(elements)
        };
        self.close("]", "`,` or `]`")?;
        let span = start.to(self.last());
        self.build(kind, span)
    }

    fn empty(&mut self, start: Span) -> Result<Expr> {
        self.close("]", "`]`")?;
        if !self.begins_type() {
            let message = "an empty sequence needs the type of its elements";
            let diagnostic = Diagnostic::new("N0010", message, start.to(self.last()))
                .help("write `[] int`, `[] [char]` or `[] (int, float)`");
            return Err(self.stop(diagnostic));
        }
        let ty = Box::new(self.type_primary()?);
        let span = start.to(self.last());
        self.build(ExprKind::Empty(ty), span)
    }

    /// Parses `{body : pattern in source; … | filter}` and its abbreviations.
    pub(super) fn each(&mut self) -> Result<Expr> {
        let start = self.span();
        self.open();
        let serial = self.eat("*");
        let first = self.expr(3)?;
        let (body, first) = if self.eat(":") {
            let body = Some(Box::new(first));
            (body, self.expr(3)?)
        } else {
            (None, first)
        };
        let mut iterations = vec![self.iteration(first)?];
        while self.eat(";") {
            if self.leaves_each() {
                let diagnostic = Diagnostic::new("N0005", "this `{` is not closed", start)
                    .label(self.last(), "a `}` may be missing before this");
                self.ended_early |= self.at_end();
                return Err(self.stop(diagnostic));
            }
            let pattern = self.expr(3)?;
            iterations.push(self.iteration(pattern)?);
        }
        let filter = if self.eat("|") { Some(Box::new(self.expr(3)?)) } else { None };
        self.close("}", "`;`, `|` or `}`")?;
        let span = start.to(self.last());
        self.distinct_iterations(&iterations)?;
        self.build(ExprKind::Each(Each { serial, body, iterations, filter }), span)
    }

    /// Parses the iteration that begins with this expression.
    fn iteration(&mut self, first: Expr) -> Result<Iteration> {
        let pattern = self.pattern_of(first)?;
        let source = if self.eat("in") { Some(self.expr(3)?) } else { None };
        if source.is_none() && !matches!(pattern.kind, PatternKind::Name(_)) {
            let diagnostic = Diagnostic::new("N0005", "expected `in` after this pattern", pattern.span)
                .help("only a single name may stand alone: `{x + y : x; y}` means `x in x; y in y`");
            return Err(self.stop(diagnostic));
        }
        Ok(Iteration { pattern, source })
    }
}
