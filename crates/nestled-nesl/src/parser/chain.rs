//! Long chains of operators: `a + b + … + z` is not nested to who reads it, but a tree that leans to the left. So that no walk over it goes deep, what
//! has been read of it gets a name that nobody can write:
//!
//! ```text
//! let *chain 0* = a + b + …; *chain 1* = *chain 0* + … in *chain 1* + … + z
//! ```

use super::{Parser, Result};
use crate::ast::{Expr, ExprKind, LetBinding, Pattern, PatternKind};
use crate::token::Text;

/// A chain gets a name when it is so high.
const HIGH: u16 = 100;

/// The beginning of a chain.
#[derive(Debug, Default)]
pub(super) struct Chain {
    bindings: Vec<LetBinding>,
}

impl Chain {
    /// Looks at what has been read; gives it, or its name.
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

    /// The whole expression.
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
