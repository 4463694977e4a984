//! Hoisting of closed expressions, an accident of the original: parts of an apply-to-each that use no local name are computed once before it, even if there are
//! no elements. Only effects and faults show it: `{rand(100) : x in [1, 2, 3]}` gives three equal numbers.

use super::{Result, Specialise, body::Body};
use crate::typed::{Expr, Kind};

impl Specialise<'_> {
    /// Computes the closed parts of a body here; their values are then used in the body.
    pub(super) fn compute_closed_parts(&mut self, body: &mut Body, part: &Expr) -> Result<()> {
        let mut found = Vec::new();
        closed_calls(part, &mut found);
        for expr in found {
            let value = self.expr(body, expr)?;
            body.computed(expr, value);
        }
        Ok(())
    }
}

/// Collects the largest closed applications; returns whether the whole is closed. Parts under a condition are not hoisted.
fn closed_calls<'a>(expr: &'a Expr, found: &mut Vec<&'a Expr>) -> bool {
    let start = found.len();
    let closed = match &expr.kind {
        Kind::Local(_) => false,
        Kind::Lambda(_) => {
            let closed = is_closed(expr);
            found.truncate(start);
            closed
        }
        Kind::If(condition, ..) => {
            closed_calls(condition, found);
            is_closed(expr)
        }
        _ => {
            let mut closed = true;
            expr.visit(&mut |part| closed &= closed_calls(part, found));
            closed
        }
    };
    if closed && matches!(expr.kind, Kind::Apply(..)) {
        found.truncate(start);
        found.push(expr);
    }
    closed
}

fn is_closed(expr: &Expr) -> bool {
    let mut pending = vec![expr];
    while let Some(expr) = pending.pop() {
        if matches!(expr.kind, Kind::Local(_)) {
            return false;
        }
        expr.visit(&mut |part| pending.push(part));
    }
    true
}
