//! Parser of datatypes with variants, and of `match`.
//!
//! `match` and `with` stay names wherever no arm follows: `match e with p =>` means nothing else, since an application is no pattern.

use super::{Parser, Result};
use crate::ast::{Arm, Expr, ExprKind, Name, StatementKind, Variant};
use crate::token::TokenKind;
use nestled_ir::Diagnostic;

/// Largest number of variants of a datatype, so that a `match` with an arm for each is not nested too deep.
const MOST_VARIANTS: usize = 100;

/// Number of tokens among which the words and marks of a `match` are looked for, so that reading takes linear time.
const FAR: usize = 2_000;

impl Parser<'_> {
    /// Parses `variant(type) | variant | … :: context`.
    pub(super) fn variants(&mut self, name: Name) -> Result<StatementKind> {
        self.eat("|");
        let mut variants = vec![self.variant()?];
        while self.eat("|") {
            variants.push(self.variant()?);
        }
        if variants.len() > MOST_VARIANTS {
            let message = format!("a datatype of more than {MOST_VARIANTS} variants");
            let diagnostic = Diagnostic::new("N0006", message, name.span)
                .help("variants that are alike are one that holds a number, or another datatype");
            return Err(self.stop(diagnostic));
        }
        Ok(StatementKind::Variants { name, variants, context: self.context()? })
    }

    fn variant(&mut self) -> Result<Variant> {
        let name = self.name("the name of a variant")?;
        let content = if self.is("(") { Some(self.type_primary()?) } else { None };
        Ok(Variant { name, content })
    }

    /// True if the next token, the word `match`, begins a `match`: a `with` follows that an arm stands behind.
    pub(super) fn begins_match(&self) -> bool {
        let (mut at, mut brackets, mut lets) = (self.at + 1, 0, 0);
        while let Some(token) = self.tokens.get(at).filter(|_| at <= self.at + FAR) {
            match &token.kind {
                TokenKind::End => return false,
                kind => match kind.text() {
                    Some("(" | "[" | "{") => brackets += 1,
                    Some(")" | "]" | "}") if brackets == 0 => return false,
                    Some(")" | "]" | "}") => brackets -= 1,
                    Some("let") if brackets == 0 => lets += 1,
                    Some("in") if brackets == 0 && lets > 0 => lets -= 1,
                    Some(";" | "$") if brackets == 0 && lets == 0 => return false,
                    Some("with") if brackets == 0 && at > self.at + 1 => {
                        let bar = self.tokens.get(at + 1).is_some_and(|next| next.kind.text() == Some("|"));
                        return self.is_arm(at + 1 + usize::from(bar));
                    }
                    _ => {}
                },
            }
            at += 1;
        }
        false
    }

    /// True if an arm stands at a position: a name, perhaps something in brackets, and `=>`.
    fn is_arm(&self, mut at: usize) -> bool {
        let text = |at: usize| self.tokens.get(at).and_then(|token| token.kind.text());
        if !matches!(self.tokens.get(at).map(|token| &token.kind), Some(TokenKind::Word(_))) {
            return false;
        }
        at += 1;
        let (mut brackets, end) = (0, (at + FAR).min(self.tokens.len()));
        while at < end {
            match text(at) {
                Some("(") => brackets += 1,
                Some(")") if brackets > 0 => brackets -= 1,
                Some("=>") if brackets == 0 => return true,
                Some(";" | "$") => return false,
                _ if brackets == 0 => return false,
                _ => {}
            }
            at += 1;
        }
        false
    }

    /// Parses `match value with arm | arm | …`.
    pub(super) fn match_form(&mut self) -> Result<Expr> {
        let start = self.advance().span;
        let value = Box::new(self.matched()?);
        self.expect("with", "after the value that is matched")?;
        self.eat("|");
        let mut arms = vec![self.arm()?];
        // Behind an arm a `|` may also begin the filter of an apply-to-each.
        while self.is("|") && self.is_arm(self.at + 1) {
            self.at += 1;
            arms.push(self.arm()?);
        }
        let span = start.to(self.last());
        self.build(ExprKind::Match(value, arms), span)
    }

    /// Parses the value that is matched; `with` ends it.
    fn matched(&mut self) -> Result<Expr> {
        let outer = std::mem::replace(&mut self.matched, true);
        let value = self.expr(3)?;
        self.matched = outer;
        Ok(value)
    }

    fn arm(&mut self) -> Result<Arm> {
        let name = self.name("a variant, or `_` for the others")?;
        let content = if self.is("(") {
            let arguments = self.parenthesised()?;
            let pattern = self.pattern_of(arguments)?;
            self.distinct(&pattern)?;
            Some(pattern)
        } else {
            None
        };
        self.expect("=>", "after the variant")?;
        Ok(Arm { name, content, body: self.expr(4)? })
    }
}
