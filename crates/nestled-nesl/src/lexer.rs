//! Lexer: text to tokens. It never fails: characters that form no token are reported and left out.

use crate::dialect::Dialect;
use crate::token::{SYMBOLS, Text, Token, TokenKind};
use nestled_ir::{Diagnostic, Span};

/// The result of the lexer.
#[derive(Debug)]
pub struct Lexed {
    /// The tokens; the last is [`TokenKind::End`].
    pub tokens: Vec<Token>,
    /// The errors found.
    pub diagnostics: Vec<Diagnostic>,
    /// True if the text ends inside a comment, a string or a character.
    pub unfinished: bool,
}

/// Splits the text of source number `source` into tokens.
pub fn lex(text: &str, source: u32, dialect: Dialect) -> Lexed {
    let out = Lexed { tokens: Vec::new(), diagnostics: Vec::new(), unfinished: false };
    let mut lexer = Lexer { text, source, dialect, at: 0, out };
    while lexer.at < text.len() {
        lexer.next();
    }
    let end = lexer.span(text.len());
    lexer.out.tokens.push(Token { kind: TokenKind::End, span: Span { start: end.end, ..end } });
    lexer.out
}

struct Lexer<'a> {
    text: &'a str,
    source: u32,
    dialect: Dialect,
    at: usize,
    out: Lexed,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    fn span(&self, end: usize) -> Span {
        Span::new(self.source, self.at, end)
    }

    /// Ends the token that began at `self.at`.
    fn push(&mut self, kind: TokenKind, end: usize) {
        let span = self.span(end);
        self.out.tokens.push(Token { kind, span });
        self.at = end;
    }

    fn next(&mut self) {
        match self.byte(0) {
            b' ' | b'\t' | b'\r' | b'\n' | b'\x0c' => self.at += 1,
            b'%' => self.comment(),
            b'`' => self.character(),
            b'"' => self.string(),
            b'0'..=b'9' => self.number(),
            b'.' if self.byte(1).is_ascii_digit() => self.number(),
            _ => match SYMBOLS.iter().find(|symbol| self.rest().starts_with(**symbol)) {
                Some(symbol) => self.push(TokenKind::Symbol(symbol), self.at + symbol.len()),
                None => self.word(),
            },
        }
    }

    fn comment(&mut self) {
        match self.rest()[1..].find('%') {
            Some(length) => self.at += length + 2,
            None => {
                let span = self.span(self.at + 1);
                self.out.diagnostics.push(
                    Diagnostic::new("N0002", "a comment is not closed", span).here("it begins here").help(
                        "a comment ends with another `%`; there is no remainder operator, write `rem(a, b)`",
                    ),
                );
                self.out.unfinished = true;
                self.at = self.text.len();
            }
        }
    }

    fn character(&mut self) {
        let Some(c) = self.rest()[1..].chars().next() else {
            let span = self.span(self.at + 1);
            self.out.diagnostics.push(Diagnostic::new("N0003", "the text ends inside a character", span));
            self.out.unfinished = true;
            self.at += 1;
            return;
        };
        let end = self.at + 1 + c.len_utf8();
        if !c.is_ascii() {
            let span = self.span(end);
            self.out.diagnostics.push(
                Diagnostic::new("N0003", format!("`{c}` is not one byte"), span)
                    .here("characters are single bytes")
                    .help("write it in a string, where it becomes several characters"),
            );
        }
        self.push(TokenKind::Char(c as u32 as u8), end);
    }

    fn string(&mut self) {
        let mut bytes = Vec::new();
        let source = self.text.as_bytes();
        let mut at = self.at + 1;
        while at < source.len() && source[at] != b'"' {
            if source[at] == b'\\' {
                at += 1;
            }
            bytes.extend(source.get(at));
            at += 1;
        }
        if at >= source.len() {
            let span = self.span(self.at + 1);
            self.out.diagnostics.push(
                Diagnostic::new("N0003", "a string is not closed", span)
                    .here("it begins here")
                    .help("inside a string a quote is written `\\\"` and a backslash `\\\\`"),
            );
            self.out.unfinished = true;
            self.at = source.len();
            return;
        }
        self.push(TokenKind::Str(bytes), at + 1);
    }

    fn number(&mut self) {
        let source = self.text.as_bytes();
        let digits = |mut at: usize| {
            while source.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            at
        };
        let mut end = digits(self.at);
        let mut float = false;
        if source.get(end) == Some(&b'.') {
            float = true;
            end = digits(end + 1);
        }
        if matches!(source.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(source.get(end + 1), Some(b'+' | b'-')));
            if source.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
                float = true;
                end = digits(end + 1 + sign);
            }
        }
        let text = &self.text[self.at..end];
        let kind = if float {
            text.parse().ok().filter(|value: &f64| value.is_finite()).map(TokenKind::Float)
        } else {
            text.parse().ok().map(TokenKind::Int)
        };
        let kind = kind.unwrap_or_else(|| {
            let what = if float { "float" } else { "int" };
            let message = format!("this number is too large for any `{what}`");
            self.out.diagnostics.push(Diagnostic::new("N0004", message, self.span(end)));
            TokenKind::Int(0)
        });
        self.push(kind, end);
    }

    fn word(&mut self) {
        let length: usize = self.rest().chars().take_while(|c| self.in_word(*c)).map(char::len_utf8).sum();
        if length > 0 {
            let word = self.rest()[..length].to_lowercase();
            self.push(TokenKind::Word(Text::from(word)), self.at + length);
            return;
        }
        let c = self.rest().chars().next().unwrap_or(' ');
        let span = self.span(self.at + c.len_utf8());
        let shown = if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
        let mut diagnostic = Diagnostic::new("N0001", format!("`{shown}` begins nothing"), span);
        diagnostic.help = match c {
            '!' => Some("there is no such operator; `not(x)` negates, `/=` compares".to_owned()),
            '\\' => Some("function values are written `x => x + 1`".to_owned()),
            '.' => Some("a number has a digit before or after its point; fields have no names".to_owned()),
            '~' => Some("`not(x)` negates, `-x` is minus".to_owned()),
            _ => None,
        };
        self.out.diagnostics.push(diagnostic);
        self.at += c.len_utf8();
    }

    /// True if a character may be part of a name; the original accepts every character that it does not know.
    fn in_word(&self, c: char) -> bool {
        let unknown = !c.is_ascii() || c == '~';
        c.is_ascii_alphanumeric() || c == '_' || (self.dialect.compat && unknown && !c.is_whitespace())
    }
}
