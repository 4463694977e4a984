//! Lint: warns that the filter of an apply-to-each does not guard its body.

use super::Infer;
use crate::typed::{Expr, Kind, LocalId};
use nestled_ir::Diagnostic;

/// Functions that may fault.
const RISKY: [&str; 14] =
    ["/", "rem", "mod", "elt", "->", "<-", "sqrt", "ln", "log", "take", "drop", "subseq", "reciprocal", "^"];

impl Infer<'_> {
    /// Warns where a body may fault on elements that the filter leaves out: `{1/x : x in v | x /= 0}`.
    pub(super) fn unguarded(&mut self, body: &Expr, filter: &Expr) {
        let mut guarded = Vec::new();
        locals(filter, &mut guarded);
        let mut pending = vec![body];
        while let Some(expr) = pending.pop() {
            if let Kind::Apply(function, argument) = &expr.kind {
                let name = match &function.kind {
                    Kind::Global(id, _) => self.env.global(*id).name.clone(),
                    _ => "".into(),
                };
                let mut used = Vec::new();
                locals(argument, &mut used);
                if RISKY.contains(&&*name) && used.iter().any(|local| guarded.contains(local)) {
                    let diagnostic = Diagnostic::new("N0121", "a filter does not guard the body", expr.span)
                        .here("this is computed for every element")
                        .label(filter.span, "only then is this asked")
                        .help(
                            "filter first: `{1/x : x in {x in v | x /= 0}}`, or test in the body with `if`",
                        );
                    self.warnings.push(diagnostic);
                    return;
                }
            }
            // What stands under a condition of its own is guarded by that.
            if !matches!(expr.kind, Kind::If(..)) {
                expr.visit(&mut |part| pending.push(part));
            }
        }
    }
}

fn locals(expr: &Expr, found: &mut Vec<LocalId>) {
    let mut pending = vec![expr];
    while let Some(expr) = pending.pop() {
        if let Kind::Local(local) = expr.kind {
            found.push(local);
        }
        expr.visit(&mut |part| pending.push(part));
    }
}
