//! Lazy scalars: their computation is put off until a use, and then done together in one kernel over their level.
//!
//! A scalar that is never used is not computed at all, unless its computation can fault or might not terminate.

use super::Emitter;
use super::host::{array, level_shape};
use super::kernel::KernelWriter;
use super::point::{Point, Run};
use super::sites::Origin;
use super::val::{At, Base, Leaf, Place, Seq, Val};
use crate::core::{Local, Statement};
use nestled_ir::{Atom, HostAtom};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// A scalar that is computed later.
#[derive(Debug)]
struct Pending {
    /// The number of the group that computes it.
    group: usize,
    /// The computed scalar, once there is one.
    result: Option<HostAtom>,
}

/// Work that is computed together.
#[derive(Debug)]
struct Group<'a> {
    level: usize,
    work: Work<'a>,
    /// The numbers of its pending results.
    results: Vec<usize>,
    origin: Origin,
    /// True if a kernel that computes it was written in the current block or around it.
    done: bool,
}

/// The scalars of a function that are put off, and what of them has been computed.
#[derive(Debug, Default)]
pub(super) struct Delayed<'a> {
    pendings: Vec<Pending>,
    groups: Vec<Group<'a>>,
    /// Groups that can fault and are not yet sure to be computed.
    faulting: Vec<usize>,
    /// Length of `faulting` at the start of the branch: the groups before belong to the context around it.
    floor: usize,
    /// Groups and results that have been computed, in order.
    finished: Vec<usize>,
    resolutions: Vec<usize>,
}

/// Marks what had been computed before a block of host code began.
#[derive(Clone, Copy)]
pub(super) struct Computed {
    resolutions: usize,
    finished: usize,
}

/// Marks the start of the branch around a branch.
pub(super) struct OuterBranch(usize);

impl<'a> Delayed<'a> {
    /// Adds a group of work; returns the numbers of its results.
    fn add(
        &mut self,
        work: Work<'a>,
        level: usize,
        n_results: usize,
        origin: Origin,
        needed: bool,
    ) -> Vec<usize> {
        let group = self.groups.len();
        let first = self.pendings.len();
        let results: Vec<usize> = (first..first + n_results).collect();
        self.pendings.extend(results.iter().map(|_| Pending { group, result: None }));
        self.groups.push(Group { level, work, results: results.clone(), origin, done: false });
        if needed {
            self.faulting.push(group);
        }
        results
    }

    /// Returns a result, if it has been computed.
    pub fn result(&self, pending: usize) -> Option<HostAtom> {
        self.pendings[pending].result
    }

    /// Returns the groups whose results of a level occur in values and have not been computed.
    fn open_in(&self, val: &Val, level: usize) -> Vec<usize> {
        let mut found = Vec::new();
        val.leaves(&mut |leaf| {
            if let At::Pending(id) = leaf.at
                && leaf.level == level
                && self.pendings[id].result.is_none()
            {
                found.push(self.pendings[id].group);
            }
        });
        found
    }

    /// Returns these groups, which are of one level, and all on which they depend there, in the order of the source.
    fn with_operands(&self, wanted: &[usize]) -> BTreeSet<usize> {
        let level = self.groups[wanted[0]].level;
        let mut needed = BTreeSet::new();
        let mut open: Vec<usize> = wanted.to_vec();
        while let Some(group) = open.pop() {
            if !needed.insert(group) {
                continue;
            }
            if let Work::Statement { operands, .. } = &self.groups[group].work {
                open.extend(operands.values().flat_map(|val| self.open_in(val, level)));
            }
        }
        needed
    }

    /// Returns the groups that can fault and have been put off since a mark, as long as they have not been computed.
    fn open_faulting(&self, since: usize) -> Vec<usize> {
        self.faulting[since..].iter().copied().filter(|group| !self.groups[*group].done).collect()
    }

    /// Records that a result has been computed.
    fn resolve(&mut self, pending: usize, result: HostAtom) {
        self.pendings[pending].result = Some(result);
        self.resolutions.push(pending);
    }

    /// Records that groups have been computed.
    fn finish(&mut self, groups: BTreeSet<usize>) {
        for group in groups {
            self.groups[group].done = true;
            self.finished.push(group);
        }
    }

    /// Marks the faults that have been put off so far.
    pub fn mark_faults(&self) -> usize {
        self.faulting.len()
    }

    /// Marks what has been computed so far.
    pub fn computed(&self) -> Computed {
        Computed { resolutions: self.resolutions.len(), finished: self.finished.len() }
    }

    /// Forgets what was computed since a mark: it was computed in a block that has ended, and is not available after it.
    pub fn forget_since(&mut self, mark: Computed) {
        for id in self.resolutions.split_off(mark.resolutions) {
            self.pendings[id].result = None;
        }
        for group in self.finished.split_off(mark.finished) {
            self.groups[group].done = false;
        }
    }

    /// Begins a branch in a context of its own: faults put off before it belong to the context around it.
    pub fn begin_branch(&mut self) -> OuterBranch {
        OuterBranch(std::mem::replace(&mut self.floor, self.faulting.len()))
    }

    /// Ends a branch.
    pub fn end_branch(&mut self, outer: OuterBranch) {
        self.floor = outer.0;
    }
}

/// The kinds of work.
#[derive(Clone, Debug)]
pub(super) enum Work<'a> {
    /// A statement of the core.
    Statement { statement: &'a Statement, operands: Rc<HashMap<Local, Val>> },
    /// The element of a sequence, of this type, at the last coordinate; the flag says whether it is sure to exist.
    Element(Rc<Seq>, crate::core::Ty, bool),
    /// The coordinate in the last axis, as an integer.
    Position,
}

impl<'a> Emitter<'a> {
    /// Puts work off and returns its pending results. Work that is `needed`, because it may fault or not terminate, is done in any case.
    pub fn put_off(
        &mut self,
        work: Work<'a>,
        level: usize,
        types: &[nestled_ir::ScalarType],
        needed: bool,
    ) -> Vec<Leaf> {
        let results = self.delayed.add(work, level, types.len(), self.origin, needed);
        results.into_iter().zip(types).map(|(id, &ty)| Leaf { level, ty, at: At::Pending(id) }).collect()
    }

    /// Returns a scalar, computing it if it is still pending.
    pub fn resolve(&mut self, leaf: &Leaf) -> HostAtom {
        match leaf.at {
            At::Host(atom) => atom,
            At::Pending(id) => {
                if self.delayed.result(id).is_none() {
                    self.compute(&[self.delayed.pendings[id].group]);
                }
                self.delayed.result(id).expect("what is computed has a result")
            }
        }
    }

    /// Computes all pending scalars of this level in these values, in one kernel.
    pub fn resolve_all(&mut self, vals: &[&Val], level: usize) {
        let wanted: Vec<usize> = vals.iter().flat_map(|val| self.delayed.open_in(val, level)).collect();
        if !wanted.is_empty() {
            self.compute(&wanted);
        }
    }

    /// Computes pending work that may fault, before an effect or call that must come after the fault.
    pub fn settle_all(&mut self) {
        self.settle_from(self.delayed.floor);
    }

    /// Computes pending work that may fault and was put off since a mark, and drops it from the list.
    pub fn settle_faults(&mut self, since: usize) {
        self.settle_from(since);
        self.delayed.faulting.truncate(since);
    }

    fn settle_from(&mut self, since: usize) {
        let open = self.delayed.open_faulting(since);
        let levels: BTreeSet<usize> = open.iter().map(|group| self.delayed.groups[*group].level).collect();
        for level in levels {
            let groups = &self.delayed.groups;
            let here = |group: &usize| groups[*group].level == level && !groups[*group].done;
            let here: Vec<usize> = open.iter().copied().filter(here).collect();
            if !here.is_empty() {
                self.compute(&here);
            }
        }
    }

    /// Writes one kernel for these groups, which are of one level, and for all pending work on which they depend.
    fn compute(&mut self, wanted: &[usize]) {
        let level = self.delayed.groups[wanted[0]].level;
        let needed = self.delayed.with_operands(wanted);
        let chain = self.scope.chain[..level].to_vec();
        // Reports call the kernel by the expression that it computes, and not by the one that needs it.
        let origin = self.delayed.groups[wanted[wanted.len() - 1]].origin;
        let mut k = self.at_origin(origin, |this| this.kernel("scalars", &chain));
        let (mut results, mut ids) = (Vec::new(), Vec::new());
        for &group in &needed {
            let Group { work, results: numbers, origin, .. } = &self.delayed.groups[group];
            let (work, numbers, origin) = (work.clone(), numbers.clone(), *origin);
            let atoms =
                self.at_origin(origin, |this| k.at_span(origin.span, |k| this.perform(k, &work, &chain)));
            for (&id, &atom) in numbers.iter().zip(&atoms) {
                k.pending.insert(id, atom);
            }
            results.extend(atoms);
            ids.extend(numbers);
        }
        let binds = k.end_map(results);
        let made = self.at_origin(origin, |this| this.run(k, binds));
        for (id, value) in ids.into_iter().zip(made) {
            self.delayed.resolve(id, HostAtom::Value(value));
        }
        self.delayed.finish(needed);
    }

    fn perform(&mut self, k: &mut KernelWriter, work: &Work<'a>, chain: &[nestled_ir::Axis]) -> Vec<Atom> {
        let mut atoms = Vec::new();
        let coordinates = k.coordinates();
        match work {
            Work::Statement { statement, operands } => {
                let mut names = super::serial::Names::new(operands);
                let point = self.serial_op(k, &mut names, statement);
                point.scalars(&mut atoms);
            }
            Work::Element(seq, ty, sure) => {
                let at = *coordinates.last().expect("elements have a position");
                let run = Run::At { seq: Rc::clone(seq), coordinates: coordinates[..seq.level].to_vec() };
                let point: Point = self.element_or_zero(k, &run, at, *ty, *sure);
                point.scalars(&mut atoms);
            }
            Work::Position => {
                let at = *coordinates.last().expect("elements have a position");
                atoms.push(k.convert(at, self.int()));
            }
        }
        debug_assert!(chain.len() == coordinates.len());
        atoms
    }

    /// Returns the array of a scalar over its level.
    pub fn array_of(&mut self, leaf: &Leaf) -> nestled_ir::ValueId {
        array(self.resolve(leaf))
    }

    /// Returns the value with all pending scalars computed.
    pub fn settled(&mut self, val: &Val) -> Val {
        let mut open = false;
        val.leaves(&mut |leaf| open |= matches!(leaf.at, At::Pending(_)));
        if !open {
            return val.clone();
        }
        match val {
            Val::Scalar(leaf) => {
                let atom = self.resolve(leaf);
                Val::host(leaf.level, leaf.ty, atom)
            }
            Val::Tuple(parts) => Val::tuple(parts.iter().map(|part| self.settled(part)).collect()),
            Val::Seq(seq) => {
                let place = match &seq.place {
                    Place::Dense(elems) => Place::Dense(self.settled(elems)),
                    Place::View { starts, base } => {
                        let at = At::Host(self.resolve(starts));
                        let elems = self.settled(&base.elems);
                        let base = Rc::new(Base { extent: base.extent, elems });
                        Place::View { starts: Leaf { at, ..starts.clone() }, base }
                    }
                };
                Val::seq(seq.level, seq.shape, place)
            }
        }
    }

    /// Returns the shape of the context.
    pub fn context_shape(&self) -> nestled_ir::Shape {
        level_shape(&self.scope.chain)
    }
}
