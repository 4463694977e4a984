//! Hints for syntax of other languages: recognises habits such as `//` comments and names the NESL form.

use super::{Open, Parser};
use crate::token::TokenKind;

const COMMENT: &str = "a comment stands between two `%`: `% like this %`";
const EACH: &str = "what is computed for each element is written `{x * x : x in v}`, with a condition `{x * x : x in v | x > 0}`";
const FUNCTION: &str = "a function value is written `x => x * 2`; what is computed for each element of `v` is `{x * 2 : x in v}`";
const LOOP: &str = "there are no loops: `{g(i) : i in [0:n]}` computes for each element, and what needs the round before is a function that calls itself";

const DEFINITION: &str = "a function is defined by `function g(x) = x * 2;`";
const BINDING: &str =
    "a statement names a value by `x = 3;`; a `let` is an expression and goes on: `let x = 3 in x * 2`";

impl Parser<'_> {
    /// Returns the NESL form of a habit recognised at the next token, which is unexpected, and the tokens before it.
    pub(super) fn foreign_syntax_hint(&self) -> Option<&'static str> {
        let text = |at: usize| self.tokens.get(at).and_then(|token| token.kind.text());
        let before = self.at.checked_sub(1).and_then(text);
        let next = self.tokens.get(self.at + 1);
        let (touches, touched) = (
            self.at > 0 && self.last().end == self.span().start,
            next.is_some_and(|next| next.span.start == self.span().end),
        );
        match (before, text(self.at)) {
            (Some("/"), Some("/" | "*")) if touches => return Some(COMMENT),
            // Where nothing can be divided: at the beginning of a statement.
            (_, Some("/")) if touched && matches!(text(self.at + 1), Some("/" | "*")) => {
                return Some(COMMENT);
            }
            (Some("'"), Some("'")) => return Some(COMMENT),
            _ => {}
        }
        let inside = self.since_bracket();
        let has = |word: &str| inside.iter().any(|token| token.kind.text() == Some(word));
        if has("lambda") {
            return Some(FUNCTION);
        }
        let first = inside.first().and_then(|token| token.kind.text());
        if matches!(first, Some("def" | "fun" | "fn" | "func" | "define")) && inside.len() > 1 {
            return Some(DEFINITION);
        }
        let bracket = matches!(self.open.last(), Some(Open::Bracket(_)));
        match text(self.at) {
            Some("in") if has("for") && bracket => Some(EACH),
            Some("in" | ":" | "{") if has("for") || has("while") => Some(LOOP),
            Some("|") if self.opened_by("[") => Some(EACH),
            Some(";" | "$") if first == Some("let") && !has("in") => Some(BINDING),
            None if first == Some("let") && !has("in") && self.at_end() => Some(BINDING),
            _ => None,
        }
    }

    /// Returns the tokens since the innermost open bracket, or since the statement began.
    fn since_bracket(&self) -> &[crate::token::Token] {
        let start = match self.open.last() {
            Some(Open::Bracket(span)) => span.start,
            _ => self.start,
        };
        let first = self.tokens[..self.at].partition_point(|token| token.span.start < start);
        &self.tokens[first..self.at]
    }

    /// True if the innermost open bracket is this one.
    fn opened_by(&self, bracket: &str) -> bool {
        let Some(Open::Bracket(span)) = self.open.last() else { return false };
        self.text[span.start as usize..].starts_with(bracket)
    }

    /// True if the next tokens cannot continue an apply-to-each: its `}` is missing.
    pub(super) fn leaves_each(&self) -> bool {
        let mut at = self.at;
        loop {
            match &self.tokens[at].kind {
                TokenKind::Word(word) if !crate::token::is_keyword(word) => {}
                TokenKind::Symbol("(" | ")" | ",") => {}
                TokenKind::End => return true,
                other => return at == self.at || !matches!(other.text(), Some("in" | ";" | "|" | "}")),
            }
            at += 1;
        }
    }
}
