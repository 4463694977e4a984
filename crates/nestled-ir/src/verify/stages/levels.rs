//! Checks levels: the axes of the space, the level of each combinator, and the levels that it reads.

use super::{KernelContext, Read};
use crate::diagnostic::Diagnostic;
use crate::kernel::{Combinator, Kernel, Level};
use crate::types::{Axis, Shape};
use crate::typing::Scope;
use crate::verify::names;
use crate::verify::report::Report;

/// Checks the axes of the space: few enough, and each segmentation cuts the points of the level before it.
pub(super) fn check_space(kernel: &Kernel, report: &mut Report) {
    if kernel.space.len() > Shape::MAX_RANK {
        let message = format!(
            "the space of `{}` has {} axes, but {} is the most",
            kernel.name,
            kernel.space.len(),
            Shape::MAX_RANK
        );
        report.add(Diagnostic::new("L0401", message, kernel.span));
    }
    let scope = Scope::new(&kernel.values);
    for (position, &axis) in kernel.space.iter().enumerate() {
        let Axis::Sym(value) = axis else { continue };
        let Some(seg) = scope.ty(value).as_seg() else { continue };
        let before = scope.level_shape(&kernel.space, Level(position));
        if seg.parent == before {
            continue;
        }
        let name = names::value(&kernel.values, value);
        let parent = names::shape(&kernel.values, &seg.parent);
        let message = if position == 0 {
            format!("the segmentation `{name}` cannot be the first axis of a space")
        } else {
            let before = names::shape(&kernel.values, &before);
            format!("`{name}` segments the points of {parent}, but the axes before it have those of {before}")
        };
        let help = format!("write the axes of {parent} before `{name}`");
        report.add(
            Diagnostic::new("L0402", message, kernel.span)
                .label(kernel.values[value.index()].span, "bound here")
                .help(help),
        );
    }
}

/// Checks the level of a combinator, and that its groups are those of an outer level.
pub(super) fn check_step(cx: &KernelContext<'_>, step: &Combinator, report: &mut Report) {
    let (level, elements) = (step.level(), cx.kernel.elements());
    if level > elements {
        let message = format!(
            "the thunk has {}, but the space has {}",
            names::count(level.0, "coordinate"),
            names::count(elements.0, "level")
        );
        report.add(
            Diagnostic::new("L0403", message, step.span)
                .label(cx.kernel.span, "the space is named after `over`"),
        );
    }
    if let Some(group) = step.kind.group()
        && group >= level
    {
        let message = format!(
            "`{} @{}` runs at level {}: its groups must be those of an outer level",
            step.kind.name(),
            group.0,
            level.0
        );
        let help = match level.0.checked_sub(1) {
            Some(outer) => format!("write `@{outer}`, or give the thunk another coordinate"),
            None => "give the thunk a coordinate".to_owned(),
        };
        report.add(Diagnostic::new("L0404", message, step.span).help(help));
    }
}

/// Checks that a read at the own coordinates is of the own or an outer level.
pub(super) fn check_own(cx: &KernelContext<'_>, read: &Read<'_>, binder: &Combinator, report: &mut Report) {
    let (own, found) = (read.reader.level(), binder.result_level());
    if found > own {
        let name = cx.name(read.bind);
        let message =
            format!("`{name}` lives at level {}, and is read at the outer level {}", found.0, own.0);
        report.add(
            cx.message("L0405", message, read.span, read.bind)
                .help(format!("combine the points of a group first: `reduce @{}`", own.0)),
        );
    }
}
