//! Simplification of kernels: thunks, common combinators, dead combinators, guards.
//!
//! - Every thunk is simplified, with facts about earlier combinators: a `map` of a literal, a scalar, or a coordinate needs no register.
//! - A combinator equal to an earlier one is merged into it (common subexpression elimination).
//! - A dead combinator is removed: nothing reads it, no result leaves, it ends and cannot fault. So are single dead results of others.
//! - A guard that always holds is removed.
//!
//! Dead results and dead parameters of the kernel itself are removed by [`signature`](super::signature).

use super::canonical::canonical_names;
use super::dead_code::remove_dead;
use super::thunk::{ThunkScope, simplify_combinator};
use crate::facts::Facts;
use crate::ranges::KernelRanges;
use nestled_ir::{
    Atom, Base, Block, Combinator, CombinatorKind, Kernel, Monoid, MonoidDef, Scalar, SiteId, Thunk,
    ThunkPartMut, ValueId,
};
use std::collections::{HashMap, HashSet};

/// Returns the kernel, simplified. `may_repeat` says whether two of its results may become one value.
pub fn simplify_kernel(kernel: &Kernel, facts: &Facts, monoids: &[MonoidDef], may_repeat: bool) -> Kernel {
    let mut kernel = kernel.clone();
    simplify_thunks(&mut kernel, facts);
    merge_equal(&mut kernel, may_repeat);
    remove_unread(&mut kernel, facts, monoids);
    kernel
}

fn simplify_thunks(kernel: &mut Kernel, facts: &Facts) {
    let mut known = HashMap::new();
    let mut always = HashSet::new();
    let mut ranges = KernelRanges::default();
    for mut step in std::mem::take(&mut kernel.steps) {
        let scope =
            ThunkScope { values: &kernel.values, space: &kernel.space, known: &known, ranges: &ranges };
        let found = simplify_combinator(&mut step, scope, facts);
        step.body = remove_dead(&step.body, facts);
        // A lane that faulted holds zeros, of which nothing else is known.
        if facts.combinator(&step).is_none() {
            ranges.extend(found);
        }
        drop_true_guard(&mut step, &always);
        if step.kind == CombinatorKind::Map && step.body.body.stmts.is_empty() {
            let results = step.binds.iter().copied().zip(step.body.body.results.iter().copied());
            if step.guard.is_none() {
                always.extend(results.clone().filter(|(_, atom)| is_true(*atom)).map(|(bind, _)| bind));
            }
            known.extend(results);
        }
        kernel.steps.push(step);
    }
}

fn is_true(atom: Atom) -> bool {
    atom == Atom::Const(Scalar::Bool(true))
}

/// Removes a guard that is known to hold everywhere; only a `filter` must have one.
fn drop_true_guard(step: &mut Combinator, always: &HashSet<ValueId>) {
    let holds = step.guard.is_some_and(|guard| always.contains(&guard));
    if holds && !matches!(step.kind, CombinatorKind::Filter { .. }) {
        step.guard = None;
    }
}

/// The value key of a combinator, without names: equal keys, equal results.
type StepKey = (CombinatorKind, Option<ValueId>, Thunk);

fn merge_equal(kernel: &mut Kernel, may_repeat: bool) {
    let mut earlier: HashMap<StepKey, (Vec<ValueId>, Vec<SiteId>)> = HashMap::new();
    let mut merged: HashMap<ValueId, ValueId> = HashMap::new();
    for step in &mut kernel.steps {
        redirect(step, &merged);
        if !step.kind.is_readable() {
            continue;
        }
        let (body, sites) = canonical_names(&step.body);
        let key = (step.kind.clone(), step.guard, body);
        let Some((binds, first_sites)) = earlier.get(&key) else {
            earlier.insert(key, (step.binds.clone(), sites));
            continue;
        };
        // Each fault of this combinator is then also one of the earlier, with a lower site.
        let in_order = first_sites.iter().zip(&sites).all(|(first, second)| first <= second);
        let repeats =
            step.binds.iter().zip(binds).any(|(a, b)| kernel.ret.contains(a) && kernel.ret.contains(b));
        if in_order && (may_repeat || !repeats) {
            merged.extend(step.binds.iter().copied().zip(binds.iter().copied()));
        }
    }
    kernel.steps.retain(|step| !step.binds.iter().any(|bind| merged.contains_key(bind)));
    kernel.ret.iter_mut().for_each(|value| *value = *merged.get(value).unwrap_or(value));
}

/// Redirects reads of merged combinators to those they were merged into.
fn redirect(step: &mut Combinator, merged: &HashMap<ValueId, ValueId>) {
    if merged.is_empty() {
        return;
    }
    let new = |value: ValueId| *merged.get(&value).unwrap_or(&value);
    step.guard = step.guard.map(new);
    for_each_bind(&mut step.body.body, &mut |bind| *bind = new(*bind));
}

/// Calls `visit` on each earlier bind that a block reads.
fn for_each_bind(block: &mut Block, visit: &mut dyn FnMut(&mut ValueId)) {
    for stmt in &mut block.stmts {
        stmt.kind.for_each_part_mut(&mut |part| match part {
            ThunkPartMut::Earlier(bind) => visit(bind),
            ThunkPartMut::Block(block) => for_each_bind(block, visit),
            ThunkPartMut::Dst(_)
            | ThunkPartMut::LoopLocal(_)
            | ThunkPartMut::Atom(_)
            | ThunkPartMut::Param(_)
            | ThunkPartMut::NewPrivate(_)
            | ThunkPartMut::Private(_)
            | ThunkPartMut::Thunk(_)
            | ThunkPartMut::Rule(_)
            | ThunkPartMut::Site(_) => {}
        });
    }
}

fn remove_unread(kernel: &mut Kernel, facts: &Facts, monoids: &[MonoidDef]) {
    let mut live: HashSet<ValueId> = kernel.ret.iter().copied().collect();
    let mut kept = Vec::new();
    for mut step in std::mem::take(&mut kernel.steps).into_iter().rev() {
        let read = step.binds.iter().any(|bind| live.contains(bind));
        if !read && facts.is_removable(&step) {
            continue;
        }
        if read {
            drop_unread(&mut step, &live, monoids);
            step.body = remove_dead(&step.body, facts);
        }
        for_each_bind(&mut step.body.body, &mut |bind| {
            live.insert(*bind);
        });
        live.extend(step.guard);
        kept.push(step);
    }
    kept.reverse();
    kernel.steps = kept;
}

/// Removes the dead results of a combinator that has a live one.
fn drop_unread(step: &mut Combinator, live: &HashSet<ValueId>, monoids: &[MonoidDef]) {
    let is_live = |bind: &ValueId| live.contains(bind);
    // Results of the thunk that are no component, and binds that are none.
    let (n_lead, n_shapes) = match &step.kind {
        CombinatorKind::Map | CombinatorKind::Reduce { .. } | CombinatorKind::Scan { .. } => (0, 0),
        CombinatorKind::Filter { .. } => (0, 1),
        CombinatorKind::Partition { .. } => (1, 1),
        CombinatorKind::Permute { .. } => (step.body.body.results.len() - step.binds.len(), 0),
        // The arrays stay: the thunk goes on with what it has written there.
        CombinatorKind::Serial { bases } => (0, bases.len()),
    };
    let components = &step.binds[n_shapes..];
    let mut keep: Vec<bool> = components.iter().map(is_live).collect();
    if let Some(monoid) = step.kind.monoid_mut() {
        keep_whole_parts(monoid, &mut keep, monoids);
    }
    if let CombinatorKind::Permute { base, .. } = &mut step.kind {
        match base {
            Base::Fill(values) => retain(values, 0, &keep),
            Base::Arrays(arrays) => retain(arrays, 0, &keep),
        }
    }
    retain(&mut step.binds, n_shapes, &keep);
    retain(&mut step.body.body.results, n_lead, &keep);
}

/// Removes the parts of a tuple of monoids without any live value, and keeps all values of the others.
fn keep_whole_parts(monoid: &mut Monoid, keep: &mut [bool], monoids: &[MonoidDef]) {
    let mut at = 0;
    monoid.parts.retain(|part| {
        let values = &mut keep[at..at + part.width(monoids)];
        at += values.len();
        let read = values.contains(&true);
        values.fill(read);
        read
    });
}

/// Keeps the first `lead` items, and of the others those marked.
fn retain<T>(items: &mut Vec<T>, lead: usize, keep: &[bool]) {
    let mut position = 0;
    items.retain(|_| {
        let kept = position < lead || keep[position - lead];
        position += 1;
        kept
    });
}
