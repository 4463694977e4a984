//! Kernel fusion: groups the combinators of a kernel into passes.
//!
//! ```text
//! p = map { i => gt xs[i] 0.0 }               pass 0: computes p, and counts and moves what is kept
//! (k, ys) = filter where p { i => xs[i] }
//! s = reduce where p { i => xs[i] } add       pass 1: reads p from memory
//! ```

use nestled_ir::{Combinator, CombinatorKind, Kernel, StmtKind, ValueId};
use std::collections::HashSet;

/// The combinators of a pass; see [`Pass`](super::Pass).
pub struct Group {
    pub level: usize,
    pub maps: Vec<usize>,
    pub sink: Option<usize>,
}

impl Group {
    /// Returns the positions of all its combinators.
    pub fn steps(&self) -> impl Iterator<Item = usize> {
        self.maps.iter().chain(&self.sink).copied()
    }
}

/// Groups the combinators of a kernel into passes.
pub fn passes(kernel: &Kernel) -> Vec<Group> {
    let mut passes: Vec<Group> = Vec::new();
    for (position, step) in kernel.steps.iter().enumerate() {
        let is_map = matches!(step.kind, CombinatorKind::Map);
        let joins = passes.last().is_some_and(|pass| joins(kernel, pass, step));
        if !joins {
            passes.push(Group { level: step.level().0, maps: Vec::new(), sink: None });
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

fn joins(kernel: &Kernel, pass: &Group, step: &Combinator) -> bool {
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
pub fn carried(kernel: &Kernel, passes: &[Group]) -> Vec<ValueId> {
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
