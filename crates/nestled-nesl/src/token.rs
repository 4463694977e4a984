//! Tokens, and the precedence of operators.

use nestled_ir::Span;
use std::fmt;
use std::sync::Arc;

/// A name as NESL compares it: in lower case. Cheap to clone.
pub type Text = Arc<str>;

/// One token with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// The kind and content.
    pub kind: TokenKind,
    /// The place in the source.
    pub span: Span,
}

/// The kinds of tokens.
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
    /// A string with its escapes resolved.
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

/// Words that cannot be names.
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

/// Precedence and associativity of an infix operator, as two binding levels (Pratt parsing).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The operator combines with its left operand while this is greater than the level asked for.
    pub left: i8,
    /// The level at which its right operand is read.
    pub right: i8,
}

/// The level of application, indexing and juxtaposition.
pub const APPLY: i8 = 30;
/// The level of the operand of `-`, `#` and `@`.
pub const PREFIX: i8 = 25;
/// Pairs; below this level an expression takes commas in.
pub const COMMA: Binding = Binding { left: 4, right: 3 };
/// Function values.
pub const ARROW: Binding = Binding { left: 5, right: 4 };

/// Returns the binding levels of an infix operator that makes an expression.
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

/// True if this operator names a function: `'+` is addition.
pub fn is_operator(text: &str) -> bool {
    let mark = matches!(text, "," | "=>" | ":=");
    !mark && (infix(text).is_some() || matches!(text, "#" | "@" | "="))
}

/// True if a word is reserved and can be no name.
pub fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

impl TokenKind {
    /// Returns the text of a word or symbol.
    pub fn text(&self) -> Option<&str> {
        match self {
            TokenKind::Word(word) => Some(word),
            TokenKind::Symbol(symbol) => Some(symbol),
            _ => None,
        }
    }
}

/// Prints the token as messages name it.
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
