//! Recursive-descent parser, from tokens to the syntax tree.
//!
//! One function for each rule of the grammar. A rule that fails reports the error and returns [`Failed`]; lists of statements and of
//! definitions resume after the failure, so that one run reports several errors.

mod cursor;
mod exprs;
mod hints;
mod host;
mod items;
mod kernels;
mod stmts;
mod types;

use super::ast::File;
use super::token::Token;
use crate::diagnostic::Diagnostic;
use cursor::Parser;

/// A rule did not match, and said so.
#[derive(Debug)]
struct Failed;

type Parse<T> = Result<T, Failed>;

/// Greatest nesting depth of brackets, blocks and chains of operators.
pub(super) const MAX_DEPTH: usize = 288;

/// Greatest number of messages before the parser gives up.
const MAX_DIAGNOSTICS: usize = 50;

/// Parses a text; the tree is complete only if there are no messages.
pub(super) fn parse_file(tokens: &[Token]) -> (File, Vec<Diagnostic>) {
    let mut parser = Parser::new(tokens);
    let file = parser.file();
    (file, parser.diagnostics)
}
