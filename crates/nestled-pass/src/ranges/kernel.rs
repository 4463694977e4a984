//! Ranges across combinators: facts about the results of earlier combinators of a kernel.

use super::Ranges;
use super::linear::{Linear, Var};
use nestled_ir::{Atom, CombinatorKind, Range, ScalarType, ValueId};
use std::collections::HashMap;

/// Facts about binds of earlier combinators, in variables common to all thunks of the kernel: coordinates, and scalars of the kernel.
#[derive(Clone, Debug, Default)]
pub struct KernelRanges {
    forms: HashMap<ValueId, Linear>,
    bounds: HashMap<ValueId, (i128, i128)>,
    /// For each boolean bind: the forms that are at least 0 where it is true, and where it is false.
    conditions: HashMap<ValueId, [Vec<Linear>; 2]>,
}

impl KernelRanges {
    /// The linear form of a bind.
    pub fn form(&self, bind: ValueId) -> Option<&Linear> {
        self.forms.get(&bind)
    }

    /// The least and the greatest value of a bind.
    pub fn bounds(&self, bind: ValueId) -> Option<(i128, i128)> {
        self.bounds.get(&bind).copied()
    }

    /// The forms that are at least 0 where a bind has this value.
    pub fn conditions(&self, bind: ValueId, truth: bool) -> &[Linear] {
        self.conditions.get(&bind).map_or(&[], |sides| &sides[usize::from(!truth)])
    }

    /// Adds the facts of another.
    pub fn extend(&mut self, other: KernelRanges) {
        self.forms.extend(other.forms);
        self.bounds.extend(other.bounds);
        self.conditions.extend(other.conditions);
    }
}

impl Ranges<'_> {
    /// Marks the results of a thunk that are in bounds as proved: places of a scatter, classes of a partition.
    pub fn prove_results(&mut self, kind: &mut CombinatorKind, results: &[Atom]) {
        match kind {
            CombinatorKind::Partition { within: _, classes, site } => {
                if self.is_inside(&self.form(results[0]), &Linear::constant(i128::from(*classes))) {
                    *site = None;
                }
            }
            CombinatorKind::Permute { dest, base: _, range, collision: _ } => {
                if self.names_point(dest, results) {
                    *range = Range::Proved;
                }
            }
            CombinatorKind::Map
            | CombinatorKind::Reduce { .. }
            | CombinatorKind::Scan { .. }
            | CombinatorKind::Filter { .. }
            | CombinatorKind::Serial { .. } => {}
        }
    }

    /// Returns the facts about the results of a `map` that cannot fault, at the end of its thunk, for later combinators.
    pub fn export(&self, binds: &[ValueId], results: &[Atom]) -> KernelRanges {
        let mut known = KernelRanges::default();
        for (&bind, &result) in binds.iter().zip(results) {
            let ty = self.ty(result);
            if ty.is_integer() {
                let form = self.form(result);
                known.bounds.insert(bind, self.range(&form));
                if self.is_common(&form) {
                    known.forms.insert(bind, form);
                }
            } else if ty == ScalarType::Bool {
                let sides = [true, false].map(|truth| {
                    let facts = self.facts_of(result, truth).into_iter();
                    facts.filter(|fact| self.is_common(fact)).collect()
                });
                known.conditions.insert(bind, sides);
            }
        }
        known
    }

    /// True if a form has only variables that are common to all thunks of the kernel.
    fn is_common(&self, form: &Linear) -> bool {
        form.terms().iter().all(|(var, _)| match var {
            Var::Local(local) => local.index() < self.thunk.n_params,
            Var::Value(_) => true,
            Var::Length(_) => false,
        })
    }
}
