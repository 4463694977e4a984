//! Tokens: the output of the lexer.

use super::words::Word;
use crate::scalar::ScalarType;
use crate::span::Span;
use std::fmt;
use std::sync::Arc;

/// A piece of the text.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub kind: TokenKind,
    pub span: Span,
    /// True if a significant line break stands before it: one outside of `(` `)` and `[` `]`, and not after a comma.
    pub starts_line: bool,
    /// True if it is the first token of its line in the layout.
    pub first: bool,
}

/// The kinds of tokens.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TokenKind {
    /// A word of the grammar.
    Word(Word),
    /// `x`, `x.7`, `%7`, `` `any text` ``, and `_`.
    Name { name: Arc<str>, tag: Option<u32>, quoted: bool },
    /// A number, or `true false inf nan`; without a sign.
    Literal(Number),
    /// `"text"`.
    Text(Arc<str>),
    /// Brackets, operators and other marks.
    Mark(&'static str),
    /// After the last token.
    End,
}

/// A literal without its sign.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Number {
    pub kind: NumberKind,
    pub suffix: Option<ScalarType>,
}

/// The kind of a literal, with its value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum NumberKind {
    Bool(bool),
    /// Decimal digits, also a number too large for any type.
    Integer(Arc<str>),
    /// `0x…`: the value, or `None` where it has more than 64 bits.
    Hex(Option<u64>),
    /// Decimal digits with a point or an exponent.
    Float(Arc<str>),
    Inf,
    Nan,
    /// The bits of the float type that the suffix names.
    Bits(u64),
}

impl fmt::Display for TokenKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TokenKind::Word(Word::Op(op)) => write!(f, "`{op}`"),
            TokenKind::Word(Word::Key(key)) => write!(f, "`{key}`"),
            TokenKind::Name { name, tag: None, .. } => write!(f, "`{name}`"),
            TokenKind::Name { name, tag: Some(tag), .. } if name.is_empty() => write!(f, "`%{tag}`"),
            TokenKind::Name { name, tag: Some(tag), .. } => write!(f, "`{name}.{tag}`"),
            TokenKind::Literal(_) => write!(f, "a literal"),
            TokenKind::Text(_) => write!(f, "a text"),
            TokenKind::Mark(mark) => write!(f, "`{mark}`"),
            TokenKind::End => write!(f, "the end of the text"),
        }
    }
}
