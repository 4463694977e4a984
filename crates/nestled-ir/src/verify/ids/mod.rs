//! First layer, ids: afterwards every id is in range, every name is assigned once and used only where it is in scope.

mod calls;
mod host;
mod kernel;
mod table;
mod thunk;
mod values;

use super::report::Report;
use crate::diagnostic::Diagnostic;
use crate::id::SiteId;
use crate::program::Program;
use crate::span::Span;

/// Checks all ids of a program.
pub(super) fn check(program: &Program, report: &mut Report) {
    for def in &program.thunks {
        thunk::check(program, &def.thunk, None, def.span, report);
    }
    calls::check(program, report);
    for monoid in &program.monoids {
        check_id("thunk", monoid.combine.index(), program.thunks.len(), monoid.span, report);
    }
    for kernel in &program.kernels {
        kernel::check(program, kernel, report);
    }
    for function in &program.functions {
        host::check(program, function, report);
    }
}

/// Checks that an id of one of the program's own tables is in range.
fn check_id(what: &str, index: usize, len: usize, span: Span, report: &mut Report) {
    if index >= len {
        report.add(out_of_range(what, index, len, span));
    }
}

fn check_site(program: &Program, site: SiteId, span: Span, report: &mut Report) {
    let len = program.sites.len();
    if site.index() >= len {
        let message = format!("site {} is not in the table of sites, which has {len}", site.0);
        let help = format!("say `sites {}` at the start of the program", site.0.saturating_add(1));
        report.add(Diagnostic::new("L0203", message, span).help(help));
    }
}

fn out_of_range(what: &str, index: usize, len: usize, span: Span) -> Diagnostic {
    let message = format!("there is no {what} number {index}: the table has {len}");
    Diagnostic::new("L0202", message, span)
}
