//! Type inference of expressions.

use super::Infer;
use crate::ast::{self, ExprKind, Name};
use crate::token::Text;
use crate::typed::{Expr, Kind, Lambda};
use crate::types::{Base, Type, TypeId};
use nestled_ir::{Diagnostic, Span};
use std::sync::Arc;

/// The original's limit on the number of elements of a sequence literal.
const ORIGINAL_ELEMENTS: usize = 100;

impl Infer<'_> {
    /// Infers the type of an expression. Errors are reported, and their nodes get a type that fits anywhere.
    pub(super) fn expr(&mut self, expr: &ast::Expr) -> Expr {
        let span = expr.span;
        if self.exhausted() {
            return self.broken(span);
        }
        match &expr.kind {
            ExprKind::Int(value) => self.int(*value, span, false),
            ExprKind::Float(value) => self.leaf(Kind::Float(self.dialect.round(*value)), Base::Float, span),
            ExprKind::Bool(value) => self.leaf(Kind::Bool(*value), Base::Bool, span),
            ExprKind::Char(code) => self.leaf(Kind::Char(*code), Base::Char, span),
            ExprKind::Str(bytes) => {
                let char = self.base(Base::Char);
                let ty = self.sequence_of(char);
                Expr { kind: Kind::Str(Arc::from(bytes.as_slice())), ty, span }
            }
            ExprKind::Name(text) => self.name(&Name { text: text.clone(), span }),
            ExprKind::Prefix(op, operand) => self.prefix(op, operand, span),
            ExprKind::Infix(op, left, right) => {
                let (left, right) = (self.expr(left), self.expr(right));
                self.builtin(&op.text, op.span, vec![left, right], span)
            }
            ExprKind::Pair(..) => self.tuple(expr),
            ExprKind::Apply(function, argument, keywords) => {
                self.application(function, argument, keywords, span)
            }
            ExprKind::Index(sequence, position) => {
                let (sequence, position) = (self.expr(sequence), self.expr(position));
                let place = sequence.span;
                self.builtin("elt", place, vec![sequence, position], span)
            }
            ExprKind::Time(value) => {
                let value = self.expr(value);
                let seconds = self.base(Base::Float);
                let ty = self.pair_of(value.ty, seconds);
                Expr { kind: Kind::Time(Box::new(value)), ty, span }
            }
            ExprKind::Sequence(elements) => self.sequence(elements, span),
            ExprKind::Empty(ty) => {
                let element = self.declared_type(ty, &mut Vec::new());
                let ty = self.sequence_of(element);
                Expr { kind: Kind::Empty, ty, span }
            }
            ExprKind::Range(start, end, step) => {
                let start = self.expr(start);
                let end = self.expr(end);
                let step = match step {
                    Some(step) => self.expr(step),
                    None => self.int(1, span, false),
                };
                self.builtin("iseq", span, vec![start, step, end], span)
            }
            ExprKind::Each(each) => self.each(each, span),
            ExprKind::If(condition, yes, no) => self.conditional(condition, yes, no, span),
            ExprKind::Match(value, arms) => self.match_form(value, arms, span),
            ExprKind::Let(bindings, body) => self.let_form(bindings, body, span),
            ExprKind::Lambda(pattern, body) => {
                let (lambda, ty) = self.lambda(Text::from("=>"), pattern, body);
                Expr { kind: Kind::Lambda(Arc::new(lambda)), ty, span }
            }
        }
    }

    fn tuple(&mut self, expr: &ast::Expr) -> Expr {
        let (parts, last) = expr.components();
        let mut typed: Vec<(Expr, Span)> =
            parts.into_iter().map(|(part, span)| (self.expr(part), span)).collect();
        let mut tuple = self.expr(last);
        while let Some((left, span)) = typed.pop() {
            tuple = Expr { span, ..self.pair(left, tuple) };
        }
        tuple
    }

    fn leaf(&mut self, kind: Kind, base: Base, span: Span) -> Expr {
        Expr { kind, ty: self.base(base), span }
    }

    /// Checks an integer literal; the smallest integer has no positive counterpart.
    fn int(&mut self, value: u64, span: Span, negated: bool) -> Expr {
        let limit = self.dialect.max_int() as u64 + u64::from(negated);
        if value > limit && !self.dialect.compat {
            let bits = self.dialect.int_bits();
            let message = format!("this number does not fit into an `int` of {bits} bits");
            let diagnostic = Diagnostic::new("N0109", message, span)
                .here(format!("the largest is {}", self.dialect.max_int()))
                .help("a float has a point: `1.0e20`");
            self.error(diagnostic);
        }
        self.leaf(Kind::Int(self.dialect.wrap(value as i64)), Base::Int, span)
    }

    fn prefix(&mut self, op: &Name, operand: &ast::Expr, span: Span) -> Expr {
        let value = match &operand.kind {
            ExprKind::Int(value) if &*op.text == "-" => self.int(*value, operand.span, true),
            _ => self.expr(operand),
        };
        let function = if &*op.text == "-" { "negate" } else { &op.text };
        self.builtin(function, op.span, vec![value], span)
    }

    fn sequence(&mut self, elements: &[ast::Expr], span: Span) -> Expr {
        if self.dialect.compat && elements.len() > ORIGINAL_ELEMENTS {
            let message = format!("a sequence of more than {ORIGINAL_ELEMENTS} written elements");
            self.error(Diagnostic::new("N0123", message, span).help("append two sequences with `++`"));
        }
        let first = self.expr(&elements[0]);
        let element = first.ty;
        let first_span = first.span;
        let mut typed = vec![first];
        for next in &elements[1..] {
            let next = self.expr(next);
            if let Err(why) = self.env.types.unify(element, next.ty) {
                let what = "a sequence cannot also hold";
                let diagnostic = self.mismatch("N0106", what, next.span, element, next.ty, why);
                let shown = self.show(element);
                self.error(diagnostic.label(first_span, format!("the first element is `{shown}`")));
            }
            typed.push(next);
        }
        let ty = self.sequence_of(element);
        Expr { kind: Kind::Sequence(typed), ty, span }
    }

    fn conditional(&mut self, condition: &ast::Expr, yes: &ast::Expr, no: &ast::Expr, span: Span) -> Expr {
        let condition = self.condition(condition, "a condition cannot be");
        // Without brackets of its own a pair begins where its left part does.
        let open = matches!(&no.kind, ExprKind::Pair(left, _) if left.span.start == no.span.start);
        let comma = open && !matches!(yes.kind, ExprKind::Pair(..));
        let (yes, no) = (self.expr(yes), self.expr(no));
        if let Err(why) = self.env.types.unify(yes.ty, no.ty) {
            let what = "the branches of `if` differ: one is";
            let mut diagnostic = self.mismatch("N0104", what, no.span, yes.ty, no.ty, why);
            if comma {
                let help = "the part behind `else` goes on past the comma; put brackets round the `if`";
                diagnostic.help = Some(help.to_owned());
            }
            let shown = self.show(yes.ty);
            self.error(diagnostic.label(yes.span, format!("this is `{shown}`")));
        }
        let ty = yes.ty;
        Expr { kind: Kind::If(Box::new(condition), Box::new(yes), Box::new(no)), ty, span }
    }

    /// Checks an expression that must be a truth value.
    pub(super) fn condition(&mut self, condition: &ast::Expr, what: &str) -> Expr {
        let condition = self.expr(condition);
        let bool = self.base(Base::Bool);
        if let Err(why) = self.env.types.unify(condition.ty, bool) {
            let diagnostic = self.mismatch("N0110", what, condition.span, bool, condition.ty, why);
            self.error(diagnostic);
        }
        condition
    }

    fn let_form(&mut self, bindings: &[ast::LetBinding], body: &ast::Expr, span: Span) -> Expr {
        let mut names = Vec::new();
        let mut typed = Vec::new();
        for binding in bindings {
            let value = self.expr(&binding.value);
            let pattern = self.pattern(&binding.pattern, value.ty, &mut names);
            typed.push((pattern, value));
        }
        let body = self.expr(body);
        self.unbind(&names);
        let ty = body.ty;
        Expr { kind: Kind::Let(typed, Box::new(body)), ty, span }
    }

    /// Checks a function with this parameter and body; returns it with its type.
    pub(super) fn lambda(
        &mut self,
        name: Text,
        pattern: &ast::Pattern,
        body: &ast::Expr,
    ) -> (Lambda, TypeId) {
        let from = self.env.types.fresh(crate::types::Class::Any);
        self.lambda_from(name, pattern, body, from)
    }

    /// Checks a function whose parameter has a declared type.
    pub(super) fn lambda_from(
        &mut self,
        name: Text,
        pattern: &ast::Pattern,
        body: &ast::Expr,
        from: TypeId,
    ) -> (Lambda, TypeId) {
        self.captured.push(Vec::new());
        let mut names = Vec::new();
        let pattern = self.pattern(pattern, from, &mut names);
        let body = self.expr(body);
        self.unbind(&names);
        let captured = self.captured.pop().expect("it was pushed above");
        let ty = self.env.types.add(Type::Function(from, body.ty));
        (Lambda { id: self.env.new_lambda(), name, library: self.library, pattern, body, from, captured }, ty)
    }
}
