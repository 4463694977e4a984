//! Materialising values: a kernel computes the scalars of every point, and sequences are assembled from its results.
//!
//! A sequence at a point is a slice of a flat sequence, so it becomes a view and nothing is copied. Only slices of several flat sequences are copied together,
//! by a second kernel.

use super::Emitter;
use super::host::{axis_atom, level_shape};
use super::kernel::KernelWriter;
use super::point::{Alternative, Choice, Part, Point, Run};
use super::val::{At, Base, Leaf, Place, Val};
use crate::fault::FaultCode;
use nestled_ir::{Atom, Axis, CombinatorKind, HostAtom, HostOp, Level, Op, ScalarType, Shape, ValueId};
use std::rc::Rc;

/// The assembly of a value from the results of a kernel.
enum Materialise {
    Scalar(ScalarType),
    Tuple(Vec<Materialise>),
    Seq(Vec<Rc<Base>>),
    One(Vec<Alternative>),
}

impl Emitter<'_> {
    /// Begins a kernel over a chain of axes.
    pub fn kernel(&self, name: &str, chain: &[Axis]) -> KernelWriter {
        KernelWriter::new(name, &self.f, chain, self.origin.span)
    }

    /// Writes the statement that runs a complete kernel.
    pub fn run(&mut self, k: KernelWriter, ret: Vec<ValueId>) -> Vec<ValueId> {
        let names = vec![""; ret.len()];
        self.f.span = self.origin.span;
        self.f.run(&mut self.out.program, k.kernel, ret, &names)
    }

    /// Computes a value at each point of a chain.
    pub fn tabulate(
        &mut self,
        name: &str,
        chain: &[Axis],
        make: &mut dyn FnMut(&mut Self, &mut KernelWriter) -> Point,
    ) -> Val {
        let mut k = self.kernel(name, chain);
        let point = make(self, &mut k);
        let mut results = Vec::new();
        let plan = self.plan(&mut k, &point, &mut results);
        if results.is_empty() {
            return self.realize(&plan, chain, &mut std::iter::empty());
        }
        let binds = k.end_map(results);
        let made = self.run(k, binds);
        self.realize(&plan, chain, &mut made.into_iter().map(HostAtom::Value))
    }

    /// Filters a chain: returns the new last axis and a value over it. `keep` writes the condition, `make` the value.
    pub fn filter(
        &mut self,
        name: &str,
        chain: &[Axis],
        keep: &mut dyn FnMut(&mut Self, &mut KernelWriter) -> Atom,
        make: &mut dyn FnMut(&mut Self, &mut KernelWriter) -> Point,
    ) -> (Axis, Val) {
        let mut k = self.kernel(name, chain);
        let cond = keep(self, &mut k);
        let flags = k.end_map(vec![cond])[0];
        k.begin(chain.len());
        let point = make(self, &mut k);
        let mut results = Vec::new();
        let plan = self.plan(&mut k, &point, &mut results);
        let within = Level(chain.len() - 1);
        let binds = k.end(CombinatorKind::Filter { within }, Some(flags), results);
        let made = self.run(k, binds);
        let axis = Axis::Sym(made[0]);
        let mut kept = chain[..chain.len() - 1].to_vec();
        kept.push(axis);
        let val = self.realize(&plan, &kept, &mut made[1..].iter().copied().map(HostAtom::Value));
        (axis, val)
    }

    /// Appends the scalars of a point to the kernel's results, and returns the plan to assemble a value from them.
    fn plan(&mut self, k: &mut KernelWriter, point: &Point, results: &mut Vec<Atom>) -> Materialise {
        match point {
            Point::Scalar(atom) => {
                results.push(*atom);
                Materialise::Scalar(k.ty(*atom))
            }
            Point::Tuple(parts) => {
                Materialise::Tuple(parts.iter().map(|part| self.plan(k, part, results)).collect())
            }
            Point::Seq(Run::One(Choice { len, at, which, of })) if of.len() > 1 => {
                results.extend([*len, *at, *which]);
                Materialise::One(of.clone())
            }
            Point::Seq(run) => {
                let Part { len, start, which, bases } = self.run_part(k, run);
                results.extend([len, start]);
                results.extend(which);
                Materialise::Seq(bases)
            }
        }
    }

    fn realize(
        &mut self,
        plan: &Materialise,
        chain: &[Axis],
        results: &mut dyn Iterator<Item = HostAtom>,
    ) -> Val {
        let level = chain.len();
        match plan {
            Materialise::Scalar(ty) => {
                Val::host(level, *ty, results.next().expect("a result for each scalar"))
            }
            Materialise::Tuple(parts) => {
                Val::tuple(parts.iter().map(|part| self.realize(part, chain, results)).collect())
            }
            Materialise::Seq(bases) => {
                let mut next = || results.next().expect("results for each sequence");
                let (lengths, start) = (next(), next());
                let which = (bases.len() > 1).then(&mut next);
                let shape = match level {
                    0 => self.dim(lengths, FaultCode::Range),
                    _ => self.segments(lengths, FaultCode::Range),
                };
                let starts = Leaf { level, ty: ScalarType::Idx, at: At::Host(start) };
                let Some(which) = which else {
                    let base = Rc::clone(&bases[0]);
                    return Val::seq(level, shape, Place::View { starts, base });
                };
                let which = Leaf { level, ty: ScalarType::Idx, at: At::Host(which) };
                let bases = bases.clone();
                self.brought_together(chain, shape, &mut |this, k, own| {
                    let start = this.read_leaf(k, &starts, own);
                    let which = Some(this.read_leaf(k, &which, own));
                    Run::Part(Part { len: super::point::idx(0), start, which, bases: bases.clone() })
                })
            }
            Materialise::One(of) => {
                let mut next = || results.next().expect("results for each sequence");
                let (lengths, at, which) = (next(), next(), next());
                let shape = match level {
                    0 => self.dim(lengths, FaultCode::Range),
                    _ => self.segments(lengths, FaultCode::Range),
                };
                let [at, which] =
                    [at, which].map(|atom| Leaf { level, ty: ScalarType::Idx, at: At::Host(atom) });
                self.brought_together(chain, shape, &mut |this, k, own| {
                    let (at, which) = (this.read_leaf(k, &at, own), this.read_leaf(k, &which, own));
                    Run::One(Choice { len: super::point::idx(0), at, which, of: of.clone() })
                })
            }
        }
    }

    /// Copies sequences with elements in several places into one dense sequence.
    fn brought_together(
        &mut self,
        chain: &[Axis],
        shape: Axis,
        run: &mut dyn FnMut(&mut Self, &mut KernelWriter, &[Atom]) -> Run,
    ) -> Val {
        let mut inner = chain.to_vec();
        inner.push(shape);
        let elems = self.tabulate("joined", &inner, &mut |this, k| {
            let coordinates = k.coordinates();
            let run = run(this, k, &coordinates);
            this.element(k, &run, coordinates[chain.len()])
        });
        Val::seq(chain.len(), shape, Place::Dense(elems))
    }

    /// Broadcasts a value to all points of the chain; sequences become views.
    pub fn raise(&mut self, val: &Val, chain: &[Axis]) -> Val {
        self.tabulate("raised", chain, &mut |this, k| {
            let coordinates = k.coordinates();
            this.read(k, val, &coordinates)
        })
    }

    /// Returns the elements of a dense sequence as one flat sequence.
    pub fn flat_base(&mut self, seq: &super::val::Seq) -> Rc<Base> {
        let Place::Dense(elems) = &seq.place else { unreachable!("views have one") };
        if seq.level == 0 {
            return Rc::new(Base { extent: seq.shape, elems: elems.clone() });
        }
        let from = self.chain_of(seq);
        let extent = Axis::Sym(self.emit_one("size", HostOp::Size { shape: level_shape(&from) }));
        let elems = self.reseat(&elems.clone(), &from, &[extent]);
        Rc::new(Base { extent, elems })
    }

    /// Returns the axes over which the elements of a sequence lie: its shape and the parents of that.
    pub fn chain_of(&self, seq: &super::val::Seq) -> Vec<Axis> {
        // The axes of a segmentation are those of its parent, and itself.
        let mut chain = vec![seq.shape];
        let mut at = seq.shape;
        while let Axis::Sym(symbol) = at {
            let nestled_ir::Type::Seg(seg) = self.f.ty(symbol) else { break };
            at = seg.parent.axes[0];
            chain.insert(0, at);
        }
        chain
    }

    /// Moves a value from the last axis of one chain to the last axis of another with the same number of points. Axes shared at the beginning stay.
    pub fn reseat(&mut self, val: &Val, from: &[Axis], to: &[Axis]) -> Val {
        let shared = from.iter().zip(to).take_while(|(from, to)| from == to).count();
        if shared == from.len() && shared == to.len() {
            return val.clone();
        }
        match val {
            Val::Tuple(parts) => Val::tuple(parts.iter().map(|part| self.reseat(part, from, to)).collect()),
            Val::Scalar(leaf) => Val::Scalar(self.reseat_leaf(leaf, from, to, shared)),
            Val::Seq(seq) if seq.level <= shared => val.clone(),
            Val::Seq(seq) if seq.level < from.len() => {
                let raised = self.raise(val, from);
                self.reseat(&raised, from, to)
            }
            Val::Seq(seq) => {
                let Axis::Sym(shape) = self.f.canonical(seq.shape) else {
                    unreachable!("a sequence of a level has a segmentation")
                };
                let lengths = HostAtom::Value(self.emit_one("lengths", HostOp::Lengths { seg: shape }));
                let lengths = self.reshape(lengths, level_shape(to), FaultCode::Limit);
                let new = self.segments(lengths, FaultCode::Limit);
                let place = match &seq.place {
                    Place::View { starts, base } => Place::View {
                        starts: self.reseat_leaf(starts, from, to, shared),
                        base: Rc::clone(base),
                    },
                    Place::Dense(elems) => {
                        let (mut from, mut to) = (from.to_vec(), to.to_vec());
                        from.push(seq.shape);
                        to.push(new);
                        Place::Dense(self.reseat(elems, &from, &to))
                    }
                };
                Val::seq(to.len(), new, place)
            }
        }
    }

    fn reseat_leaf(&mut self, leaf: &Leaf, from: &[Axis], to: &[Axis], shared: usize) -> Leaf {
        if leaf.level <= shared && leaf.level < from.len().max(1) {
            return leaf.clone();
        }
        let leaf = match leaf.level {
            level if level < from.len() => self.raise(&Val::Scalar(leaf.clone()), from).leaf().clone(),
            _ => leaf.clone(),
        };
        let atom = self.resolve(&leaf);
        let at = At::Host(self.reshape(atom, level_shape(to), FaultCode::Limit));
        Leaf { level: to.len(), ty: leaf.ty, at }
    }

    /// Makes a value dense: each point has scalars of its own, and sequences lie one after another.
    pub fn solid(&mut self, val: &Val, chain: &[Axis]) -> Val {
        let level = chain.len();
        match val {
            Val::Tuple(parts) => Val::tuple(parts.iter().map(|part| self.solid(part, chain)).collect()),
            Val::Scalar(leaf) if leaf.level == level => {
                let atom = self.resolve(leaf);
                Val::host(level, leaf.ty, atom)
            }
            Val::Scalar(_) => self.raise(val, chain),
            Val::Seq(seq) => {
                let raised = if seq.level == level { val.clone() } else { self.raise(val, chain) };
                let seq = raised.as_seq();
                let shape = if level == 0 { seq.shape } else { self.widened(seq.shape) };
                let mut inner = chain.to_vec();
                inner.push(shape);
                let elems = match &seq.place {
                    Place::Dense(elems) => elems.clone(),
                    Place::View { .. } => self.tabulate("copied", &inner, &mut |this, k| {
                        let mut coordinates = k.coordinates();
                        let at = coordinates.pop().expect("elements have a position");
                        let run = Run::At { seq: Rc::clone(seq), coordinates };
                        this.element(k, &run, at)
                    }),
                };
                let elems = self.solid(&elems, &inner);
                Val::seq(level, shape, Place::Dense(elems))
            }
        }
    }

    /// Returns the number of elements of a sequence of level 0.
    pub fn host_len(&self, seq: &super::val::Seq) -> HostAtom {
        axis_atom(self.f.canonical(seq.shape))
    }

    /// Writes a range check of an index: not negative and less than the length.
    pub fn in_range(&mut self, k: &mut KernelWriter, at: Atom, len: Atom) -> Atom {
        let low = k.op(Op::Ge, &[at, super::point::idx(0)]);
        let high = k.op(Op::Lt, &[at, len]);
        k.op(Op::And, &[low, high])
    }

    /// Returns the shape of a level as the destination of a scatter.
    pub fn dest(&self, k: &mut KernelWriter, axis: Axis) -> Shape {
        k.shape(&self.f, &Shape::new([axis]))
    }
}
