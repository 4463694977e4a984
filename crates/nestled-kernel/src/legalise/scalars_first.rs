//! Moves what runs once and needs only parameters to the front, where there are scatters into arrays: then more of them find that all who
//! read their base are done, and may write in its place.

use crate::nest::reads;
use nestled_ir::{Base, Combinator, CombinatorKind, Kernel, ValueId};
use std::collections::HashSet;

/// Moves them, if there is a scatter into an array.
pub fn scalars_first(kernel: &mut Kernel) {
    let into_array =
        |step: &Combinator| matches!(step.kind, CombinatorKind::Permute { base: Base::Arrays(_), .. });
    if kernel.steps.iter().any(into_array) {
        once_first(&mut kernel.steps);
    }
}

/// Maps of the whole that read nothing, or only such maps, go to the front.
fn once_first(steps: &mut Vec<Combinator>) {
    let mut early: HashSet<ValueId> = HashSet::new();
    for step in &*steps {
        let known = || reads(step).0.iter().all(|read| early.contains(read));
        if matches!(step.kind, CombinatorKind::Map) && step.level().0 == 0 && known() {
            early.extend(&step.binds);
        }
    }
    let (first, rest): (Vec<_>, Vec<_>) = steps.drain(..).partition(|step| early.contains(&step.binds[0]));
    steps.extend(first.into_iter().chain(rest));
}
