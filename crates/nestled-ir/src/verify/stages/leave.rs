//! Checks the results of a kernel: their origin, their order, and the destinations and bases of scatters.

use super::KernelContext;
use crate::id::ValueId;
use crate::kernel::{Combinator, CombinatorKind};
use crate::types::{Axis, Type};
use crate::verify::report::Report;

/// Checks that the destination of a `permute`, and bases, come from outside of the kernel.
pub(super) fn check_bases(cx: &KernelContext<'_>, step: &Combinator, report: &mut Report) {
    for value in step.kind.symbols() {
        if !cx.kernel.shapes.contains(&value) {
            let name = cx.name(value);
            let message = format!("the destination uses `{name}`, which this kernel makes");
            let help = "a destination is made of shape parameters: scatter in another kernel";
            report.add(cx.message("L0431", message, step.span, value).help(help));
        }
    }
    for array in step.kind.bases() {
        if !cx.kernel.params.contains(&array) {
            let name = cx.name(array);
            let message = format!("the base `{name}` is not a parameter of the kernel");
            let help = match step.kind {
                CombinatorKind::Serial { .. } => "change it in another kernel",
                CombinatorKind::Permute { .. } => "scatter in another kernel",
                CombinatorKind::Map
                | CombinatorKind::Reduce { .. }
                | CombinatorKind::Scan { .. }
                | CombinatorKind::Filter { .. }
                | CombinatorKind::Partition { .. } => unreachable!("it has no base"),
            };
            report.add(cx.message("L0432", message, step.span, array).help(help));
        }
    }
}

/// Checks that the results were made by this kernel, and that a shape made here comes before the arrays over it.
pub(super) fn check_ret(cx: &KernelContext<'_>, report: &mut Report) {
    let ret = &cx.kernel.ret;
    for (position, &value) in ret.iter().enumerate() {
        let name = cx.name(value);
        if cx.binder(value).is_none() {
            let message = format!("`{name}` is a parameter, and leaves the kernel unchanged");
            let help = "the caller has it already; for a copy use a `map`";
            report.add(cx.message("L0433", message, cx.kernel.span, value).help(help));
        }
        let missing = symbols(cx, value).find(|symbol| !ret[..position].contains(symbol));
        if let Some(symbol) = missing {
            let symbol = cx.name(symbol);
            let message =
                format!("`{name}` leaves the kernel, but its shape `{symbol}` does not leave before it");
            report.add(
                cx.message("L0434", message, cx.kernel.span, value)
                    .help(format!("write `ret {symbol}, {name}`")),
            );
        }
    }
}

/// The symbols in the type of a value that the kernel makes itself.
fn symbols(cx: &KernelContext<'_>, value: ValueId) -> impl Iterator<Item = ValueId> {
    let axes = match &cx.kernel.values[value.index()].ty {
        Type::Array(array) => array.shape.axes.as_slice(),
        Type::Dim => &[],
        Type::Seg(seg) => seg.parent.axes.as_slice(),
    };
    axes.iter().filter_map(|axis| match axis {
        Axis::Sym(symbol) if cx.binder(*symbol).is_some() => Some(*symbol),
        Axis::Sym(_) | Axis::Const(_) => None,
    })
}
