//! What later combinators of a kernel know about earlier ones.

use super::Ranges;
use super::linear::{Linear, Var};
use nestled_ir::{Atom, CombinatorKind, Range, ScalarType, ValueId};
use std::collections::HashMap;

/// What is known about binds of earlier combinators, in words that every thunk of the kernel understands: coordinates and scalars of the
/// kernel.
#[derive(Clone, Debug, Default)]
pub struct KernelRanges {
    forms: HashMap<ValueId, Linear>,
    bounds: HashMap<ValueId, (i128, i128)>,
    /// What is at least 0 where a bind is true, and where it is false.
    conditions: HashMap<ValueId, [Vec<Linear>; 2]>,
}

impl KernelRanges {
    /// What a bind is.
    pub fn form(&self, bind: ValueId) -> Option<&Linear> {
        self.forms.get(&bind)
    }

    /// Between which numbers a bind is.
    pub fn bounds(&self, bind: ValueId) -> Option<(i128, i128)> {
        self.bounds.get(&bind).copied()
    }

    /// What is at least 0 where a bind has this value.
    pub fn conditions(&self, bind: ValueId, truth: bool) -> &[Linear] {
        self.conditions.get(&bind).map_or(&[], |sides| &sides[usize::from(!truth)])
    }

    /// Takes over what another knows.
    pub fn extend(&mut self, other: KernelRanges) {
        self.forms.extend(other.forms);
        self.bounds.extend(other.bounds);
        self.conditions.extend(other.conditions);
    }
}

impl Ranges<'_> {
    /// Marks what a combinator surely does not miss with the results of its thunk: places of a scatter, classes of a partition.
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

    /// What others may know about the results of a `map` that cannot fault, at the end of its thunk.
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

    /// Whether every thunk of the kernel understands a sum.
    fn is_common(&self, form: &Linear) -> bool {
        form.terms().iter().all(|(var, _)| match var {
            Var::Local(local) => local.index() < self.thunk.n_params,
            Var::Value(_) => true,
            Var::Length(_) => false,
        })
    }
}
