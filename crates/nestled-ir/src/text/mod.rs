//! The text form of λcu: `docs/lcu.md` describes it.
//!
//! [`parse()`] works in three steps: `lexer` makes tokens of characters, `parse` a syntax tree of tokens, and `elab` a program of the tree.
//! [`print()`] is the inverse: for every program in canonical order (see [`compact`](crate::compact::compact)), parsing the printed text
//! gives the same program.

mod ast;
mod elab;
mod lexer;
mod parse;
mod print;
mod suggest;
mod token;
mod words;

use crate::diagnostic::{Diagnostic, render_all};
use crate::program::Program;
use crate::span::SourceMap;
use std::fmt;

pub use print::print;
pub use suggest::closest;

/// Why a text is not a program: one message or more.
#[derive(Clone, Debug)]
pub struct ParseFailure {
    /// The errors, in order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// The text that the messages are about.
    pub sources: SourceMap,
}

impl fmt::Display for ParseFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&render_all(&self.diagnostics, &self.sources))
    }
}

impl std::error::Error for ParseFailure {}

/// Reads a program. Whether it is well-formed beyond names and literals, the [verifier](crate::verify) says. `name` stands for the text
/// in messages.
///
/// ```
/// let program = nestled_ir::text::parse("one.lcu", "fn main() -> i64 { ret 1 }").unwrap();
/// assert_eq!(&*program.functions[0].name, "main");
/// ```
pub fn parse(name: &str, text: &str) -> Result<Program, ParseFailure> {
    let sources = SourceMap::single(name, text);
    let (tokens, mut diagnostics) = lexer::lex(text);
    let (file, syntax) = parse::parse_file(&tokens);
    diagnostics.extend(syntax);
    if diagnostics.is_empty() {
        let (program, found) = elab::elaborate(&file, sources.clone());
        if found.is_empty() {
            return Ok(program);
        }
        diagnostics = found;
    }
    diagnostics.sort_by_key(|diagnostic| diagnostic.labels.first().map_or(0, |label| label.span.start));
    Err(ParseFailure { diagnostics, sources })
}
