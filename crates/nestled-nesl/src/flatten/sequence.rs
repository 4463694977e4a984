//! Primitives on nested sequences.
//!
//! Code that cannot fault is computed at the level of its operands, however deep the context. Code that can fault is computed in the context, so that it faults
//! only where the source evaluates it.

use super::host::axis_atom;
use super::kernel::KernelWriter;
use super::point::{Part, Point, Run, idx};
use super::val::{Leaf, Place, Seq, Val};
use super::{Emitter, Result, TypeShape};
use crate::core::Ty;
use crate::fault::FaultCode;
use crate::primitive::Primitive;
use nestled_ir::{Atom, Axis, HostAtom, HostOp, Op, Scalar, ScalarType};
use std::rc::Rc;

/// Greatest length of a range that may be made although its context may have no points.
const SMALL: u64 = 1 << 16;

impl Emitter<'_> {
    /// Writes a primitive on whole sequences. `types` has the types of operands that are no constants.
    pub fn sequence_primitive(
        &mut self,
        primitive: Primitive,
        args: &[Val],
        ty: Ty,
        types: &[Option<Ty>],
    ) -> Result<Val> {
        use Primitive::*;
        Ok(match primitive {
            Distribute => self.distribute(&args[0], &args[1]),
            Index => self.index(&args[0]),
            Slice => self.slice(&args[0], &args[1], &args[2]),
            Gather => self.gather(args[0].as_seq(), args[1].as_seq()),
            Put => self.put(args[0].as_seq(), args[1].as_seq(), &args[2], ty),
            Pack => self.pack_primitive(args[0].as_seq()),
            Append => self.append(args[0].as_seq(), args[1].as_seq()),
            Flatten => self.flatten(args[0].as_seq()),
            Partition => self.partition(&args[0], &args[1]),
            Rank | RankDown => self.rank(args[0].as_seq(), primitive == RankDown),
            AreRanks => {
                let known = self.are_ranks(args[0].as_seq());
                Val::host(0, ScalarType::Bool, HostAtom::Const(Scalar::Bool(known)))
            }
            _ => self.fold(primitive, args[0].as_seq(), types[0].expect("sequences are no constants")),
        })
    }

    /// Returns the sequence at the thunk's own point.
    pub fn own_run(&self, k: &KernelWriter, seq: &Rc<Seq>) -> Run {
        let coordinates = k.coordinates()[..seq.level].to_vec();
        Run::At { seq: Rc::clone(seq), coordinates }
    }

    /// Returns the elements of a sequence, over its own axis.
    pub fn own_elements(&mut self, seq: &Rc<Seq>) -> Val {
        if let Place::Dense(elems) = &seq.place {
            return elems.clone();
        }
        let chain = self.chain_under(seq);
        self.tabulate("elements", &chain, &mut |this, k| this.last_element(k, seq))
    }

    /// Returns the axes over which the elements of a sequence of the context lie.
    pub fn chain_under(&self, seq: &Rc<Seq>) -> Vec<Axis> {
        let mut chain = self.scope.chain[..seq.level].to_vec();
        chain.push(seq.shape);
        chain
    }

    /// Reads the element at the last of the thunk's own coordinates.
    pub fn last_element(&mut self, k: &mut KernelWriter, seq: &Rc<Seq>) -> Point {
        let at = *k.coordinates().last().expect("elements have a position");
        let run = self.own_run(k, seq);
        self.element(k, &run, at)
    }

    /// Broadcasts a value to the level of the context.
    pub fn here(&mut self, val: &Val) -> Val {
        if val.level() == self.scope.chain.len() {
            return val.clone();
        }
        let chain = self.scope.chain.clone();
        self.raise(val, &chain)
    }

    /// Converts a length to one from which a shape at the level of the context can be made.
    fn length_here(&mut self, length: &Val) -> Leaf {
        let chain = self.scope.chain.clone();
        if self.source.checked {
            let here = self.here(length);
            return self.ready(here.leaf());
        }
        let least = self.tabulate("length", &chain, &mut |this, k| {
            let own = k.coordinates();
            let length = this.read(k, length, &own).scalar();
            let zero = Atom::Const(Scalar::zero(k.ty(length)));
            Point::Scalar(k.op(Op::Max, &[length, zero]))
        });
        self.ready(least.leaf())
    }

    /// Returns a length that is a constant and not negative.
    fn known_length(&self, length: &Val) -> Option<u64> {
        match length.leaf().at {
            super::val::At::Host(HostAtom::Const(scalar)) => u64::try_from(scalar.as_integer()?).ok(),
            _ => None,
        }
    }

    fn distribute(&mut self, val: &Val, length: &Val) -> Val {
        if let Some(known) = self.known_length(length) {
            return self.regular(val.level(), known, val.clone());
        }
        let length = self.length_here(length);
        self.sequence_of_length(&length, FaultCode::Range, &mut |_| val.clone())
    }

    fn index(&mut self, length: &Val) -> Val {
        let is_small = |known: &u64| self.scope.chain.is_empty() || *known <= SMALL;
        if let Some(known) = self.known_length(length).filter(is_small) {
            let elems = self.in_context(vec![Axis::Const(known)], |this| {
                let elems = this.positions();
                this.resolve_all(&[&elems], 1);
                this.settled(&elems)
            });
            return Val::seq(0, Axis::Const(known), Place::Dense(elems));
        }
        let length = match self.uniform_length(length) {
            Some(uniform) => uniform,
            None => self.length_here(length),
        };
        self.sequence_of_length(&length, FaultCode::Range, &mut |this| this.positions())
    }

    /// Returns a length that is the same for all points of the context as a scalar of the host, so that one sequence serves all points. It is 0 where the context has no points:
    /// nothing may fault there, or take memory. `None` if the host would have to wait for the number of points.
    fn uniform_length(&mut self, length: &Val) -> Option<Leaf> {
        let leaf = length.leaf().clone();
        let chain = self.scope.chain.clone();
        if leaf.level > 0 || chain.is_empty() || !chain.iter().all(|&axis| self.f.is_size_known(axis)) {
            return None;
        }
        let points = axis_atom(self.size(&chain));
        let zero = HostAtom::Const(Scalar::zero(leaf.ty));
        let atom = self.resolve(&leaf);
        let is_some = self.host_op(Op::Gt, vec![points, HostAtom::Const(Scalar::Idx(0))]);
        let mut length = self.host_op(Op::Select, vec![is_some, atom, zero]);
        if !self.source.checked {
            length = self.host_op(Op::Max, vec![length, zero]);
        }
        Some(Leaf { at: super::val::At::Host(length), ..leaf })
    }

    /// Makes sequences of one length at each point of a level.
    pub fn regular(&mut self, level: usize, length: u64, elems: Val) -> Val {
        Val::seq(level, self.regular_axis(level, length), Place::Dense(elems))
    }

    pub fn regular_axis(&mut self, level: usize, length: u64) -> Axis {
        match level {
            0 => Axis::Const(length),
            _ => {
                let parent = super::host::level_shape(&self.scope.chain[..level]);
                let op = HostOp::Regular { parent, length: Axis::Const(length) };
                Axis::Sym(self.emit_one("rows", op))
            }
        }
    }

    /// Writes `v[i]` where elements hold sequences.
    pub fn nested_element(&mut self, seq: &Val, at: &Val) -> Result<Val> {
        let chain = self.scope.chain.clone();
        Ok(self.tabulate("element", &chain, &mut |this, k| {
            let own = k.coordinates();
            let at = this.read(k, at, &own).scalar();
            let run = this.own_run(k, seq.as_seq());
            this.checked_element(k, &run, at, FaultCode::Index)
        }))
    }

    fn slice(&mut self, seq: &Val, start: &Val, length: &Val) -> Val {
        let chain = self.scope.chain.clone();
        let site = self.site(FaultCode::Subseq, self.origin.span);
        let seq = seq.as_seq();
        self.tabulate("slice", &chain, &mut |this, k| {
            let own = k.coordinates();
            let start = this.read(k, start, &own).scalar();
            let start = k.index(start);
            let length = this.read(k, length, &own).scalar();
            let length = k.index(length);
            let run = this.own_run(k, seq);
            let part = this.run_part(k, &run);
            let rest = k.op(Op::Sub, &[part.len, start]);
            let fine = [
                (Op::Ge, start, idx(0)),
                (Op::Ge, length, idx(0)),
                (Op::Le, start, part.len),
                (Op::Le, length, rest),
            ]
            .map(|(op, a, b)| k.op(op, &[a, b]));
            let fine = fine.into_iter().reduce(|a, b| k.op(Op::And, &[a, b])).expect("four conditions");
            if this.source.checked {
                k.check(fine, &FaultCode::Subseq.to_string(), site);
            }
            let len = k.op(Op::Select, &[fine, length, idx(0)]);
            let from = k.op(Op::Select, &[fine, start, idx(0)]);
            let start = k.op(Op::Add, &[part.start, from]);
            Point::Seq(Run::Part(Part { len, start, ..part }))
        })
    }

    fn gather(&mut self, seq: &Rc<Seq>, indices: &Rc<Seq>) -> Val {
        let axis = self.axis_of(indices);
        let level = self.scope.chain.len();
        let mut chain = self.scope.chain.clone();
        chain.push(axis);
        let elems = self.tabulate("gather", &chain, &mut |this, k| {
            let at = this.last_element(k, indices).scalar();
            let run = this.own_run(k, seq);
            this.checked_element(k, &run, at, FaultCode::Gather)
        });
        Val::seq(level, axis, Place::Dense(elems))
    }

    fn pack_primitive(&mut self, seq: &Rc<Seq>) -> Val {
        let chain = self.chain_under(seq);
        let (axis, val) = self.filter(
            "pack",
            &chain,
            &mut |this, k| this.last_element(k, seq).part(1).scalar(),
            &mut |this, k| this.last_element(k, seq).part(0).clone(),
        );
        Val::seq(seq.level, axis, Place::Dense(val))
    }

    fn append(&mut self, left: &Rc<Seq>, right: &Rc<Seq>) -> Val {
        let level = left.level.max(right.level);
        let chain = self.scope.chain[..level].to_vec();
        let shape = match level {
            0 => {
                let sum = self.host_op(Op::Add, vec![self.extent_atom(left), self.extent_atom(right)]);
                self.dim(sum, FaultCode::Limit)
            }
            _ => {
                let lengths = self.tabulate("lengths", &chain, &mut |this, k| {
                    let (left, right) = (this.own_run(k, left), this.own_run(k, right));
                    let (left, right) = (this.run_len(k, &left), this.run_len(k, &right));
                    Point::Scalar(k.op(Op::Add, &[left, right]))
                });
                let lengths = self.resolve(lengths.leaf());
                self.segments(lengths, FaultCode::Limit)
            }
        };
        let mut inner = chain;
        inner.push(shape);
        let elems = self.tabulate("append", &inner, &mut |this, k| {
            let at = *k.coordinates().last().expect("elements have a position");
            let (left, right) = (this.own_run(k, left), this.own_run(k, right));
            let before = this.run_len(k, &left);
            let is_left = k.op(Op::Lt, &[at, before]);
            this.branch_point(k, is_left, &mut |this, k| this.element(k, &left, at), &mut |this, k| {
                let at = k.op(Op::Sub, &[at, before]);
                this.element(k, &right, at)
            })
        });
        Val::seq(level, shape, Place::Dense(elems))
    }

    fn flatten(&mut self, seq: &Rc<Seq>) -> Val {
        let level = seq.level;
        let chain = self.chain_under(seq);
        let elems = self.own_elements(seq);
        let elems = self.solid(&elems, &chain);
        let inner = elems.as_seq();
        let Place::Dense(data) = &inner.place else { unreachable!("it was made dense") };
        let mut from = chain.clone();
        from.push(inner.shape);
        let shape = match level {
            0 => self.size(&from),
            _ => {
                let lengths = self.reduce_lengths(&chain, inner);
                self.segments(lengths, FaultCode::Limit)
            }
        };
        let mut to = chain[..level].to_vec();
        to.push(shape);
        let data = self.reseat(data, &from, &to);
        Val::seq(level, shape, Place::Dense(data))
    }

    fn partition(&mut self, val: &Val, counts: &Val) -> Val {
        let (val, counts) = (self.here(val), self.here(counts));
        let (seq, counts) = (Rc::clone(val.as_seq()), Rc::clone(counts.as_seq()));
        let chain = self.scope.chain.clone();
        let under = self.chain_under(&counts);
        let fine = if self.source.checked { Some(self.check_counts(&seq, &counts)) } else { None };
        let before = self.counts_before(&counts);
        let elems = self.tabulate("partition", &under, &mut |this, k| {
            let own = k.coordinates();
            let count = this.last_element(k, &counts).scalar();
            let count = k.index(count);
            let before = this.read_leaf(k, &before, &own);
            let run = this.own_run(k, &seq);
            let part = this.run_part(k, &run);
            let (from, len) = match &fine {
                Some(fine) => {
                    let fine = this.read_leaf(k, fine, &own);
                    let len = k.op(Op::Select, &[fine, count, idx(0)]);
                    (k.op(Op::Select, &[fine, before, idx(0)]), len)
                }
                None => {
                    let from = k.op(Op::Min, &[before, part.len]);
                    let rest = k.op(Op::Sub, &[part.len, from]);
                    let count = k.op(Op::Max, &[count, idx(0)]);
                    (from, k.op(Op::Min, &[count, rest]))
                }
            };
            let start = k.op(Op::Add, &[part.start, from]);
            Point::Seq(Run::Part(Part { len, start, ..part }))
        });
        Val::seq(chain.len(), counts.shape, Place::Dense(elems))
    }

    /// Returns the number of points of the context as an operand.
    pub fn context_size(&mut self) -> HostAtom {
        let chain = self.scope.chain.clone();
        let size = self.size(&chain);
        axis_atom(self.f.canonical(size))
    }

    /// Returns the type of the elements of a sequence of scalars.
    pub fn element_scalar(&self, ty: Ty) -> ScalarType {
        let TypeShape::Seq(element) = self.shape_of(ty) else { unreachable!("a sequence is folded") };
        match self.shape_of(element) {
            TypeShape::Scalar(ty) => ty,
            _ => unreachable!("its elements are scalars"),
        }
    }
}
