//! Hints for syntax errors: a guess at the intended construct.

use super::cursor::Parser;
use crate::text::suggest::closest;
use crate::text::token::TokenKind;
use crate::text::words::{Word, operations};

const PREFIX: &str = "operations stand before their operands, as in `add x 1`; only indices have signs";
const TYPES: &str = "the types are `bool i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64 idx`, arrays of them, as `[n]f64`, and shapes, as `dim`";
const COMBINATOR: &str = "combinators are the lines of a `kernel`, which host code runs with `run`";

impl Parser<'_> {
    /// Help for a message that `what` was expected.
    pub fn hint(&self, what: &str) -> Option<String> {
        let found = self.kind();
        match what {
            "a type" | "a scalar type" => Some(TYPES.to_owned()),
            "`)`" if matches!(found, TokenKind::Mark(",")) => {
                Some("operands stand side by side, without commas: `add x y`".to_owned())
            }
            "`{`" => comparison(found).map(str::to_owned),
            "an expression" => matches!(found, TokenKind::Word(Word::Key(key)) if is_combinator(key))
                .then(|| COMBINATOR.to_owned()),
            "a statement or `ret`" => statement(found).map(str::to_owned),
            "an operand" => self.misspelt(),
            _ if what.ends_with("the end of the line") => self.misspelt(),
            _ => None,
        }
    }

    /// A guess at the intended construct where a statement goes on unexpectedly.
    fn misspelt(&self) -> Option<String> {
        match self.kind() {
            TokenKind::Mark("+" | "-" | "*") => return Some(PREFIX.to_owned()),
            TokenKind::Word(Word::Op(_)) if !self.token().starts_line => return Some(PREFIX.to_owned()),
            TokenKind::Name { name, .. } if matches!(&**name, "clamp" | "wrap" | "fault" | "proved") => {
                return Some(format!("`{name}` stands inside the brackets, after an index: `xs[i {name}]`"));
            }
            TokenKind::Mark("[" | "(") if !self.touches(0) => {
                return Some("a bracket belongs to a name only if there is no space between them".to_owned());
            }
            found => {
                if let Some(help) = comparison(found) {
                    return Some(help.to_owned());
                }
            }
        }
        let TokenKind::Name { name, tag: None, quoted: false } = self.last() else { return None };
        Some(match closest(name, operations().map(str::to_owned)) {
            Some(operation) => format!("`{name}` is not an operation; did you mean `{operation}`?"),
            None => format!("`{name}` is not an operation; what a program defines is called `{name}(…)`"),
        })
    }
}

fn comparison(found: &TokenKind) -> Option<&'static str> {
    matches!(found, TokenKind::Mark("=" | "<" | ">" | "!"))
        .then_some("comparisons are operations: `eq x y`, `ne x y`, `lt x y`, `le x y`, `gt x y`, `ge x y`")
}

fn is_combinator(key: &str) -> bool {
    matches!(key, "map" | "once" | "reduce" | "scan" | "filter" | "partition" | "permute")
}

/// Words of other languages.
fn statement(found: &TokenKind) -> Option<&'static str> {
    let TokenKind::Name { name, tag: None, quoted: false } = found else { return None };
    match &**name {
        "return" => Some("results are given with `ret`"),
        "let" | "var" | "const" | "val" | "mut" => Some("a name is bound by `y = …` alone"),
        _ => None,
    }
}
