//! Checks windows: reads of an earlier combinator at constant offsets on a grid.

use super::{KernelContext, Read};
use crate::kernel::{Combinator, CombinatorKind};
use crate::typing::Scope;
use crate::verify::report::Report;

/// Checks that a window is over a `map` or `scan` of the own level, on axes that are all extents.
pub(super) fn check(cx: &KernelContext<'_>, read: &Read<'_>, binder: &Combinator, report: &mut Report) {
    let name = cx.name(read.bind);
    let own = read.reader.level();
    if matches!(binder.kind, CombinatorKind::Reduce { .. }) {
        let message = format!("`{name}` is made by `reduce`, and cannot be read through a window");
        report.add(
            cx.message("L0424", message, read.span, read.bind)
                .help("bind it at the own coordinates first, with a `map`"),
        );
    } else if binder.level() != own {
        let message = format!(
            "`{name}` lives at level {}: a window at level {} reads only what lives there",
            binder.level().0,
            own.0
        );
        report.add(cx.message("L0425", message, read.span, read.bind));
    }
    let axes = &cx.kernel.space[..own.0.min(cx.kernel.space.len())];
    if axes.is_empty() || axes.iter().any(|&axis| Scope::new(&cx.kernel.values).is_seg(axis)) {
        let message = format!(
            "`{name}` is read through a window, but the level is no grid: all its axes must be extents"
        );
        report.add(
            cx.message("L0426", message, read.span, read.bind)
                .help("return it, and read it in another kernel"),
        );
    }
}
