//! Result buffers of a loop: instances finish in groups, and each writes its result once.
//!
//! The scalars of an instance have a place in an array over all instances. A sequence has its length and its start there; its elements are appended to a buffer
//! that all instances share. A full buffer grows to at least twice its capacity.
//!
//! ```text
//! results [3, 1], -, [5]     lengths 2 0 1     starts 0 0 2     used 3     buffer 3 1 5 - - -
//! ```

use super::Emitter;
use super::form::Sig;
use super::host::{array, axis_atom};
use super::kernel::KernelWriter;
use super::point::Point;
use super::val::{At, Base, Leaf, Place, Seq, Val};
use crate::fault::FaultCode;
use nestled_ir::build::FunctionBuilder;
use nestled_ir::{
    Atom, Axis, Collision, CombinatorKind, HostAtom, HostBlock, HostOp, Op, Range, Scalar, ScalarType, Type,
    ValueId,
};
use std::rc::Rc;

/// Result buffers for values of one type.
#[derive(Clone, Debug)]
pub(super) enum Store {
    /// An array.
    Scalar(ScalarType, HostAtom),
    Tuple(Vec<Store>),
    Seq {
        lengths: HostAtom,
        starts: HostAtom,
        /// Number of elements used.
        used: HostAtom,
        /// Capacity in elements.
        room: Axis,
        buffer: Box<Store>,
    },
}

/// The places to which values are written.
pub(super) enum Places<'v> {
    /// Each value has a place of its own.
    Each(&'v Leaf),
    /// Values are consecutive, from this place.
    From(HostAtom),
}

impl Store {
    /// Appends the parts, a shape before the arrays over it.
    pub fn parts(&self, parts: &mut Vec<HostAtom>) {
        match self {
            Store::Scalar(_, atom) => parts.push(*atom),
            Store::Tuple(stores) => stores.iter().for_each(|store| store.parts(parts)),
            Store::Seq { lengths, starts, used, room, buffer } => {
                parts.extend([*lengths, *starts, *used, axis_atom(*room)]);
                buffer.parts(parts);
            }
        }
    }

    /// Rebuilds a store from its parts.
    pub fn from_parts(sig: &Sig, parts: &mut dyn Iterator<Item = ValueId>) -> Store {
        match sig {
            Sig::Tuple(sigs) => Store::Tuple(sigs.iter().map(|sig| Store::from_parts(sig, parts)).collect()),
            Sig::Scalar { ty, .. } => Store::Scalar(*ty, HostAtom::Value(next(parts))),
            Sig::Seq { elem, .. } => {
                let [lengths, starts, used] = [next(parts), next(parts), next(parts)].map(HostAtom::Value);
                let room = Axis::Sym(next(parts));
                Store::Seq { lengths, starts, used, room, buffer: Box::new(Store::from_parts(elem, parts)) }
            }
        }
    }

    /// Collects the arrays over the store's own places.
    fn columns(&self, found: &mut Vec<HostAtom>) {
        match self {
            Store::Scalar(_, atom) => found.push(*atom),
            Store::Tuple(stores) => stores.iter().for_each(|store| store.columns(found)),
            Store::Seq { lengths, starts, .. } => found.extend([*lengths, *starts]),
        }
    }

    /// Returns the same store with other arrays.
    fn with_columns(&self, columns: &mut dyn Iterator<Item = ValueId>) -> Store {
        match self {
            Store::Scalar(ty, _) => Store::Scalar(*ty, HostAtom::Value(next(columns))),
            Store::Tuple(stores) => {
                Store::Tuple(stores.iter().map(|store| store.with_columns(columns)).collect())
            }
            Store::Seq { used, room, buffer, .. } => {
                let [lengths, starts] = [next(columns), next(columns)].map(HostAtom::Value);
                Store::Seq { lengths, starts, used: *used, room: *room, buffer: buffer.clone() }
            }
        }
    }
}

fn next(parts: &mut dyn Iterator<Item = ValueId>) -> ValueId {
    parts.next().expect("parts for each store")
}

/// Declares the parts of a store for values of this layout, with places for all points of an axis.
pub(super) fn declare(f: &mut FunctionBuilder, sig: &Sig, all: Axis, parts: &mut Vec<ValueId>) {
    match sig {
        Sig::Scalar { ty, .. } => parts.push(f.value("", Type::dense(*ty, super::host::level_shape(&[all])))),
        Sig::Tuple(sigs) => sigs.iter().for_each(|sig| declare(f, sig, all, parts)),
        Sig::Seq { elem, .. } => {
            let positions = super::host::idx_array(&[all]);
            parts.push(f.value("", positions.clone()));
            parts.push(f.value("", positions));
            parts.push(f.value("used", Type::scalar(ScalarType::Idx)));
            let room = f.value("room", Type::Dim);
            parts.push(room);
            declare(f, elem, Axis::Sym(room), parts);
        }
    }
}

impl Emitter<'_> {
    /// Makes an empty store, with places for all points of an axis.
    pub fn new_store(&mut self, sig: &Sig, all: Axis) -> Store {
        match sig {
            Sig::Scalar { ty, .. } => Store::Scalar(*ty, self.zeros_over(all, *ty)),
            Sig::Tuple(sigs) => Store::Tuple(sigs.iter().map(|sig| self.new_store(sig, all)).collect()),
            Sig::Seq { elem, .. } => {
                let none = self.zeros_over(all, ScalarType::Idx);
                let used = HostAtom::Const(Scalar::Idx(0));
                let (extent, site) =
                    (axis_atom(self.f.canonical(all)), self.site(FaultCode::Limit, self.origin.span));
                let room = Axis::Sym(self.emit_one("room", HostOp::Dim { extent, site }));
                let buffer = Box::new(self.new_store(elem, room));
                Store::Seq { lengths: none, starts: none, used, room, buffer }
            }
        }
    }

    fn zeros_over(&mut self, axis: Axis, ty: ScalarType) -> HostAtom {
        let zero = Point::Scalar(Atom::Const(Scalar::zero(ty)));
        let zeros = self.tabulate("room", &[axis], &mut |_, _| zero.clone());
        self.resolve(zeros.leaf())
    }

    /// Stores the results of some instances, the points of an axis; `places` has their numbers among all instances.
    pub fn store(&mut self, store: &Store, all: Axis, val: &Val, axis: Axis, places: &Leaf) -> Store {
        let val = self.solid(val, &[axis]);
        self.write(store, all, &val, axis, &Places::Each(places))
    }

    pub fn write(&mut self, store: &Store, all: Axis, val: &Val, axis: Axis, places: &Places<'_>) -> Store {
        let mut columns = Vec::new();
        store.columns(&mut columns);
        let mut k = self.kernel("store", &[axis]);
        let own = k.coordinates();
        let at = match places {
            Places::Each(places) => self.read_leaf(&mut k, places, &own),
            Places::From(start) => {
                let start = k.scalar(&self.f, *start);
                k.op(Op::Add, &[start, own[0]])
            }
        };
        let mut results = vec![at];
        self.cells(&mut k, store, val, &mut results);
        let bases = columns.iter().map(|column| k.param(&self.f, array(*column))).collect();
        let dest = self.dest(&mut k, all);
        let base = nestled_ir::Base::Arrays(bases);
        let (range, collision) = (Range::Proved, Collision::Proved);
        let binds = k.end(CombinatorKind::Permute { dest, base, range, collision }, None, results);
        let made = self.run(k, binds);
        let store = store.with_columns(&mut made.into_iter());
        self.lay_behind(&store, val, axis)
    }

    /// Collects the scalars that a point writes into each column.
    fn cells(&mut self, k: &mut KernelWriter, store: &Store, val: &Val, results: &mut Vec<Atom>) {
        let own = k.coordinates();
        match (store, val) {
            (Store::Scalar(..), Val::Scalar(leaf)) => results.push(self.read_leaf(k, leaf, &own)),
            (Store::Tuple(stores), Val::Tuple(parts)) => {
                stores.iter().zip(parts.iter()).for_each(|(store, part)| self.cells(k, store, part, results));
            }
            (Store::Seq { used, .. }, Val::Seq(seq)) => {
                let start = k.start(&self.f, seq.shape, &own);
                let used = k.scalar(&self.f, *used);
                results.push(k.len(&self.f, seq.shape, &own));
                results.push(k.op(Op::Add, &[used, start]));
            }
            _ => unreachable!("the store is for values of another type"),
        }
    }

    /// Appends the elements of sequences to the buffers.
    fn lay_behind(&mut self, store: &Store, val: &Val, axis: Axis) -> Store {
        match (store, val) {
            (Store::Tuple(stores), Val::Tuple(parts)) => {
                let parts = stores.iter().zip(parts.iter());
                Store::Tuple(parts.map(|(store, part)| self.lay_behind(store, part, axis)).collect())
            }
            (Store::Seq { lengths, starts, used, room, buffer }, Val::Seq(seq)) => {
                let Place::Dense(elems) = &seq.place else { unreachable!("it was made dense") };
                let from = [axis, seq.shape];
                let count = self.size(&from);
                let elems = self.reseat(elems, &from, &[count]);
                let new = self.host_op(Op::Add, vec![*used, axis_atom(count)]);
                let (room, buffer) = self.grown(buffer, *room, *used, new);
                let buffer = self.write(&buffer, room, &elems, count, &Places::From(*used));
                Store::Seq { lengths: *lengths, starts: *starts, used: new, room, buffer: Box::new(buffer) }
            }
            _ => store.clone(),
        }
    }

    /// Returns a buffer with capacity for a number of elements; it grows if necessary.
    pub fn grown(&mut self, buffer: &Store, room: Axis, used: HostAtom, wanted: HostAtom) -> (Axis, Store) {
        let mut columns = Vec::new();
        buffer.columns(&mut columns);
        let full = self.host_op(Op::Gt, vec![wanted, axis_atom(room)]);
        let outer = self.open();
        let twice = self.host_op(Op::Mul, vec![axis_atom(room), HostAtom::Const(Scalar::Idx(2))]);
        let more = self.host_op(Op::Max, vec![twice, wanted]);
        let site = self.site(FaultCode::Limit, self.origin.span);
        let more = self.emit_one("room", HostOp::Dim { extent: more, site });
        let mut k = self.kernel("grown", &[Axis::Sym(more)]);
        let at = k.coordinates()[0];
        let used = k.scalar(&self.f, used);
        let is_old = k.op(Op::Lt, &[at, used]);
        k.open();
        let old: Vec<Atom> = columns.iter().map(|column| k.read(&self.f, array(*column), &[at])).collect();
        let zeros = old.iter().map(|atom| Atom::Const(Scalar::zero(k.ty(*atom)))).collect();
        let then = k.close(old);
        k.open();
        let otherwise = k.close(zeros);
        let results = k.branch(is_old, then, otherwise);
        let binds = k.end_map(results);
        let made = self.run(k, binds);
        let results = [more].into_iter().chain(made).map(HostAtom::Value).collect();
        let then = self.close(outer, results);
        let results = [axis_atom(room)].into_iter().chain(columns.iter().copied()).collect();
        let otherwise = HostBlock { stmts: Vec::new(), results };
        let binds = self.emit("", HostOp::If { cond: full, then, otherwise }, columns.len() + 1);
        (Axis::Sym(binds[0]), buffer.with_columns(&mut binds[1..].iter().copied()))
    }

    /// Returns the values of all points.
    pub fn stored(&mut self, store: &Store) -> Val {
        match store {
            Store::Scalar(ty, atom) => Val::host(1, *ty, *atom),
            Store::Tuple(stores) => Val::tuple(stores.iter().map(|store| self.stored(store)).collect()),
            Store::Seq { lengths, starts, room, buffer, .. } => {
                let shape = self.segments(*lengths, FaultCode::Limit);
                let starts = Leaf { level: 1, ty: ScalarType::Idx, at: At::Host(*starts) };
                let base = Rc::new(Base { extent: *room, elems: self.stored(buffer) });
                Val::Seq(Rc::new(Seq { level: 1, shape, place: Place::View { starts, base } }))
            }
        }
    }
}
