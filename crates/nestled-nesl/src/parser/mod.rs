//! Parser: tokens to syntax tree, by handwritten operator precedence.
//!
//! An error ends only its statement, and parsing goes on behind that, so that one run finds the errors of many statements. Depth is bounded by [`MAX_HEIGHT`],
//! so no input can overflow the stack.
//!
//! ```text
//! function sq(x) = x * x;
//! {sq(n) : n in [2:5]};
//! ```

mod chain;
mod expr;
mod forms;
mod hints;
mod matching;
mod pattern;
mod statement;
#[cfg(test)]
mod tests;
mod types;

use crate::ast::{Expr, ExprKind, MAX_HEIGHT, MAX_TUPLE, Name, Statement, TypeExpr};
use crate::dialect::Dialect;
use crate::lexer::lex;
use crate::token::{Token, TokenKind, is_keyword};
use nestled_ir::{Diagnostic, Span};

/// The result of parsing a text.
#[derive(Debug)]
pub struct Parsed {
    /// The statements without a syntax error.
    pub statements: Vec<Statement>,
    /// The errors, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// True if the only error is that the text ends too early, so that another line may complete it.
    pub incomplete: bool,
}

/// Parses a whole text, number `source` of the session's texts.
pub fn parse(text: &str, source: u32, dialect: Dialect) -> Parsed {
    let lexed = lex(text, source, dialect);
    let mut parser = Parser::new(text, lexed.tokens, dialect);
    let mut statements = Vec::new();
    let mut bad_tokens =
        lexed.diagnostics.iter().map(|diagnostic| diagnostic.labels[0].span.start).peekable();
    while !parser.at_end() {
        let before = parser.diagnostics.len();
        let statement = parser.statement();
        if statement.is_err() {
            debug_assert!(parser.diagnostics.len() > before, "a parser that stops says why");
            parser.skip_statement();
        }
        // A statement with a bad token means nothing, and what else is wrong with it may come from that.
        let end = if parser.at_end() { u32::MAX } else { parser.last().end };
        let mut spoilt = false;
        while bad_tokens.next_if(|start| *start < end).is_some() {
            spoilt = true;
        }
        if spoilt {
            parser.diagnostics.truncate(before);
        } else if let Ok(Some(statement)) = statement {
            statements.push(statement);
        }
    }
    let incomplete = lexed.unfinished || (parser.ended_early && lexed.diagnostics.is_empty());
    let mut diagnostics = lexed.diagnostics;
    diagnostics.extend(parser.diagnostics);
    diagnostics.sort_by_key(|diagnostic| diagnostic.labels[0].span.start);
    Parsed { statements, diagnostics, incomplete }
}

/// The statements at the beginning of a text that is still being typed.
#[derive(Debug)]
pub struct Typed {
    /// The statements, with an error in the place of each that is wrong.
    pub items: Vec<Result<Statement, Diagnostic>>,
    /// The end of the last statement, behind its terminator. The text behind it is incomplete.
    pub end: usize,
}

/// Parses the complete statements at the beginning of a text, at most `most`.
pub fn parse_typed(text: &str, source: u32, dialect: Dialect, most: usize) -> Typed {
    let lexed = lex(text, source, dialect);
    let mut wrong_tokens = lexed.diagnostics.into_iter().peekable();
    let mut parser = Parser::new(text, lexed.tokens, dialect);
    let (mut items, mut end, mut number) = (Vec::new(), 0, 0);
    while !parser.at_end() && number < most {
        parser.ended_early = false;
        let statement = parser.statement();
        if statement.is_err() {
            parser.skip_statement();
        }
        let terminated = matches!(parser.before().and_then(|last| last.kind.text()), Some(";" | "$" | "?"));
        let here = if terminated || !parser.at_end() { parser.last().end as usize } else { text.len() };
        let wrong: Vec<Diagnostic> = std::iter::from_fn(|| {
            wrong_tokens.next_if(|diagnostic| (diagnostic.labels[0].span.start as usize) < here)
        })
        .collect();
        let open = !terminated && (lexed.unfinished || statement.is_ok());
        if parser.at_end() && (open || (parser.ended_early && wrong.is_empty())) {
            return Typed { items, end };
        }
        (end, number) = (here, number + 1);
        let diagnostics = std::mem::take(&mut parser.diagnostics);
        match statement {
            _ if !wrong.is_empty() => items.extend(wrong.into_iter().map(Err)),
            Err(Stop) => items.extend(diagnostics.into_iter().map(Err)),
            Ok(statement) => items.extend(statement.map(Ok)),
        }
    }
    // What is left may be blanks and comments.
    let end = if parser.at_end() && !lexed.unfinished { text.len() } else { end };
    Typed { items, end }
}

/// Parses a type without a context, as in tables of functions.
pub fn parse_type(text: &str) -> Option<TypeExpr> {
    let lexed = lex(text, Span::NO_SOURCE, Dialect::default());
    let mut parser = Parser::new(text, lexed.tokens, Dialect::default());
    let ty = parser.type_with_context().ok()?;
    parser.at_end().then_some(ty)
}

/// The statement cannot be parsed further; the error has been recorded.
#[derive(Debug)]
struct Stop;

type Result<T, E = Stop> = std::result::Result<T, E>;

/// A construct open at an error: a `;` in it does not end the statement.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Open {
    Bracket(Span),
    Let,
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    /// The start of the statement.
    start: u32,
    depth: u16,
    open: Vec<Open>,
    diagnostics: Vec<Diagnostic>,
    ended_early: bool,
    /// True in the value of a `match`, which the word `with` ends.
    matched: bool,
    dialect: Dialect,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, tokens: Vec<Token>, dialect: Dialect) -> Parser<'a> {
        Parser {
            text,
            tokens,
            at: 0,
            start: 0,
            depth: 0,
            open: Vec::new(),
            diagnostics: Vec::new(),
            ended_early: false,
            matched: false,
            dialect,
        }
    }

    fn token(&self) -> &Token {
        &self.tokens[self.at]
    }

    fn kind(&self) -> &TokenKind {
        &self.token().kind
    }

    fn span(&self) -> Span {
        self.token().span
    }

    /// Returns the span of the token read last.
    fn last(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    /// Returns the token read last.
    fn before(&self) -> Option<&Token> {
        self.tokens.get(self.at.checked_sub(1)?)
    }

    fn at_end(&self) -> bool {
        *self.kind() == TokenKind::End
    }

    /// True if the next token is this word or symbol.
    fn is(&self, text: &str) -> bool {
        self.kind().text() == Some(text)
    }

    fn ahead_is(&self, text: &str) -> bool {
        self.tokens.get(self.at + 1).is_some_and(|token| token.kind.text() == Some(text))
    }

    fn advance(&mut self) -> Token {
        let token = self.token().clone();
        if !self.at_end() {
            self.at += 1;
        }
        token
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.is(text);
        if found {
            self.at += 1;
        }
        found
    }

    /// Consumes a word or symbol that must stand here.
    fn expect(&mut self, text: &str, after: &str) -> Result<()> {
        if self.eat(text) {
            return Ok(());
        }
        let diagnostic = self.unexpected(&format!("`{text}` {after}"));
        Err(self.stop(diagnostic))
    }

    fn stop(&mut self, diagnostic: Diagnostic) -> Stop {
        self.ended_early |= diagnostic.code == "N0007";
        self.diagnostics.push(diagnostic);
        Stop
    }

    /// The message that something else is expected here.
    fn unexpected(&self, wanted: &str) -> Diagnostic {
        let found = self.kind();
        let diagnostic = if self.at_end() {
            Diagnostic::new("N0007", format!("the text ends where {wanted} is expected"), self.span())
        } else {
            Diagnostic::new("N0005", format!("expected {wanted}, found {found}"), self.span())
        };
        let diagnostic = match self.open.last() {
            Some(Open::Bracket(open)) => diagnostic.label(*open, "inside these brackets"),
            _ => diagnostic,
        };
        if let Some(help) = self.foreign_syntax_hint() {
            return diagnostic.help(help);
        }
        match found.text() {
            Some("=") => diagnostic.help("`=` defines names; equality is written `==`"),
            Some("function" | "datatype") => diagnostic.help("a `;` may be missing before it"),
            Some("&") => diagnostic.help("truth values are joined by `and` and `or`"),
            Some("*") if self.before().is_some_and(|last| last.kind.text() == Some("*")) => {
                diagnostic.help("a power is written `a ^ b`")
            }
            Some(":") if matches!(self.open.last(), Some(Open::Bracket(_))) => diagnostic
                .help("a part of a sequence is `subseq(v, start, end)`, `take(v, n)` or `drop(v, n)`"),
            _ => diagnostic,
        }
    }

    /// Parses one level deeper. The parser is dropped or reset after an error, so only success restores the depth.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= MAX_HEIGHT {
            let diagnostic = too_deep(self.span());
            return Err(self.stop(diagnostic));
        }
        self.depth += 1;
        let result = read(self)?;
        self.depth -= 1;
        Ok(result)
    }

    fn build(&mut self, kind: ExprKind, span: Span) -> Result<Expr> {
        let expr = Expr::new(kind, span);
        if expr.height() > MAX_HEIGHT {
            return Err(self.stop(too_deep(expr.span)));
        }
        // Tuples in tuples come on top of what else is nested.
        if expr.reach() > MAX_TUPLE + MAX_HEIGHT {
            return Err(self.stop(too_long(expr.span)));
        }
        Ok(expr)
    }

    /// Makes a tuple of these parts.
    fn tuple(&mut self, mut parts: Vec<Expr>) -> Result<Expr> {
        let mut tuple = parts.pop().expect("there is a last part");
        if parts.len() >= usize::from(MAX_TUPLE) {
            let first = parts.first().map_or(tuple.span, |first| first.span);
            return Err(self.stop(too_long(first.to(tuple.span))));
        }
        while let Some(left) = parts.pop() {
            let span = left.span.to(tuple.span);
            tuple = self.build(ExprKind::Pair(Box::new(left), Box::new(tuple)), span)?;
        }
        Ok(tuple)
    }

    fn open(&mut self) {
        let span = self.span();
        self.open.push(Open::Bracket(span));
        self.at += 1;
    }

    fn close(&mut self, text: &str, wanted: &str) -> Result<()> {
        if !self.is(text) {
            let diagnostic = self.unexpected(wanted);
            return Err(self.stop(diagnostic));
        }
        self.at += 1;
        self.open.pop();
        Ok(())
    }

    /// Parses a name to be defined or bound.
    fn name(&mut self, what: &str) -> Result<Name> {
        match self.kind() {
            TokenKind::Word(word) if !is_keyword(word) && !matches!(&**word, "t" | "f" | "time") => {
                let text = word.clone();
                let span = self.advance().span;
                Ok(Name { text, span })
            }
            TokenKind::Word(word) => {
                let diagnostic = reserved(word, self.span());
                Err(self.stop(diagnostic))
            }
            _ => {
                let diagnostic = self.unexpected(what);
                Err(self.stop(diagnostic))
            }
        }
    }

    /// Recovers from an error: skips to the end of the statement, or to the likely beginning of a new one.
    fn skip_statement(&mut self) {
        let mut open = std::mem::take(&mut self.open);
        self.depth = 0;
        while !self.at_end() {
            if self.begins_definition() && self.starts_line() {
                return;
            }
            let token = self.advance();
            match token.kind.text() {
                Some("(" | "[" | "{") => open.push(Open::Bracket(token.span)),
                Some(")" | "]" | "}") => while open.pop().is_some_and(|open| open == Open::Let) {},
                Some("let") => open.push(Open::Let),
                Some("in") if open.last() == Some(&Open::Let) => {
                    open.pop();
                }
                Some(";") if open.is_empty() || (self.starts_line() && self.column() == 0) => return,
                Some("$") => return,
                _ => {}
            }
        }
    }

    fn begins_definition(&self) -> bool {
        self.is("function") || self.is("datatype")
    }

    /// Returns the column of the next token in bytes.
    fn column(&self) -> usize {
        let before = &self.text[..self.span().start as usize];
        before.len() - before.rfind('\n').map_or(0, |at| at + 1)
    }

    fn starts_line(&self) -> bool {
        let before = &self.text[..self.span().start as usize];
        before.chars().rev().find(|c| *c != ' ' && *c != '\t').is_none_or(|c| c == '\n')
    }
}

fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::new("N0006", format!("nested more than {MAX_HEIGHT} levels deep"), span)
        .help("give an inner part a name of its own")
}

fn too_long(span: Span) -> Diagnostic {
    Diagnostic::new("N0006", format!("a tuple of more than {MAX_TUPLE} components"), span)
        .help("many values of one type are a sequence: `[a, b, c]`")
}

/// The message for a word that cannot be a name.
fn reserved(word: &str, span: Span) -> Diagnostic {
    let diagnostic = Diagnostic::new("N0008", format!("`{word}` cannot be a name"), span);
    match word {
        "t" | "f" => {
            let value = if word == "t" { "true" } else { "false" };
            diagnostic
                .here(format!("this is the constant {value}"))
                .help("`t` and `f` are the truth values, also as parameters; choose another name")
        }
        _ => diagnostic.here("a word of the language"),
    }
}
