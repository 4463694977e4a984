//! Hoists scalar maps to the front of kernels that scatter into arrays.
//!
//! These are maps of level 0 that need only parameters. Once they come first, more scatters come after the last reader of their base, and may update
//! it in place.

use nestled_ir::{Base, Combinator, CombinatorKind, Kernel, ValueId};
use std::collections::HashSet;

/// Runs the pass, if a combinator scatters into an array.
pub fn scalars_first(kernel: &mut Kernel) {
    let into_array =
        |step: &Combinator| matches!(step.kind, CombinatorKind::Permute { base: Base::Arrays(_), .. });
    if kernel.steps.iter().any(into_array) {
        once_first(&mut kernel.steps);
    }
}

/// Moves maps of level 0 that read nothing, or only such maps, to the front.
fn once_first(steps: &mut Vec<Combinator>) {
    let mut early: HashSet<ValueId> = HashSet::new();
    for step in &*steps {
        let known = || step.reads().0.iter().all(|read| early.contains(read));
        if matches!(step.kind, CombinatorKind::Map) && step.level().0 == 0 && known() {
            early.extend(&step.binds);
        }
    }
    let (first, rest): (Vec<_>, Vec<_>) = steps.drain(..).partition(|step| early.contains(&step.binds[0]));
    steps.extend(first.into_iter().chain(rest));
}
