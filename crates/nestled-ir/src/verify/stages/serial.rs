//! Checks the input arrays of thunks: a `serial` has one private array for each base; other thunks have none.

use super::KernelContext;
use crate::diagnostic::Diagnostic;
use crate::kernel::{Combinator, CombinatorKind, Level};
use crate::verify::names;
use crate::verify::report::Report;

/// Checks a combinator.
pub(super) fn check(_: &KernelContext<'_>, step: &Combinator, report: &mut Report) {
    let wanted = step.kind.bases().len();
    let CombinatorKind::Serial { .. } = step.kind else {
        if step.body.n_given > 0 {
            let message = format!("the thunk of a `{}` is given private arrays", step.kind.name());
            report.add(Diagnostic::new("L0435", message, step.span).help("only a `serial` gives any"));
        }
        return;
    };
    if wanted == 0 || step.body.n_given != wanted {
        let message = format!(
            "a `serial` with {} gives its thunk {}",
            names::count(wanted, "base"),
            names::count(step.body.n_given, "private array")
        );
        let help = "give it a base for each name before the arrow, and one at least";
        report.add(Diagnostic::new("L0435", message, step.span).help(help));
    }
    if step.level() != Level::WHOLE || step.guard.is_some() {
        let message = "a `serial` runs once, at level 0 and without a guard";
        report.add(Diagnostic::new("L0436", message, step.span));
    }
}
