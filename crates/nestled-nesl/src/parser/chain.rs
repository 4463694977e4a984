//! Long operator chains: `a + b + … + z` parses to a left-leaning tree as deep as the chain is long. To bound the depth of recursive walks, parts of the chain
//! are bound by a `let` to names that no program can write:
//!
//! ```text
//! let *chain 0* = a + b + …; *chain 1* = *chain 0* + … in *chain 1* + … + z
//! ```

use super::{Parser, Result};
use crate::ast::{Expr, ExprKind, LetBinding, Pattern, PatternKind};
use crate::token::Text;

/// Height at which a part of a chain gets a name.
const HIGH: u16 = 100;

/// The part of a chain that has been parsed.
#[derive(Debug, Default)]
pub(super) struct Chain {
    bindings: Vec<LetBinding>,
}

impl Chain {
    /// Returns the parsed part, or a name for it if it is high.
    pub fn take(&mut self, read: Expr, operators: usize) -> Expr {
        if operators == 0
            || !operators.is_multiple_of(usize::from(HIGH))
            || !matches!(read.kind, ExprKind::Infix(..))
        {
            return read;
        }
        let name = Text::from(format!("*chain {}*", self.bindings.len()));
        let span = read.span;
        let pattern = Pattern { kind: PatternKind::Name(name.clone()), span };
        self.bindings.push(LetBinding { pattern, value: read });
        Expr::new(ExprKind::Name(name), span)
    }

    /// Returns the whole expression, inside of the bindings.
    pub fn end(mut self, parser: &mut Parser<'_>, last: Expr) -> Result<Expr> {
        // What got a name and is all that there is needs none.
        let last = match (&last.kind, self.bindings.pop_if(|binding| is_name_of(binding, &last))) {
            (ExprKind::Name(_), Some(binding)) => binding.value,
            _ => last,
        };
        if self.bindings.is_empty() {
            return Ok(last);
        }
        let span = last.span;
        parser.build(ExprKind::Let(self.bindings, Box::new(last)), span)
    }
}

fn is_name_of(binding: &LetBinding, expr: &Expr) -> bool {
    match (&binding.pattern.kind, &expr.kind) {
        (PatternKind::Name(own), ExprKind::Name(name)) => own == name,
        _ => false,
    }
}
