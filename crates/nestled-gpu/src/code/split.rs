//! Splits reductions by monoids of which only some parts are commutative into two.
//!
//! ```text
//! (s, f) = reduce { i => x, g } (add, affine)        s = reduce { i => x } add
//!                                                    f = reduce { i => g } affine
//! ```
//!
//! λcu prescribes a different order for each kind, and for every component by itself, so no bit changes. Both reductions compute the whole thunk; a
//! fault in it is reported as the same fault by both.

use nestled_ir::{Combinator, CombinatorKind, Kernel, Monoid, MonoidDef};
use std::borrow::Cow;

/// Returns the kernel with mixed reductions split.
pub fn split_mixed<'a>(kernel: &'a Kernel, monoids: &[MonoidDef]) -> Cow<'a, Kernel> {
    if !kernel.steps.iter().any(|step| is_mixed(step, monoids)) {
        return Cow::Borrowed(kernel);
    }
    let mut split = kernel.clone();
    split.steps.clear();
    for step in &kernel.steps {
        if is_mixed(step, monoids) {
            split.steps.extend([true, false].map(|commutes| keep(step, commutes, monoids)));
        } else {
            split.steps.push(step.clone());
        }
    }
    Cow::Owned(split)
}

fn is_mixed(step: &Combinator, monoids: &[MonoidDef]) -> bool {
    let CombinatorKind::Reduce { monoid, .. } = &step.kind else { return false };
    let mut parts = monoid.parts.iter().map(|part| part.is_commutative(monoids));
    let first = parts.next();
    parts.any(|other| Some(other) != first)
}

/// Keeps only the commutative parts of a reduction, or only the others.
fn keep(step: &Combinator, commutes: bool, monoids: &[MonoidDef]) -> Combinator {
    let mut kept = step.clone();
    let CombinatorKind::Reduce { monoid: Monoid { parts }, .. } = &mut kept.kind else { return kept };
    let marks: Vec<bool> = parts
        .iter()
        .flat_map(|part| vec![part.is_commutative(monoids) == commutes; part.width(monoids)])
        .collect();
    parts.retain(|part| part.is_commutative(monoids) == commutes);
    retain(&mut kept.binds, &marks);
    retain(&mut kept.body.body.results, &marks);
    kept
}

fn retain<T>(items: &mut Vec<T>, marks: &[bool]) {
    let mut marks = marks.iter();
    items.retain(|_| marks.next() == Some(&true));
}
