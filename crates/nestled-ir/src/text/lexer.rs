//! Lexer: splits the text into tokens.
//!
//! It never fails: unreadable characters are reported and skipped, so that one run reports all such errors.

use super::token::{Number, NumberKind, Token, TokenKind};
use super::words::{Word, lookup};
use crate::diagnostic::Diagnostic;
use crate::scalar::ScalarType;
use crate::span::Span;
use std::collections::HashMap;
use std::sync::Arc;

/// The tokens of a text, ended by [`TokenKind::End`], and the errors.
pub(super) fn lex(text: &str) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut lexer = Lexer::new(text);
    lexer.run();
    (lexer.tokens, lexer.diagnostics)
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    tokens: Vec<Token>,
    diagnostics: Vec<Diagnostic>,
    /// Brackets that are open.
    open: Vec<u8>,
    /// True if a line break was passed since the last token.
    line_break: bool,
    names: HashMap<&'t str, Arc<str>>,
}

/// Longer marks first.
const MARKS: &[&str] =
    &["=>", "->", "..", "(", ")", "[", "]", "{", "}", "<", ">", ",", ":", "=", "+", "-", "*", "!", "@"];

impl<'t> Lexer<'t> {
    fn new(text: &'t str) -> Lexer<'t> {
        let (tokens, diagnostics, open) = (Vec::new(), Vec::new(), Vec::new());
        Lexer { text, at: 0, tokens, diagnostics, open, line_break: true, names: HashMap::new() }
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    fn run(&mut self) {
        // A mark that some editors put at the beginning of a file.
        if self.text.starts_with('\u{feff}') {
            self.at = '\u{feff}'.len_utf8();
        }
        while self.at < self.text.len() {
            match self.peek(0) {
                b'\n' => {
                    self.line_break = true;
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' => self.at += 1,
                b';' => self.at = self.text[self.at..].find('\n').map_or(self.text.len(), |n| self.at + n),
                _ => self.token(),
            }
        }
        let end = self.text.len();
        self.push(TokenKind::End, end);
    }

    /// One token or one error; always moves on.
    fn token(&mut self) {
        let start = self.at;
        match self.peek(0) {
            b'0'..=b'9' => self.number(start),
            b'"' => {
                if let Some(text) = self.quoted(b'"') {
                    self.push(TokenKind::Text(text.into()), start);
                }
            }
            b'`' => {
                if let Some(text) = self.quoted(b'`') {
                    let tag = self.tag();
                    self.push(TokenKind::Name { name: text.into(), tag, quoted: true }, start);
                }
            }
            b'%' if self.peek(1).is_ascii_digit() => {
                self.at += 1;
                let tag = Some(self.digits());
                self.push(TokenKind::Name { name: "".into(), tag, quoted: false }, start);
            }
            b'A'..=b'Z' | b'a'..=b'z' | b'_' => self.word(start),
            _ => self.mark(start),
        }
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        let after_comma = matches!(self.tokens.last(), Some(Token { kind: TokenKind::Mark(","), .. }));
        // A definition starts afresh whatever was left open, so that one lost bracket is one error.
        let definition = matches!(kind, TokenKind::Word(Word::Key("fn" | "kernel" | "thunk" | "monoid")))
            && self.line_break;
        if definition {
            self.open.clear();
        }
        let inside = matches!(self.open.last(), Some(b'(' | b'['));
        let starts_line = self.line_break && !inside && !after_comma;
        let span = Span::new(0, start, self.at);
        self.tokens.push(Token { kind, span, starts_line, first: self.line_break });
        self.line_break = false;
    }

    fn error(&mut self, code: &'static str, message: impl Into<String>, start: usize) {
        let span = Span::new(0, start, self.at.max(start));
        self.diagnostics.push(Diagnostic::new(code, message, span));
    }

    fn mark(&mut self, start: usize) {
        let rest = &self.text[start..];
        let Some(mark) = MARKS.iter().find(|mark| rest.starts_with(**mark)) else {
            let found = rest.chars().next().unwrap_or(' ');
            if found.is_alphabetic() {
                return self.foreign_name(start);
            }
            return self.foreign_mark(start, found);
        };
        self.at += mark.len();
        match mark.as_bytes()[0] {
            open @ (b'(' | b'[' | b'{') => {
                self.push(TokenKind::Mark(mark), start);
                self.open.push(open);
                return;
            }
            b')' | b']' => {
                if matches!(self.open.last(), Some(b'(' | b'[')) {
                    self.open.pop();
                }
            }
            b'}' => while self.open.pop().is_some_and(|open| open != b'{') {},
            _ => {}
        }
        self.push(TokenKind::Mark(mark), start);
    }

    /// A character that begins nothing; comments of other languages are passed over.
    fn foreign_mark(&mut self, start: usize, found: char) {
        let rest = &self.text[start..];
        let comment = found == '#' || rest.starts_with("//");
        self.at += if comment { rest.find('\n').unwrap_or(rest.len()) } else { found.len_utf8() };
        let message = format!("the character `{}` means nothing here", found.escape_debug());
        let diagnostic = Diagnostic::new("L0001", message, Span::new(0, start, start + found.len_utf8()));
        self.diagnostics.push(match found {
            _ if comment => diagnostic.help("comments begin with `;`"),
            '/' => diagnostic.help("division is an operation: `div x y`"),
            '%' => diagnostic.help("the remainder is an operation: `rem x y`"),
            _ => diagnostic,
        });
    }

    /// A name with letters that names do not have; it is read as one all the same.
    fn foreign_name(&mut self, start: usize) {
        let rest = &self.text[start..];
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\'')).unwrap_or(rest.len());
        self.at += end;
        let name = &rest[..end];
        let message = format!("`{name}` has letters that names do not have");
        let diagnostic = Diagnostic::new("L0001", message, Span::new(0, start, self.at));
        self.diagnostics.push(diagnostic.help(format!("write it between backticks: `` `{name}` ``")));
        let name = self.intern(name);
        self.push(TokenKind::Name { name, tag: None, quoted: true }, start);
    }

    fn word(&mut self, start: usize) {
        while matches!(self.peek(0), b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'_' | b'\'') {
            self.at += 1;
        }
        let word = &self.text[start..self.at];
        let tag = self.tag();
        let kind = match word {
            _ if tag.is_some() => TokenKind::Name { name: self.intern(word), tag, quoted: false },
            "true" => literal(NumberKind::Bool(true), None),
            "false" => literal(NumberKind::Bool(false), None),
            "inf" => literal(NumberKind::Inf, self.dotted_type()),
            "nan" => literal(NumberKind::Nan, self.dotted_type()),
            _ => match lookup(word) {
                Some(word) => TokenKind::Word(word),
                None => TokenKind::Name { name: self.intern(word), tag, quoted: false },
            },
        };
        self.push(kind, start);
    }

    fn intern(&mut self, word: &'t str) -> Arc<str> {
        self.names.entry(word).or_insert_with(|| word.into()).clone()
    }

    /// `.7` right after a name.
    fn tag(&mut self) -> Option<u32> {
        if self.peek(0) != b'.' || !self.peek(1).is_ascii_digit() {
            return None;
        }
        self.at += 1;
        Some(self.digits())
    }

    fn digits(&mut self) -> u32 {
        let start = self.at;
        while self.peek(0).is_ascii_digit() {
            self.at += 1;
        }
        self.text[start..self.at].parse().unwrap_or_else(|_| {
            self.error("L0002", "the number of a name is less than 4294967296", start);
            0
        })
    }

    /// `.f32` right after `inf` or `nan`.
    fn dotted_type(&mut self) -> Option<ScalarType> {
        let rest = self.text[self.at..].strip_prefix('.')?;
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let ty = ScalarType::from_name(&rest[..end])?;
        self.at += 1 + end;
        Some(ty)
    }

    fn number(&mut self, start: usize) {
        if self.peek(0) == b'0' && matches!(self.peek(1), b'x' | b'X') {
            return self.hex(start);
        }
        self.skip_digits();
        let mut float = false;
        if self.peek(0) == b'.' && self.peek(1).is_ascii_digit() {
            float = true;
            self.at += 1;
            self.skip_digits();
        }
        let sign = usize::from(matches!(self.peek(1), b'+' | b'-'));
        if matches!(self.peek(0), b'e' | b'E') && self.peek(1 + sign).is_ascii_digit() {
            float = true;
            self.at += 1 + sign;
            self.skip_digits();
        }
        let digits: Arc<str> = self.text[start..self.at].into();
        let kind = if float { NumberKind::Float(digits) } else { NumberKind::Integer(digits) };
        let suffix = self.suffix(start);
        self.push(literal(kind, suffix), start);
    }

    fn skip_digits(&mut self) {
        while self.peek(0).is_ascii_digit() {
            self.at += 1;
        }
    }

    fn hex(&mut self, start: usize) {
        self.at += 2;
        let first = self.at;
        while self.peek(0).is_ascii_hexdigit() {
            self.at += 1;
        }
        let digits = &self.text[first..self.at];
        // `f16`, `f32` and `f64` are hexadecimal digits too: only the full number of digits before them makes them a type.
        for (ty, name, count) in
            [(ScalarType::F16, "f16", 4), (ScalarType::F32, "f32", 8), (ScalarType::F64, "f64", 16)]
        {
            let bits = digits.strip_suffix(name).filter(|bits| bits.len() == count);
            if let Some(bits) = bits.and_then(|bits| u64::from_str_radix(bits, 16).ok())
                && !is_word(self.peek(0))
            {
                return self.push(literal(NumberKind::Bits(bits), Some(ty)), start);
            }
        }
        if digits.is_empty() {
            self.error("L0002", "`0x` is followed by hexadecimal digits", start);
        }
        let value = u64::from_str_radix(digits, 16).ok();
        let suffix = self.suffix(start);
        self.push(literal(NumberKind::Hex(value), suffix), start);
    }

    /// A type right after a number.
    fn suffix(&mut self, start: usize) -> Option<ScalarType> {
        let from = self.at;
        while is_word(self.peek(0)) {
            self.at += 1;
        }
        let suffix = &self.text[from..self.at];
        if suffix.is_empty() {
            return None;
        }
        let ty = ScalarType::from_name(suffix);
        if ty.is_none() {
            self.error("L0002", format!("`{suffix}` after a number is not a scalar type"), start);
        }
        ty
    }

    /// Reads a quoted text; the current character is its opening quote.
    fn quoted(&mut self, quote: u8) -> Option<String> {
        let start = self.at;
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = &self.text[self.at..];
            let Some(next) = rest.chars().next().filter(|&next| next != '\n') else {
                self.error("L0003", "the text is not closed on its line", start);
                return None;
            };
            self.at += next.len_utf8();
            match next {
                '\\' => self.escape(&mut out),
                next if next == char::from(quote) => return Some(out),
                next => out.push(next),
            }
        }
    }

    /// Reads the rest of an escape sequence, after the backslash.
    fn escape(&mut self, out: &mut String) {
        let start = self.at - 1;
        let rest = &self.text[self.at..];
        let simple = match rest.bytes().next() {
            Some(b'n') => Some('\n'),
            Some(b't') => Some('\t'),
            Some(b'r') => Some('\r'),
            Some(b'0') => Some('\0'),
            Some(found @ (b'\\' | b'"' | b'`')) => Some(char::from(found)),
            _ => None,
        };
        if let Some(simple) = simple {
            self.at += 1;
            return out.push(simple);
        }
        let code = rest.strip_prefix("u{").and_then(|code| code.split_once('}'));
        let number = code.and_then(|(code, _)| u32::from_str_radix(code, 16).ok());
        match (code, number.and_then(char::from_u32)) {
            (Some((code, _)), Some(found)) => {
                self.at += code.len() + 3;
                out.push(found);
            }
            _ => self.error("L0003", "unknown escape; there are `\\n \\t \\r \\0 \\\\ \\\" \\u{…}`", start),
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn literal(kind: NumberKind, suffix: Option<ScalarType>) -> TokenKind {
    TokenKind::Literal(Number { kind, suffix })
}
