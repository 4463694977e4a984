//! Lazy scalars: their computation is put off until a use, and then done together in one kernel over their level.
//!
//! A scalar that is never used is not computed at all, unless its computation can fault or might not terminate.

use super::Flattener;
use super::host::{array, level_shape};
use super::kernel::KernelWriter;
use super::point::{Point, Run};
use super::val::{At, Base, Leaf, Place, Seq, Val};
use crate::core::{Local, Statement};
use nestled_ir::{Atom, HostAtom, Span};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// A scalar that is computed later.
#[derive(Debug)]
pub(super) struct Pending {
    /// The number of the group that computes it.
    pub group: usize,
    /// The computed scalar, once there is one.
    pub result: Option<HostAtom>,
}

/// Work that is computed together.
#[derive(Debug)]
pub(super) struct Group<'a> {
    pub level: usize,
    pub work: Work<'a>,
    /// The numbers of its pending results.
    pub results: Vec<usize>,
    /// The number of the statement in the order of the source.
    pub order: usize,
    /// True if a kernel that computes it was written in the current block or around it.
    pub done: bool,
    pub span: Span,
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

impl<'a> Flattener<'a> {
    /// Puts work off and returns its pending results. Work that is `needed`, because it may fault or not terminate, is done in any case.
    pub fn put_off(
        &mut self,
        work: Work<'a>,
        level: usize,
        types: &[nestled_ir::ScalarType],
        needed: bool,
    ) -> Vec<Leaf> {
        let group = self.groups.len();
        let first = self.pendings.len();
        let results: Vec<usize> = (first..first + types.len()).collect();
        self.pendings.extend(types.iter().map(|_| Pending { group, result: None }));
        self.groups.push(Group {
            level,
            work,
            results: results.clone(),
            order: self.order,
            done: false,
            span: self.span,
        });
        if needed {
            self.faulting.push(group);
        }
        results.into_iter().zip(types).map(|(id, &ty)| Leaf { level, ty, at: At::Pending(id) }).collect()
    }

    /// Returns a scalar, computing it if it is still pending.
    pub fn resolve(&mut self, leaf: &Leaf) -> HostAtom {
        match leaf.at {
            At::Host(atom) => atom,
            At::Pending(id) => {
                if self.pendings[id].result.is_none() {
                    let group = self.pendings[id].group;
                    self.compute(&[group]);
                }
                self.pendings[id].result.expect("what is computed has a result")
            }
        }
    }

    /// Computes all pending scalars of this level in these values, in one kernel.
    pub fn resolve_all(&mut self, vals: &[&Val], level: usize) {
        let mut wanted = Vec::new();
        for val in vals {
            val.leaves(&mut |leaf| {
                if let At::Pending(id) = leaf.at
                    && leaf.level == level
                    && self.pendings[id].result.is_none()
                {
                    wanted.push(self.pendings[id].group);
                }
            });
        }
        if !wanted.is_empty() {
            self.compute(&wanted);
        }
    }

    /// Computes pending work that may fault, before an effect or call that must come after the fault.
    pub fn settle_all(&mut self) {
        self.settle_from(self.floor);
    }

    /// Computes pending work that may fault and was put off since a mark, and drops it from the list.
    pub fn settle_faults(&mut self, since: usize) {
        self.settle_from(since);
        self.faulting.truncate(since);
    }

    fn settle_from(&mut self, since: usize) {
        let groups = &self.groups;
        let open: Vec<usize> =
            self.faulting[since..].iter().copied().filter(|group| !groups[*group].done).collect();
        let levels: BTreeSet<usize> = open.iter().map(|group| self.groups[*group].level).collect();
        for level in levels {
            let here = |group: &usize| self.groups[*group].level == level && !self.groups[*group].done;
            let here: Vec<usize> = open.iter().copied().filter(here).collect();
            if !here.is_empty() {
                self.compute(&here);
            }
        }
    }

    /// Writes one kernel for these groups, which are of one level, and for all pending work on which they depend.
    fn compute(&mut self, wanted: &[usize]) {
        let level = self.groups[wanted[0]].level;
        let mut needed = BTreeSet::new();
        let mut open: Vec<usize> = wanted.to_vec();
        while let Some(group) = open.pop() {
            if !needed.insert(group) {
                continue;
            }
            let mut visit = |val: &Val| {
                val.leaves(&mut |leaf| {
                    if let At::Pending(id) = leaf.at
                        && leaf.level == level
                        && self.pendings[id].result.is_none()
                    {
                        open.push(self.pendings[id].group);
                    }
                });
            };
            if let Work::Statement { operands, .. } = &self.groups[group].work {
                operands.values().for_each(&mut visit);
            }
        }
        let chain = self.chain[..level].to_vec();
        let mut k = self.kernel("scalars", &chain);
        let (mut results, mut ids) = (Vec::new(), Vec::new());
        for &group in &needed {
            let Group { work, results: numbers, span, order, .. } = &self.groups[group];
            let (work, numbers) = (work.clone(), numbers.clone());
            k.set_span(*span);
            let outer = std::mem::replace(&mut self.order, *order);
            let atoms = self.perform(&mut k, &work, &chain);
            self.order = outer;
            for (&id, &atom) in numbers.iter().zip(&atoms) {
                k.pending.insert(id, atom);
            }
            results.extend(atoms);
            ids.extend(numbers);
        }
        k.set_span(self.span);
        let binds = k.end_map(results);
        let made = self.run(k, binds);
        for (id, value) in ids.into_iter().zip(made) {
            self.pendings[id].result = Some(HostAtom::Value(value));
            self.resolutions.push(id);
        }
        for group in needed {
            self.groups[group].done = true;
            self.finished.push(group);
        }
    }

    fn perform(&mut self, k: &mut KernelWriter, work: &Work<'a>, chain: &[nestled_ir::Axis]) -> Vec<Atom> {
        let mut atoms = Vec::new();
        let coordinates = k.coordinates();
        match work {
            Work::Statement { statement, operands } => {
                let outer = std::mem::replace(&mut self.span, statement.span);
                let mut names = super::serial::Names::new(operands);
                let point = self.serial_op(k, &mut names, statement);
                self.span = outer;
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
        level_shape(&self.chain)
    }
}
