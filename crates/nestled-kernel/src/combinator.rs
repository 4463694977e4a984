//! Facts of single combinators: the types and levels of their results, and how they combine.

use nestled_ir::typing::Scope;
use nestled_ir::{Combinator, CombinatorKind, Kernel, Monoid, MonoidPart, Program, ScalarType, ValueId};

/// True if the combinator combines by a monoid of the program.
pub fn has_user_monoid(step: &Combinator) -> bool {
    match &step.kind {
        CombinatorKind::Reduce { monoid, .. } | CombinatorKind::Scan { monoid, .. } => {
            monoid.parts.iter().any(|part| matches!(part, MonoidPart::User(_)))
        }
        CombinatorKind::Map
        | CombinatorKind::Filter { .. }
        | CombinatorKind::Partition { .. }
        | CombinatorKind::Permute { .. }
        | CombinatorKind::Serial { .. } => false,
    }
}

/// Returns the types of the results of a combinator's thunk.
pub fn result_types(kernel: &Kernel, step: &Combinator) -> Vec<ScalarType> {
    Scope::new(&kernel.values).thunk_results(&step.body)
}

/// Returns the level of the points of an earlier value, at most level `own` of the reader.
pub fn level_of(kernel: &Kernel, bind: ValueId, own: usize) -> usize {
    let (_, step) = kernel.binder(bind).expect("thunks read what combinators bind");
    step.result_level().0.min(own)
}

/// True if the order of the reduction is fixed by lanes and tiles, because some part of its monoid is not exact.
pub fn is_tiled(program: &Program, kernel: &Kernel, step: &Combinator) -> bool {
    let CombinatorKind::Reduce { monoid, .. } = &step.kind else { return false };
    is_inexact(program, kernel, step, monoid)
}

/// True if the order of the scan is fixed by vectors and blocks, because some part of its monoid is not exact.
pub fn is_ordered(program: &Program, kernel: &Kernel, step: &Combinator) -> bool {
    let CombinatorKind::Scan { monoid, .. } = &step.kind else { return false };
    is_inexact(program, kernel, step, monoid)
}

/// True if the combinator is a scan whose vectors extend over the ends of rows. Its order is fixed, so they cannot begin anew at each row.
pub fn scans_across_rows(program: &Program, kernel: &Kernel, step: &Combinator) -> bool {
    let rows = step.kind.group().is_some_and(|group| step.level().0 - group.0 > 1);
    rows && !has_user_monoid(step) && is_ordered(program, kernel, step)
}

fn is_inexact(program: &Program, kernel: &Kernel, step: &Combinator, monoid: &Monoid) -> bool {
    let types = result_types(kernel, step);
    let mut first = 0;
    monoid.parts.iter().any(|part| {
        let range = first..first + part.width(&program.monoids);
        first = range.end;
        !part.is_exact(&types[range], &program.monoids)
    })
}
