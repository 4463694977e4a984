//! Pools: the contents of the values of recursive datatypes, for the whole program.
//!
//! A pool is of level 0, whatever the context, and so is never replicated. In a context the contents of all points are appended at once, in the order of the
//! points; the position of each is the number of contents before, and the number of the point. Pools are a state that is passed along: functions that use some
//! take them, and functions that append give them back; so do the blocks of host code in which that happens. Whoever has a link may read it in any later state.
//!
//! A pool has room for more: a full one grows to at least twice its capacity (`store.rs`). So appending takes the work of what is appended, where nobody reads
//! the older state any more.
//!
//! ```text
//! { cons(x, nil) : x in [7, 8] }     pool of cons  …, (7, nil), (8, nil), -, -, -     links n, n + 1
//! ```

use super::form::Sig;
use super::host::{array, axis_atom};
use super::kernel::KernelWriter;
use super::point::{Part, Point, Run, idx};
use super::store::{Places, Store};
use super::val::{At, Base, Leaf, Place, Val};
use super::{Emitter, Result, TypeShape};
use crate::core::{DataOp, Ty};
use crate::fault::FaultCode;
use nestled_ir::{Atom, Axis, HostAtom, HostOp, Op, Scalar, ScalarType, ValueId};
use std::rc::Rc;

/// A pool, or the elements of the sequences in one.
struct Pool {
    /// Number of contents.
    used: HostAtom,
    /// Capacity.
    room: Axis,
    store: Store,
}

/// The arrays of a pool, as code reads them.
enum Reader {
    Scalar(HostAtom),
    Tuple(Vec<Reader>),
    Seq { lengths: HostAtom, starts: HostAtom, base: Rc<Base> },
}

impl Pool {
    /// Returns the pool as a value: the number of contents, the scalars in the room, and the pools of the elements of sequences.
    fn val(&self) -> Val {
        let mut inner = Vec::new();
        let columns = columns(&self.store, &mut inner);
        let room = Val::seq(0, self.room, Place::Dense(columns));
        Val::tuple(vec![Val::host(0, ScalarType::Idx, self.used), room, Val::tuple(inner)])
    }
}

fn columns(store: &Store, inner: &mut Vec<Val>) -> Val {
    match store {
        Store::Scalar(ty, atom) => Val::host(1, *ty, *atom),
        Store::Tuple(stores) => Val::tuple(stores.iter().map(|store| columns(store, inner)).collect()),
        Store::Seq { lengths, starts, used, room, buffer } => {
            inner.push(Pool { used: *used, room: *room, store: Store::clone(buffer) }.val());
            let place = |atom: &HostAtom| Val::host(1, ScalarType::Idx, *atom);
            Val::tuple(vec![place(lengths), place(starts)])
        }
    }
}

impl Emitter<'_> {
    /// Declares the pools that the program is given; adds their parts.
    pub fn given_pools(&mut self, parts: &mut Vec<ValueId>) -> Vec<Val> {
        let pools = &self.source.core.pools;
        let mut given = Vec::new();
        for &element in pools.elements.iter().filter(|_| pools.given) {
            let sig = self.sig_of_rows(element);
            let mut own = Vec::new();
            super::form::declare(&mut self.f, &sig, &[], &mut own);
            given.push(self.unpack(&sig, &[], &mut own.iter().copied()));
            parts.extend(own);
        }
        given
    }

    /// Returns the pools with which the program begins.
    pub fn first_pools(&mut self, given: &[Val]) -> Option<Val> {
        let pools = &self.source.core.pools;
        let mut vals = Vec::new();
        for (at, &element) in pools.elements.iter().enumerate() {
            let pool = match given.get(at).map(|given| Rc::clone(given.as_seq())) {
                Some(seq) => {
                    let elems = self.own_elements(&seq);
                    let store = self.filled(&elems);
                    Pool { used: self.number(seq.shape), room: seq.shape, store }
                }
                None => self.empty_pool(element),
            };
            vals.push(pool.val());
        }
        (!vals.is_empty()).then(|| Val::tuple(vals))
    }

    /// Returns an extent as a number, which is no shape where it is passed along.
    fn number(&mut self, axis: Axis) -> HostAtom {
        self.host_op(Op::Add, vec![axis_atom(axis), HostAtom::Const(Scalar::Idx(0))])
    }

    fn empty_pool(&mut self, element: Ty) -> Pool {
        let (used, site) = (HostAtom::Const(Scalar::Idx(0)), self.site(FaultCode::Limit, self.origin.span));
        let room = Axis::Sym(self.emit_one("room", HostOp::Dim { extent: used, site }));
        let store = self.new_store(&self.sig_of_type(element, 1), room);
        Pool { used, room, store }
    }

    /// Returns the store that has values of level 1, and no room for more.
    fn filled(&mut self, elems: &Val) -> Store {
        match elems {
            Val::Scalar(leaf) => Store::Scalar(leaf.ty, self.resolve(leaf)),
            Val::Tuple(parts) => Store::Tuple(parts.iter().map(|part| self.filled(part)).collect()),
            Val::Seq(seq) => {
                let Axis::Sym(seg) = seq.shape else { unreachable!("a segmentation") };
                let lengths = HostAtom::Value(self.emit_one("lengths", HostOp::Lengths { seg }));
                let (starts, base) = match &seq.place {
                    Place::View { starts, base } => (self.resolve(starts), Rc::clone(base)),
                    Place::Dense(_) => {
                        let starts = HostAtom::Value(self.emit_one("starts", HostOp::Starts { seg }));
                        (starts, self.flat_base(seq))
                    }
                };
                let (used, room) = (self.number(base.extent), base.extent);
                let buffer = Box::new(self.filled(&base.elems));
                Store::Seq { lengths, starts, used, room, buffer }
            }
        }
    }

    fn sig_of_rows(&self, element: Ty) -> Sig {
        Sig::Seq { level: 0, view: false, elem: Box::new(self.sig_of_type(element, 1)) }
    }

    fn sig_of_pool(&self, element: Ty) -> Sig {
        let mut inner = Vec::new();
        let columns = self.sig_of_columns(element, &mut inner);
        let room = Sig::Seq { level: 0, view: false, elem: Box::new(columns) };
        Sig::Tuple(vec![Sig::Scalar { level: 0, ty: ScalarType::Idx }, room, Sig::Tuple(inner)])
    }

    fn sig_of_columns(&self, ty: Ty, inner: &mut Vec<Sig>) -> Sig {
        match self.shape_of(ty) {
            TypeShape::Scalar(ty) => Sig::Scalar { level: 1, ty },
            TypeShape::Tuple(parts) => {
                Sig::Tuple(parts.into_iter().map(|part| self.sig_of_columns(part, inner)).collect())
            }
            TypeShape::Seq(element) => {
                inner.push(self.sig_of_pool(element));
                let place = || Sig::Scalar { level: 1, ty: ScalarType::Idx };
                Sig::Tuple(vec![place(), place()])
            }
        }
    }

    /// Returns the layout of all pools.
    pub fn sig_of_pools(&self) -> Sig {
        let elements = self.source.core.pools.elements.iter();
        Sig::Tuple(elements.map(|element| self.sig_of_pool(*element)).collect())
    }

    /// Returns the layout of the program's value, with the contents of the pools if they are wanted.
    pub fn sig_of_main(&self, result: Ty) -> Sig {
        let result = self.sig_of_type(result, 0);
        let pools = &self.source.core.pools;
        let rows = pools.elements.iter().map(|element| self.sig_of_rows(*element));
        match pools.wanted {
            true => Sig::Tuple(vec![result, Sig::Tuple(rows.collect())]),
            false => result,
        }
    }

    /// Pairs the program's value with the contents of the pools, if they are wanted.
    pub fn with_wanted_pools(&mut self, val: Val) -> Val {
        let pools = &self.source.core.pools;
        if !pools.wanted {
            return val;
        }
        let rows = (0..pools.elements.len()).map(|pool| self.rows(pool)).collect();
        Val::tuple(vec![val, Val::tuple(rows)])
    }

    /// Returns the contents of a pool as a sequence.
    fn rows(&mut self, pool: usize) -> Val {
        let pool = self.pool(pool);
        let axis = self.dim(pool.used, FaultCode::Limit);
        let reader = self.reader(&pool.store);
        let elems = self.tabulate("nodes", &[axis], &mut |this, k| {
            let at = k.coordinates()[0];
            this.content(k, &reader, at)
        });
        Val::seq(0, axis, Place::Dense(elems))
    }

    /// Pairs a value with the pools, if the code that made it may have appended to them.
    pub fn with_pools(&self, val: Val, keeps: bool) -> Val {
        match &self.scope.pools {
            Some(pools) if keeps => Val::tuple(vec![val, pools.clone()]),
            _ => val,
        }
    }

    /// Takes the pools off a pair made by `with_pools`, and goes on from them.
    pub fn take_pools(&mut self, val: Val, keeps: bool) -> Val {
        if self.scope.pools.is_none() || !keeps {
            return val;
        }
        self.scope.pools = Some(val.part(1).clone());
        val.part(0).clone()
    }

    /// Writes an operation on a pool.
    pub fn pool_operation(&mut self, op: DataOp, arg: &Val) -> Result<Val> {
        match op {
            DataOp::Keep(pool) => self.keep(pool, arg),
            DataOp::Fetch(pool) => Ok(self.fetch(pool, arg.leaf())),
            DataOp::Construct(_) | DataOp::Tag | DataOp::Content(_) => {
                unreachable!("datatypes were translated")
            }
        }
    }

    fn pool(&mut self, pool: usize) -> Pool {
        let val = self.scope.pools.as_ref().expect("code that uses pools has them").part(pool).clone();
        let element = self.source.core.pools.elements[pool];
        self.pool_of(&val, element)
    }

    fn pool_of(&mut self, val: &Val, element: Ty) -> Pool {
        let used = self.resolve(val.part(0).leaf());
        let seq = Rc::clone(val.part(1).as_seq());
        let Place::Dense(columns) = &seq.place else { unreachable!("the room is an array") };
        let Val::Tuple(inner) = val.part(2) else { unreachable!("pools are a tuple") };
        let store = self.store_of(element, columns, &mut inner.iter());
        Pool { used, room: seq.shape, store }
    }

    fn store_of(&mut self, ty: Ty, columns: &Val, inner: &mut dyn Iterator<Item = &Val>) -> Store {
        match self.shape_of(ty) {
            TypeShape::Scalar(ty) => Store::Scalar(ty, self.resolve(columns.leaf())),
            TypeShape::Tuple(parts) => {
                let parts = parts.into_iter().enumerate();
                Store::Tuple(parts.map(|(at, part)| self.store_of(part, columns.part(at), inner)).collect())
            }
            TypeShape::Seq(element) => {
                let [lengths, starts] = [0, 1].map(|at| self.resolve(columns.part(at).leaf()));
                let own = inner.next().expect("a pool for the elements of each sequence");
                let Pool { used, room, store } = self.pool_of(own, element);
                Store::Seq { lengths, starts, used, room, buffer: Box::new(store) }
            }
        }
    }

    /// Appends contents to a pool, one for each point of their level; returns their positions.
    fn keep(&mut self, pool: usize, content: &Val) -> Result<Val> {
        let element = self.source.core.pools.elements[pool];
        let old = self.pool(pool);
        let chain = self.scope.chain[..content.level()].to_vec();
        let (axis, new) = self.in_context(chain.clone(), |this| this.contents(content, element, &chain))?;
        let positions = self.positions_from(old.used, &chain);
        let longer = self.in_context(Vec::new(), |this| this.longer(&old, &new, axis));
        let Some(Val::Tuple(pools)) = &self.scope.pools else { unreachable!("pools are a tuple") };
        let mut pools = pools.to_vec();
        pools[pool] = longer.val();
        self.scope.pools = Some(Val::tuple(pools));
        Ok(positions)
    }

    /// Returns the pool with more contents, the points of an axis.
    fn longer(&mut self, old: &Pool, new: &Val, axis: Axis) -> Pool {
        let new = self.solid(new, &[axis]);
        let used = self.host_op(Op::Add, vec![old.used, axis_atom(self.f.canonical(axis))]);
        let (room, store) = self.grown(&old.store, old.room, old.used, used);
        let store = self.write(&store, room, &new, axis, &Places::From(old.used));
        Pool { used, room, store }
    }

    /// Returns the contents of all points of the context over one axis.
    fn contents(&mut self, content: &Val, element: Ty, chain: &[Axis]) -> Result<(Axis, Val)> {
        if chain.is_empty() {
            let one = self.literal_sequence(std::slice::from_ref(content), element)?;
            let seq = Rc::clone(one.as_seq());
            return Ok((seq.shape, self.own_elements(&seq)));
        }
        self.resolve_all(&[content], chain.len());
        let here = self.raise(content, chain);
        let size = self.size(chain);
        Ok((size, self.reseat(&here, chain, &[size])))
    }

    /// Numbers the points of a chain, from a position on.
    fn positions_from(&mut self, first: HostAtom, chain: &[Axis]) -> Val {
        let int = self.int();
        let flat: Vec<Axis> = if chain.is_empty() { Vec::new() } else { vec![self.size(chain)] };
        let positions = self.tabulate("links", &flat, &mut |this, k| {
            let first = k.scalar(&this.f, first);
            let own = k.coordinates().first().copied().unwrap_or(idx(0));
            let at = k.op(Op::Add, &[first, own]);
            Point::Scalar(k.convert(at, int))
        });
        if chain.len() > 1 { self.reseat(&positions, &flat, chain) } else { positions }
    }

    /// Reads contents at positions of a pool.
    fn fetch(&mut self, pool: usize, at: &Leaf) -> Val {
        let at = Leaf { at: At::Host(self.resolve(at)), ..at.clone() };
        let chain = self.scope.chain[..at.level].to_vec();
        // What lies further outside is read at all of its points, also at those where the condition around does not hold: there it may be no link of this pool.
        let is_sure = at.level == self.scope.chain.len();
        let pool = self.pool(pool);
        let reader = self.reader(&pool.store);
        self.tabulate("fetched", &chain, &mut |this, k| {
            let own = k.coordinates();
            let at = this.read_leaf(k, &at, &own);
            let at = k.convert(at, ScalarType::Idx);
            match is_sure {
                true => this.content(k, &reader, at),
                false => k.nearest(|k| this.content(k, &reader, at)),
            }
        })
    }

    fn reader(&mut self, store: &Store) -> Reader {
        match store {
            Store::Scalar(_, atom) => Reader::Scalar(*atom),
            Store::Tuple(stores) => Reader::Tuple(stores.iter().map(|store| self.reader(store)).collect()),
            Store::Seq { lengths, starts, room, buffer, .. } => {
                let base = Rc::new(Base { extent: *room, elems: self.stored(buffer) });
                Reader::Seq { lengths: *lengths, starts: *starts, base }
            }
        }
    }

    /// Reads the content at a position.
    fn content(&mut self, k: &mut KernelWriter, reader: &Reader, at: Atom) -> Point {
        match reader {
            Reader::Scalar(atom) => Point::Scalar(k.read(&self.f, array(*atom), &[at])),
            Reader::Tuple(parts) => {
                Point::Tuple(parts.iter().map(|part| self.content(k, part, at)).collect())
            }
            Reader::Seq { lengths, starts, base } => {
                let len = k.read(&self.f, array(*lengths), &[at]);
                let start = k.read(&self.f, array(*starts), &[at]);
                Point::Seq(Run::Part(Part { len, start, which: None, bases: vec![Rc::clone(base)] }))
            }
        }
    }
}
