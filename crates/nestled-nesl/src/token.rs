//! Tokens, and how tightly each binds.

use nestled_ir::Span;
use std::fmt;
use std::sync::Arc;

/// A name as NESL compares it: in lower case. Cheap to clone.
pub type Text = Arc<str>;

/// One token with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it stands.
    pub span: Span,
}

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub enum TokenKind {
    /// A name or a keyword, in lower case.
    Word(Text),
    /// An unsigned integer.
    Int(u64),
    /// A float.
    Float(f64),
    /// A character by its code.
    Char(u8),
    /// A string, its escapes taken out.
    Str(Vec<u8>),
    /// An operator or a mark, one of [`SYMBOLS`].
    Symbol(&'static str),
    /// The end of the text.
    End,
}

/// Every operator and mark, those of several characters first.
pub const SYMBOLS: [&str; 38] = [
    "->", "<-", "=>", ">>", "::", ":=", "++", "==", "/=", "<=", ">=", "&=", "|=", "||", "+", "-", "*", "/",
    "^", "#", "@", "(", ")", "[", "]", "{", "}", ",", ";", ":", "=", "<", ">", "|", "$", "&", "'", "?",
];

/// Words that no name may be.
pub const KEYWORDS: [&str; 15] = [
    "if",
    "then",
    "else",
    "let",
    "in",
    "function",
    "datatype",
    "and",
    "or",
    "nand",
    "nor",
    "xor",
    "pair",
    "closure",
    "defconfig",
];

/// Words that make a statement a command when they come first.
pub const COMMANDS: [&str; 12] =
    ["help", "exit", "lisp", "describe", "apropos", "get", "set", "show", "shell", "dump", "edit", "load"];

/// How an infix operator binds: to its left, and how its right operand is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// It combines while this is over the level asked for.
    pub left: i8,
    /// The level of its right operand.
    pub right: i8,
}

/// Application, indexing and juxtaposition.
pub const APPLY: i8 = 30;
/// The operand of `-`, `#` and `@`.
pub const PREFIX: i8 = 25;
/// Pairs; below this level an expression takes commas in.
pub const COMMA: Binding = Binding { left: 4, right: 3 };
/// Function values.
pub const ARROW: Binding = Binding { left: 5, right: 4 };

/// The binding of an infix operator that makes an expression.
pub fn infix(symbol: &str) -> Option<Binding> {
    let same = |level| Some(Binding { left: level, right: level });
    match symbol {
        "->" => Some(Binding { left: 24, right: 23 }),
        "<-" => same(23),
        "^" => same(22),
        "*" | "/" | "||" => same(21),
        "+" | "-" | "++" => same(20),
        "==" | "/=" | "<" | ">" | "<=" | ">=" => same(10),
        "and" | "nand" => same(8),
        "or" | "nor" | "xor" => same(7),
        "=>" => Some(ARROW),
        ":=" => same(5),
        "," => Some(COMMA),
        _ => None,
    }
}

/// Whether this is an operator that names a function: `'+` is addition.
pub fn is_operator(text: &str) -> bool {
    let mark = matches!(text, "," | "=>" | ":=");
    !mark && (infix(text).is_some() || matches!(text, "#" | "@" | "="))
}

/// Whether a word cannot be a name anywhere.
pub fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

impl TokenKind {
    /// The text of a word or symbol.
    pub fn text(&self) -> Option<&str> {
        match self {
            TokenKind::Word(word) => Some(word),
            TokenKind::Symbol(symbol) => Some(symbol),
            _ => None,
        }
    }
}

/// As a message names it.
impl fmt::Display for TokenKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TokenKind::Word(word) if is_keyword(word) => write!(f, "the keyword `{word}`"),
            TokenKind::Word(word) => write!(f, "the name `{word}`"),
            TokenKind::Symbol(symbol) => write!(f, "`{symbol}`"),
            TokenKind::Int(_) | TokenKind::Float(_) => f.write_str("a number"),
            TokenKind::Char(_) => f.write_str("a character"),
            TokenKind::Str(_) => f.write_str("a string"),
            TokenKind::End => f.write_str("the end of the text"),
        }
    }
}
