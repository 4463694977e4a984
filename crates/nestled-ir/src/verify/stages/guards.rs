//! Checks guards: the values that `where` may name, and the reads of values bound under a guard.

use super::{KernelContext, Read};
use crate::diagnostic::Diagnostic;
use crate::kernel::{Combinator, CombinatorKind};
use crate::verify::report::Report;

/// Checks the guard of a combinator: a `map` of its own or an outer level, itself without a guard.
pub(super) fn check_guard(cx: &KernelContext<'_>, step: &Combinator, report: &mut Report) {
    let Some(guard) = step.guard else {
        if matches!(step.kind, CombinatorKind::Filter { .. }) {
            let message = "a `filter` without a guard keeps everything";
            let help = "say what it keeps: `filter where p { … }`; or use `map`";
            report.add(Diagnostic::new("L0411", message, step.span).help(help));
        }
        return;
    };
    let name = cx.name(guard);
    let Some(binder) = cx.binder(guard).filter(|binder| binder.kind == CombinatorKind::Map) else {
        let message = format!("the guard `{name}` is not bound by a `map` of this kernel");
        let help = format!("read it in a map, and name that: `q = map {{ i => {name}[i] }}`");
        return report.add(cx.message("L0412", message, step.span, guard).help(help));
    };
    if binder.level() > step.level() {
        let message = format!(
            "the guard `{name}` lives at level {}, but the `{}` runs at the outer level {}",
            binder.level().0,
            step.kind.name(),
            step.level().0
        );
        report.add(cx.message("L0413", message, step.span, guard));
    }
    if binder.guard.is_some() {
        let message = format!("the guard `{name}` is itself bound under a guard");
        let help = format!("bind `{name}` at every point, with an `if` in its thunk");
        report.add(cx.message("L0414", message, step.span, guard).help(help));
    }
}

/// Checks that results of a `map` or `scan` under a guard are read under the same guard. (A `reduce` has a value for each group, with or
/// without a guard.)
pub(super) fn check_read(cx: &KernelContext<'_>, read: &Read<'_>, binder: &Combinator, report: &mut Report) {
    let needs = match binder.kind {
        CombinatorKind::Map | CombinatorKind::Scan { .. } => binder.guard,
        CombinatorKind::Reduce { .. }
        | CombinatorKind::Filter { .. }
        | CombinatorKind::Partition { .. }
        | CombinatorKind::Permute { .. }
        | CombinatorKind::Serial { .. } => None,
    };
    let Some(guard) = needs.filter(|_| read.reader.guard != needs) else { return };
    let (name, guard) = (cx.name(read.bind), cx.name(guard));
    let message = format!("`{name}` is bound only `where {guard}`, and may be read only there");
    let help = format!("write `{} where {guard}` here too", read.reader.kind.name());
    report.add(cx.message("L0415", message, read.span, read.bind).help(help));
}
