//! Apply-to-each: the context gets one more axis.
//!
//! The axis is that of the first source that lies at the level of the context. Elements are read where they are used, from wherever they lie. Captured values keep their outer level and are read at
//! it, so they are not replicated.

use super::host::axis_atom;
use super::kernel::KernelWriter;
use super::lazy::Work;
use super::plan::Effects;
use super::point::{Point, Run};
use super::val::{At, Leaf, Place, Seq, Val};
use super::walk::Frame;
use super::{Emitter, Result, TypeShape};
use crate::core::{Each, Ty};
use crate::fault::FaultCode;
use nestled_ir::{Atom, Axis, HostAtom, HostOp, Op, ScalarType};
use std::rc::Rc;

/// The relation of a source to the axis of an apply-to-each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fit {
    /// The axis is that of the source itself.
    Own,
    /// The source surely has an element for each point.
    Within,
    /// The lengths may differ, which is a fault.
    Unsure,
}

impl<'a> Emitter<'a> {
    /// Writes an apply-to-each: `{ … : x in v }`.
    pub fn each(&mut self, frame: &mut Frame<'a>, each: &'a Each, effects: Effects, ty: Ty) -> Result<Val> {
        if effects.acts {
            self.settle_all();
        }
        let sources: Vec<Rc<Seq>> =
            each.sources.iter().map(|source| Rc::clone(self.atom(frame, *source).as_seq())).collect();
        let (axis, fits) = self.common_axis(&sources);
        let outer_random = self.begin_random();
        let mut inner = self.scope.chain.clone();
        inner.push(axis);
        let level = inner.len();
        let result = self.in_context(inner, |this| {
            for ((element, source), fit) in each.elements.iter().zip(&sources).zip(fits) {
                let ty = frame.type_of(*element);
                let val = this.elements(source, ty, fit);
                frame.env.insert(*element, val);
            }
            this.split_random(&outer_random);
            let result = this.block(frame, &each.body)?;
            this.resolve_all(&[&result], level);
            Result::Ok(result)
        })?;
        self.scope.random = self.after_each(outer_random);
        debug_assert!(matches!(self.shape_of(ty), TypeShape::Seq(_)));
        Ok(Val::seq(level - 1, axis, Place::Dense(result)))
    }

    /// Returns the common axis of all sources, and the relation of each source to it. The axis is that of the first source at the level of the context, if there is one: it is
    /// read at its own points, and what comes from further outside is read from where it lies.
    fn common_axis(&mut self, sources: &[Rc<Seq>]) -> (Axis, Vec<Fit>) {
        let level = self.scope.chain.len();
        let base = sources.iter().position(|source| source.level == level).unwrap_or(0);
        let first = self.axis_of(&sources[base]);
        let has_own = sources[base].level == level;
        let mut fits = Vec::new();
        let mut unequal = Vec::new();
        for (at, source) in sources.iter().enumerate() {
            if at == base {
                fits.push(if has_own { Fit::Own } else { Fit::Within });
                continue;
            }
            let is_own = source.level == level;
            // What lies side by side does not fit a kernel with another extent, so that it is enough to say that both are the same. What is
            // read elsewhere does, and the kernel may run before anybody has compared the lengths.
            let is_dense = matches!(source.place, Place::Dense(_));
            let is_same = match is_dense {
                true => self.f.canonical(source.shape) == self.f.canonical(first),
                false => source.shape == first,
            };
            if is_own && is_same {
                fits.push(Fit::Own);
                continue;
            }
            if is_dense && is_own && has_own && self.source.checked {
                let own = if level == 0 { source.shape } else { self.widened(source.shape) };
                let first = if level == 0 { first } else { self.widened(first) };
                self.make_same(first, own, FaultCode::Length);
                // Where it is known that they differ, what follows the fault has to fit all the same.
                let differ = self.f.canonical(first) != self.f.canonical(own);
                fits.push(if differ { Fit::Unsure } else { Fit::Own });
            } else {
                fits.push(Fit::Unsure);
                unequal.push(Rc::clone(source));
            }
        }
        if unequal.is_empty() {
            return (first, fits);
        }
        if self.source.checked {
            self.check_lengths(&sources[base], &unequal);
            return (first, fits);
        }
        // Without checks the shortest counts.
        (self.shortest(sources), vec![Fit::Within; sources.len()])
    }

    /// Returns the axis of a sequence in this context.
    pub fn axis_of(&mut self, seq: &Rc<Seq>) -> Axis {
        let level = self.scope.chain.len();
        if seq.level == level {
            return seq.shape;
        }
        if seq.level == 0 {
            let op = HostOp::Regular { parent: self.context_shape(), length: self.f.canonical(seq.shape) };
            return Axis::Sym(self.emit_one("rows", op));
        }
        let lengths = self.lengths_here(seq);
        self.segments(lengths, FaultCode::Limit)
    }

    /// Computes the length of a sequence at each point of the context.
    fn lengths_here(&mut self, seq: &Rc<Seq>) -> HostAtom {
        let chain = self.scope.chain.clone();
        let val = self.tabulate("lengths", &chain, &mut |this, k| {
            let own = k.coordinates();
            let run = Run::At { seq: Rc::clone(seq), coordinates: own[..seq.level].to_vec() };
            Point::Scalar(this.run_len(k, &run))
        });
        self.resolve(val.leaf())
    }

    fn check_lengths(&mut self, first: &Rc<Seq>, others: &[Rc<Seq>]) {
        let chain = self.scope.chain.clone();
        let site = self.site(FaultCode::Length, self.origin.span);
        self.tabulate("length", &chain, &mut |this, k| {
            let own = k.coordinates();
            let at = |seq: &Rc<Seq>| Run::At { seq: Rc::clone(seq), coordinates: own[..seq.level].to_vec() };
            let wanted = this.run_len(k, &at(first));
            for other in others {
                let found = this.run_len(k, &at(other));
                let same = k.op(Op::Eq, &[wanted, found]);
                k.check(same, &FaultCode::Length.to_string(), site);
            }
            Point::Scalar(nestled_ir::Atom::Const(nestled_ir::Scalar::Bool(true)))
        });
    }

    fn shortest(&mut self, sources: &[Rc<Seq>]) -> Axis {
        let chain = self.scope.chain.clone();
        let val = self.tabulate("shortest", &chain, &mut |this, k| {
            let own = k.coordinates();
            let mut least = None;
            for seq in sources {
                let run = Run::At { seq: Rc::clone(seq), coordinates: own[..seq.level].to_vec() };
                let len = this.run_len(k, &run);
                least = Some(least.map_or(len, |least| k.op(Op::Min, &[least, len])));
            }
            Point::Scalar(least.expect("there are sources"))
        });
        let lengths = self.resolve(val.leaf());
        match chain.len() {
            0 => self.dim(lengths, FaultCode::Limit),
            _ => self.segments(lengths, FaultCode::Limit),
        }
    }

    /// Returns the elements of a source, in the context that has its axis.
    pub fn elements(&mut self, seq: &Rc<Seq>, ty: Ty, fit: Fit) -> Val {
        let level = self.scope.chain.len();
        if let Place::Dense(elems) = &seq.place
            && fit == Fit::Own
            && seq.level + 1 == level
        {
            return elems.clone();
        }
        self.elements_of(seq, ty, fit != Fit::Unsure)
    }

    /// Returns the elements of a source; unless it is `sure` to be long enough, reads past its end are guarded.
    fn elements_of(&mut self, seq: &Rc<Seq>, ty: Ty, sure: bool) -> Val {
        let mut types = Vec::new();
        if self.source.types.is_flat(ty) {
            flat_types(self, ty, &mut types);
            let level = self.scope.chain.len();
            let leaves = self.put_off(Work::Element(Rc::clone(seq), ty, sure), level, &types, false);
            return self.val_of_leaves(ty, &mut leaves.into_iter());
        }
        let chain = self.scope.chain.clone();
        self.tabulate("elements", &chain, &mut |this, k| {
            let mut own = k.coordinates();
            let at = own.pop().expect("elements have a position");
            let run = Run::At { seq: Rc::clone(seq), coordinates: own[..seq.level].to_vec() };
            this.element_or_zero(k, &run, at, ty, sure)
        })
    }

    /// Reads the element at a position. Unless it is `sure` to exist, a point past the end gets the nearest scalars, or zero where elements hold sequences.
    pub fn element_or_zero(
        &mut self,
        k: &mut KernelWriter,
        run: &Run,
        at: Atom,
        ty: Ty,
        sure: bool,
    ) -> Point {
        if sure {
            return self.element(k, run, at);
        }
        if self.source.types.is_flat(ty) {
            return k.nearest(|k| self.element(k, run, at));
        }
        let len = self.run_len(k, run);
        let is_one = k.op(Op::Lt, &[at, len]);
        let zero = self.zero_point(ty);
        self.branch_point(k, is_one, &mut |this, k| this.element(k, run, at), &mut |_, _| zero.clone())
    }

    /// Returns the coordinate in the last axis of the context, as an integer.
    pub fn positions(&mut self) -> Val {
        let (level, int) = (self.scope.chain.len(), self.int());
        Val::Scalar(self.put_off(Work::Position, level, &[int], false).remove(0))
    }

    /// Makes a sequence with such elements at each point of a chain. A negative length faults.
    pub fn sequence_of_length(
        &mut self,
        length: &Leaf,
        code: FaultCode,
        elems: &mut dyn FnMut(&mut Self) -> Val,
    ) -> Val {
        let level = length.level;
        let atom = self.resolve(length);
        let shape = match level {
            0 => {
                let extent = if self.host_type(atom) == ScalarType::Idx {
                    atom
                } else {
                    self.host_op(Op::Convert(ScalarType::Idx), vec![atom])
                };
                self.dim(extent, code)
            }
            _ => self.segments(atom, code),
        };
        let mut inner = self.scope.chain[..level].to_vec();
        inner.push(shape);
        let elems = self.in_context(inner, |this| {
            let elems = elems(this);
            this.resolve_all(&[&elems], level + 1);
            elems
        });
        Val::seq(level, shape, Place::Dense(elems))
    }

    /// Returns the extent of a level-0 sequence as an operand.
    pub fn extent_atom(&self, seq: &Seq) -> HostAtom {
        axis_atom(self.f.canonical(seq.shape))
    }

    /// Returns a scalar with its computation done.
    pub fn ready(&mut self, leaf: &Leaf) -> Leaf {
        Leaf { at: At::Host(self.resolve(leaf)), ..leaf.clone() }
    }
}

fn flat_types(this: &Emitter<'_>, ty: Ty, found: &mut Vec<ScalarType>) {
    match this.shape_of(ty) {
        TypeShape::Scalar(ty) => found.push(ty),
        TypeShape::Tuple(parts) => parts.into_iter().for_each(|part| flat_types(this, part, found)),
        TypeShape::Seq(_) => unreachable!("the type is flat"),
    }
}
