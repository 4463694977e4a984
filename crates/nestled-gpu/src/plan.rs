//! Kernel fusion: groups the combinators of a kernel into passes.
//!
//! ```text
//! p = map { i => gt xs[i] 0.0 }               pass 0: computes p, and counts and moves what is kept
//! (k, ys) = filter where p { i => xs[i] }
//! s = reduce where p { i => xs[i] } add       pass 1: reads p from memory
//! ```
//!
//! A **pass** goes over the points of one level: some maps, then perhaps one combinator that is more than a map, its *sink*. Values of earlier passes
//! are read from memory, values of the same pass from registers.

use nestled_ir::{Combinator, CombinatorKind, Kernel, StmtKind, ValueId};
use std::collections::HashSet;

/// Combinators that share a sweep.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pass {
    /// The level at whose points thunks run.
    pub level: usize,
    /// Maps, by their position among the steps.
    pub maps: Vec<usize>,
    /// The combinator that consumes the values of all points, if there is one.
    pub sink: Option<usize>,
}

/// Groups the combinators of a kernel into passes.
pub fn passes(kernel: &Kernel) -> Vec<Pass> {
    let mut passes: Vec<Pass> = Vec::new();
    for (position, step) in kernel.steps.iter().enumerate() {
        let is_map = matches!(step.kind, CombinatorKind::Map);
        let joins = passes.last().is_some_and(|pass| joins(kernel, pass, step));
        if !joins {
            passes.push(Pass { level: step.level().0, maps: Vec::new(), sink: None });
        }
        let last = passes.last_mut().expect("one was pushed at least");
        if is_map {
            last.maps.push(position);
        } else {
            last.sink = Some(position);
        }
    }
    passes
}

fn joins(kernel: &Kernel, pass: &Pass, step: &Combinator) -> bool {
    let bound = |value: &ValueId| pass.maps.iter().any(|&map| kernel.steps[map].binds.contains(value));
    // Most sinks visit their points more than once, and would recompute the maps.
    let once = match step.kind {
        CombinatorKind::Map | CombinatorKind::Reduce { .. } => true,
        CombinatorKind::Scan { .. }
        | CombinatorKind::Filter { .. }
        | CombinatorKind::Partition { .. }
        | CombinatorKind::Permute { .. }
        | CombinatorKind::Serial { .. } => pass.maps.iter().all(|&map| is_cheap(&kernel.steps[map])),
    };
    once && pass.sink.is_none() && pass.level == step.level().0 && !step.reads().1.iter().any(bound)
}

/// True if a thunk has neither loops nor calls.
pub fn is_cheap(step: &Combinator) -> bool {
    let mut cheap = true;
    step.body.body.walk(&mut |stmt| match stmt.kind {
        StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::Call { .. } => cheap = false,
        _ => {}
    });
    cheap
}

/// Returns the values that must be materialised in scratch: they are read by another pass, but are no results.
pub fn carried(kernel: &Kernel, passes: &[Pass]) -> Vec<ValueId> {
    let mut here: HashSet<ValueId> = HashSet::new();
    let mut carried = Vec::new();
    for pass in passes {
        here.clear();
        for &position in pass.maps.iter().chain(&pass.sink) {
            let step = &kernel.steps[position];
            let (own, windows) = step.reads();
            for value in own.into_iter().chain(windows) {
                if !here.contains(&value) && !kernel.ret.contains(&value) && !carried.contains(&value) {
                    carried.push(value);
                }
            }
            if pass.maps.contains(&position) {
                here.extend(&step.binds);
            }
        }
    }
    carried
}
