//! Parser of patterns: they are parsed as expressions, since only later tokens tell them apart, and then converted.

use super::{Open, Parser, Result, reserved};
use crate::ast::{Expr, ExprKind, Iteration, Keyword, Name, Pattern, PatternKind};
use crate::token::{Text, is_operator};
use nestled_ir::Diagnostic;

impl Parser<'_> {
    /// Converts an expression to a pattern.
    pub(super) fn pattern_of(&mut self, expr: Expr) -> Result<Pattern> {
        let span = expr.span;
        let kind = match expr.kind {
            // The empty list of the original's own language.
            ExprKind::Name(text) if self.dialect.compat && &*text == "nil" => {
                let diagnostic = reserved("nil", span);
                return Err(self.stop(diagnostic));
            }
            ExprKind::Name(text) if !is_operator(&text) => PatternKind::Name(text),
            ExprKind::Pair(..) => return self.tuple_pattern(expr),
            ExprKind::Apply(record, content, keywords) if keywords.is_empty() => match record.kind {
                ExprKind::Name(text) if !is_operator(&text) => {
                    let name = Name { text, span: record.span };
                    PatternKind::Record(name, Box::new(self.pattern_of(*content)?))
                }
                _ => return Err(self.no_pattern(span)),
            },
            ExprKind::Bool(value) => {
                let diagnostic = reserved(if value { "t" } else { "f" }, span);
                return Err(self.stop(diagnostic));
            }
            _ => return Err(self.no_pattern(span)),
        };
        Ok(Pattern { kind, span })
    }

    fn tuple_pattern(&mut self, expr: Expr) -> Result<Pattern> {
        let (mut lefts, mut rest) = (Vec::new(), expr);
        while let ExprKind::Pair(left, right) = rest.kind {
            lefts.push((self.pattern_of(*left)?, rest.span));
            rest = *right;
        }
        let mut pattern = self.pattern_of(rest)?;
        while let Some((left, span)) = lefts.pop() {
            pattern = Pattern { kind: PatternKind::Pair(Box::new(left), Box::new(pattern)), span };
        }
        Ok(pattern)
    }

    fn no_pattern(&mut self, span: nestled_ir::Span) -> super::Stop {
        let help = match self.open.last() {
            _ if self.foreign_syntax_hint().is_some() => self.foreign_syntax_hint().unwrap_or_default(),
            Some(Open::Let) => {
                "a binding is `pattern = value`; before what the `let` is for, `in` may be missing"
            }
            _ => "patterns bind names: `x`, `(a, b)`, `point(x, y)`; test values with `if`",
        };
        let diagnostic = Diagnostic::new("N0011", "this is not a pattern", span)
            .here("names, pairs and records only")
            .help(help);
        self.stop(diagnostic)
    }

    /// Parses the parameter of a function: one pattern as a primary, with trailing defaults.
    pub(super) fn parameter(&mut self) -> Result<(Pattern, Vec<Keyword>)> {
        let (expr, defaults) = if self.is("(") {
            let arguments = self.arguments()?;
            (arguments.positional, arguments.keywords)
        } else {
            (self.expr(crate::token::APPLY)?, Vec::new())
        };
        let mut pattern = self.pattern_of(expr)?;
        if self.dialect.compat {
            // There the first one is meant, and nothing is said.
            hide_repeated(&mut pattern, &mut Vec::new());
        }
        self.distinct(&pattern)?;
        Ok((pattern, defaults))
    }

    /// Checks that a pattern binds a name only once; `_` may occur more often, though not in the original.
    pub(super) fn distinct(&mut self, pattern: &Pattern) -> Result<()> {
        self.distinct_names(pattern.names())
    }

    pub(super) fn distinct_iterations(&mut self, iterations: &[Iteration]) -> Result<()> {
        self.distinct_names(iterations.iter().flat_map(|iteration| iteration.pattern.names()).collect())
    }

    fn distinct_names(&mut self, mut names: Vec<Name>) -> Result<()> {
        names.retain(|name| &*name.text != "_" || self.dialect.compat);
        let position = |name: &Name| (name.text.clone(), name.span.start);
        names.sort_by_key(position);
        for pair in names.windows(2) {
            if pair[0].text == pair[1].text {
                let diagnostic =
                    Diagnostic::new("N0012", format!("`{}` is bound twice", pair[1].text), pair[1].span)
                        .here("bound again here")
                        .label(pair[0].span, "bound here")
                        .help("`_` may stand for values that are not used");
                return Err(self.stop(diagnostic));
            }
        }
        Ok(())
    }
}

/// Renames repeated names to names that no program can write.
fn hide_repeated(pattern: &mut Pattern, seen: &mut Vec<Text>) {
    match &mut pattern.kind {
        PatternKind::Name(name) if seen.contains(name) => {
            *name = Text::from(format!("*{name}{}*", seen.len()))
        }
        PatternKind::Name(_) => {}
        PatternKind::Pair(left, right) => {
            hide_repeated(left, seen);
            hide_repeated(right, seen);
        }
        PatternKind::Record(_, content) => hide_repeated(content, seen),
    }
    if let PatternKind::Name(name) = &pattern.kind {
        seen.push(name.clone());
    }
}
