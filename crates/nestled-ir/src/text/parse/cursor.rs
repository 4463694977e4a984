//! Token cursor of the parser: lookahead, matching, error recovery.

use super::{Failed, MAX_DEPTH, MAX_DIAGNOSTICS, Parse};
use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::text::ast::{Ident, SiteMark};
use crate::text::token::{Number, NumberKind, Token, TokenKind};
use crate::text::words::Word;

pub(super) struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    depth: usize,
    pub diagnostics: Vec<Diagnostic>,
    /// Words of the language that were used as names; where they are used again is no news.
    misused: Vec<&'t TokenKind>,
}

impl<'t> Parser<'t> {
    pub fn new(tokens: &'t [Token]) -> Parser<'t> {
        Parser { tokens, at: 0, depth: 0, diagnostics: Vec::new(), misused: Vec::new() }
    }

    /// The current token; the last one stands for all that would follow.
    pub fn token(&self) -> &'t Token {
        self.ahead(0)
    }

    pub fn ahead(&self, by: usize) -> &'t Token {
        &self.tokens[(self.at + by).min(self.tokens.len() - 1)]
    }

    pub fn kind(&self) -> &'t TokenKind {
        &self.token().kind
    }

    /// Number of tokens consumed.
    pub fn position(&self) -> usize {
        self.at
    }

    pub fn span(&self) -> Span {
        self.token().span
    }

    pub fn advance(&mut self) -> &'t Token {
        let token = self.token();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// The token consumed last.
    pub fn last(&self) -> &'t TokenKind {
        &self.tokens[self.at.saturating_sub(1)].kind
    }

    /// The span of the token before the current one.
    pub fn before(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    /// The span from `start` to the end of the last token.
    pub fn since(&self, start: Span) -> Span {
        start.to(self.before())
    }

    pub fn is_end(&self) -> bool {
        matches!(self.kind(), TokenKind::End)
    }

    pub fn is(&self, mark: &str) -> bool {
        self.mark_at(0, mark)
    }

    pub fn mark_at(&self, by: usize, mark: &str) -> bool {
        matches!(self.ahead(by).kind, TokenKind::Mark(found) if found == mark)
    }

    /// True if the token `by` ahead follows the one before it without a space.
    pub fn touches(&self, by: usize) -> bool {
        let index = self.at + by;
        index > 0
            && index < self.tokens.len()
            && self.tokens[index - 1].span.end == self.tokens[index].span.start
    }

    pub fn is_key(&self, key: &str) -> bool {
        matches!(self.kind(), TokenKind::Word(Word::Key(found)) if *found == key)
    }

    /// True if the next token is this contextual keyword: a plain name elsewhere.
    pub fn is_soft(&self, word: &str) -> bool {
        matches!(self.kind(), TokenKind::Name { name, tag: None, quoted: false } if &**name == word)
    }

    pub fn eat(&mut self, mark: &str) -> bool {
        let found = self.is(mark);
        if found {
            self.advance();
        }
        found
    }

    pub fn eat_key(&mut self, key: &str) -> bool {
        let found = self.is_key(key);
        if found {
            self.advance();
        }
        found
    }

    pub fn eat_soft(&mut self, word: &str) -> bool {
        let found = self.is_soft(word);
        if found {
            self.advance();
        }
        found
    }

    /// Reports that something else is wanted here.
    pub fn expected<T>(&mut self, what: &str) -> Parse<T> {
        let message = format!("expected {what}, found {}", self.kind());
        let diagnostic = Diagnostic::new("L0005", message, self.span());
        match self.hint(what) {
            Some(help) => self.report(diagnostic.help(help)),
            None => self.report(diagnostic),
        }
    }

    /// As [`Self::expected`], inside a statement: if its line has ended, the message says so.
    pub fn expected_on_line<T>(&mut self, what: &str) -> Parse<T> {
        if !self.token().starts_line {
            return self.expected(what);
        }
        let message = format!("expected {what}, found the end of the line");
        let before = self.before();
        let end = Span { start: before.end, ..before };
        self.report(Diagnostic::new("L0005", message, end))
    }

    pub fn report<T>(&mut self, diagnostic: Diagnostic) -> Parse<T> {
        // A second message about one place is about the first one's consequences.
        let place = |diagnostic: &Diagnostic| diagnostic.labels[0].span.start;
        let repeated = self.diagnostics.last().is_some_and(|last| place(last) == place(&diagnostic));
        let repeated = repeated || [self.kind(), self.last()].iter().any(|kind| self.misused.contains(kind));
        if self.diagnostics.len() < MAX_DIAGNOSTICS && !repeated {
            self.diagnostics.push(diagnostic);
        }
        Err(Failed)
    }

    pub fn expect(&mut self, mark: &str) -> Parse<()> {
        if self.eat(mark) { Ok(()) } else { self.expected(&format!("`{mark}`")) }
    }

    pub fn expect_key(&mut self, key: &str) -> Parse<()> {
        if self.eat_key(key) { Ok(()) } else { self.expected_on_line(&format!("`{key}`")) }
    }

    pub fn expect_soft(&mut self, word: &str) -> Parse<()> {
        if self.eat_soft(word) { Ok(()) } else { self.expected_on_line(&format!("`{word}`")) }
    }

    pub fn is_name(&self) -> bool {
        matches!(self.kind(), TokenKind::Name { .. })
    }

    /// A name; `what` says of what.
    pub fn name(&mut self, what: &str) -> Parse<Ident> {
        match self.kind() {
            TokenKind::Name { name, tag, .. } => {
                let span = self.advance().span;
                Ok(Ident { name: name.clone(), tag: *tag, span })
            }
            TokenKind::Word(_) => {
                let message = format!("{} is a word of the language and cannot be {what}", self.kind());
                let diagnostic = Diagnostic::new("L0007", message, self.span());
                let word = self.kind().to_string();
                let word = word.trim_matches('`');
                let help =
                    format!("choose another name, such as `{word}_`, or write it with a number: `{word}.1`");
                let failed = self.report(diagnostic.help(help));
                self.misused.push(self.kind());
                failed
            }
            _ => self.expected(what),
        }
    }

    /// A name, or `None` for `_`.
    pub fn name_or_hole(&mut self, what: &str) -> Parse<Option<Ident>> {
        if self.eat_soft("_") { Ok(None) } else { self.name(what).map(Some) }
    }

    /// Decimal digits without a suffix.
    pub fn count(&mut self, what: &str) -> Parse<u64> {
        let TokenKind::Literal(Number { kind, suffix: None }) = self.kind() else {
            return self.expected(what);
        };
        let value = match kind {
            NumberKind::Integer(digits) => digits.parse::<u64>().ok(),
            NumberKind::Hex(value) => *value,
            _ => return self.expected(what),
        };
        match value {
            Some(value) => {
                self.advance();
                Ok(value)
            }
            None => self.report(Diagnostic::new("L0104", "the number is too large", self.span())),
        }
    }

    /// `!7`, if it follows.
    pub fn site(&mut self) -> Parse<SiteMark> {
        let span = self.before();
        if !self.eat("!") {
            return Ok(SiteMark { number: None, span });
        }
        let number = self.count("the number of a fault site")?;
        let span = self.since(span);
        match u32::try_from(number) {
            Ok(number) => Ok(SiteMark { number: Some(number), span }),
            Err(_) => self.report(Diagnostic::new("L0111", "the number of a fault site is too large", span)),
        }
    }

    /// Goes one level deeper for the time of `rule`.
    pub fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= MAX_DEPTH {
            return self.too_deep();
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }

    pub fn too_deep<T>(&mut self) -> Parse<T> {
        let message = format!("nested more than {MAX_DEPTH} levels deep");
        self.report(
            Diagnostic::new("L0006", message, self.span()).help("give an inner part a name of its own"),
        )
    }

    /// Items with commas between them, up to `close`, which is read too.
    pub fn list<T>(&mut self, close: &str, mut item: impl FnMut(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        let mut items = Vec::new();
        while !self.eat(close) {
            items.push(item(self)?);
            if !self.is(close) && !self.eat(",") {
                return self.expected(&format!("`,` or `{close}`"));
            }
        }
        Ok(items)
    }

    /// One or more items with commas between them.
    pub fn commas<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.eat(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// True if nothing more follows on this line.
    pub fn at_line_end(&self) -> bool {
        self.token().starts_line || self.is("}") || self.is_end()
    }

    /// True if a definition begins here.
    pub fn at_definition(&self) -> bool {
        self.token().first
            && matches!(self.kind(), TokenKind::Word(Word::Key("fn" | "kernel" | "thunk" | "monoid")))
    }

    /// Skips to the next line of the block in which the current token stands, to its end, or to the next definition.
    pub fn skip_line(&mut self, start: usize) {
        if self.at > start && (self.token().starts_line || self.at_definition()) {
            return;
        }
        let mut depth = 0usize;
        loop {
            if self.is("{") {
                depth += 1;
            } else if self.is("}") {
                if depth == 0 {
                    return;
                }
                depth -= 1;
            }
            if self.is_end() {
                return;
            }
            self.advance();
            if self.is_end() || self.at_definition() || (depth == 0 && self.token().starts_line) {
                return;
            }
        }
    }

    /// Skips to the next definition.
    pub fn skip_definition(&mut self) {
        while !self.is_end() && !self.at_definition() {
            self.advance();
        }
    }

    /// Distance, in tokens ahead, of the bracket that closes the one opened `by` tokens ahead.
    pub fn closing(&self, by: usize) -> usize {
        let mut depth = 0usize;
        let mut at = by;
        loop {
            match &self.ahead(at).kind {
                TokenKind::Mark("(" | "[" | "{") => depth += 1,
                TokenKind::Mark(")" | "]" | "}") => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return at;
                    }
                }
                TokenKind::End => return at,
                _ => {}
            }
            at += 1;
        }
    }
}
