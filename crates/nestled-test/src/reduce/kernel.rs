//! Edits that shrink kernels.

use super::Nth;
use super::host::{each_stmt, remove};
use crate::generate::Case;
use nestled_ir::{Base, Combinator, CombinatorKind, HostOp, KernelId, MonoidDef};

/// Drops a combinator.
pub(super) fn drop_step(case: &mut Case, nth: &mut Nth) {
    for kernel in &mut case.program.kernels {
        if let Some(at) = nth.among(kernel.steps.len()) {
            kernel.steps.remove(at);
        }
    }
}

/// Drops a result of a kernel, if no caller uses it.
pub(super) fn drop_returned(case: &mut Case, nth: &mut Nth) {
    for id in 0..case.program.kernels.len() {
        let kernel = &mut case.program.kernels[id];
        let Some(at) = nth.among(kernel.ret.len()) else { continue };
        kernel.ret.remove(at);
        each_stmt(&mut case.program, &mut |stmt| {
            if matches!(stmt.op, HostOp::Run { kernel, .. } if kernel == KernelId::from(id)) {
                stmt.binds.remove(at);
            }
        });
        return;
    }
}

/// Drops a guard.
pub(super) fn drop_guard(case: &mut Case, nth: &mut Nth) {
    for step in case.program.kernels.iter_mut().flat_map(|kernel| &mut kernel.steps) {
        if step.guard.is_some() && nth.here() {
            step.guard = None;
        }
    }
}

/// Drops a parameter or shape parameter.
pub(super) fn drop_parameter(case: &mut Case, nth: &mut Nth) {
    for id in 0..case.program.kernels.len() {
        let kernel = &mut case.program.kernels[id];
        let n_shapes = kernel.shapes.len();
        let Some(at) = nth.among(n_shapes + kernel.params.len()) else { continue };
        remove(&mut kernel.shapes, &mut kernel.params, at);
        each_stmt(&mut case.program, &mut |stmt| match &mut stmt.op {
            HostOp::Run { kernel, shapes, args } if *kernel == KernelId::from(id) => remove(shapes, args, at),
            _ => {}
        });
        return;
    }
}

/// Drops one component of a combinator: of a monoid one part.
pub(super) fn drop_component(case: &mut Case, nth: &mut Nth) {
    let monoids = case.program.monoids.clone();
    for step in case.program.kernels.iter_mut().flat_map(|kernel| &mut kernel.steps) {
        drop_from(step, &monoids, nth);
    }
}

fn drop_from(step: &mut Combinator, monoids: &[MonoidDef], nth: &mut Nth) {
    // Binds and results that are no component.
    let (shapes, lead) = match &step.kind {
        CombinatorKind::Filter { .. } => (1, 0),
        CombinatorKind::Partition { .. } => (1, 1),
        CombinatorKind::Permute { .. } => (0, step.body.body.results.len().saturating_sub(step.binds.len())),
        CombinatorKind::Map | CombinatorKind::Reduce { .. } | CombinatorKind::Scan { .. } => (0, 0),
        CombinatorKind::Serial { bases } => (bases.len(), 0),
    };
    let n = step.binds.len() - shapes;
    let (first, width) = match step.kind.monoid_mut() {
        Some(monoid) => {
            let Some(part) = nth.among(monoid.parts.len()) else { return };
            let first = monoid.parts[..part].iter().map(|part| part.width(monoids)).sum::<usize>();
            (first, monoid.parts.remove(part).width(monoids))
        }
        None => match nth.among(n) {
            Some(at) => (at, 1),
            None => return,
        },
    };
    step.binds.drain(shapes + first..shapes + first + width);
    step.body.body.results.drain(lead + first..lead + first + width);
    if let CombinatorKind::Permute { base, .. } = &mut step.kind {
        match base {
            Base::Fill(fill) => drop(fill.drain(first..first + width)),
            Base::Arrays(arrays) => drop(arrays.drain(first..first + width)),
        }
    }
}
