//! Divergent conditionals: packing the context for each branch, and merging the results.
//!
//! A uniform condition is an `if` of host code. Otherwise the last axis of the context is packed twice: each branch runs on its own points, and a kernel takes
//! every result from the branch that has it, at its rank among the points of that branch. A branch that acts on the world is skipped when it has no points. So
//! is a call of a recursive function, which might not terminate.

use super::form::{Sig, is_shape};
use super::free::free_in;
use super::host::axis_atom;
use super::plan::Effects;
use super::point::idx;
use super::val::{At, Base, Leaf, Place, Val};
use super::walk::Frame;
use super::{Emitter, Result};
use crate::core::{Block, Local, Ty};
use nestled_ir::build::SuspendedBlock;
use nestled_ir::{
    Atom, Axis, CombinatorKind, Direction, HostAtom, HostOp, Inclusion, Level, Monoid, MonoidOp, Op, Scalar,
    ScalarType,
};
use std::rc::Rc;

/// The values that a branch needs from the context around it, packed.
pub(super) struct Packed {
    locals: Vec<(Local, Val)>,
    random: Option<Val>,
    /// The instance that each point is, where the caller asked for that.
    pub places: Option<Val>,
}

impl<'a> Emitter<'a> {
    /// Writes a conditional: an `if` of host code if the condition is uniform, else both branches on packed contexts.
    pub fn conditional(
        &mut self,
        frame: &mut Frame<'a>,
        cond: Leaf,
        blocks: [&'a Block; 2],
        effects: [Effects; 2],
        ty: Ty,
    ) -> Result<Val> {
        // What comes before must have faulted before.
        if cond.level == 0 || effects.iter().any(|effects| effects.wanted) {
            self.settle_all();
        }
        if cond.level > 0 {
            return self.lifted_conditional(frame, &cond, blocks, effects, ty);
        }
        let [yes, no] = blocks;
        let cond = self.resolve(&cond);
        if let HostAtom::Const(Scalar::Bool(known)) = cond {
            return self.block(frame, if known { yes } else { no });
        }
        let outer = self.open();
        let keeps = effects.iter().any(|effects| effects.keeps);
        let (random, pools) = (self.scope.random.clone(), self.scope.pools.clone());
        let first = self.block(frame, yes)?;
        let first = self.with_random(first);
        let first = self.with_pools(first, keeps);
        let first = self.settled(&first);
        let then = self.suspend(outer);
        (self.scope.random, self.scope.pools) = (random.clone(), pools.clone());
        let outer = self.open();
        let second = self.block(frame, no)?;
        let second = self.with_random(second);
        let second = self.with_pools(second, keeps);
        let second = self.settled(&second);
        let otherwise = self.suspend(outer);
        (self.scope.random, self.scope.pools) = (random, pools);
        let joined = self.join_blocks(cond, (then, &first), (otherwise, &second));
        let joined = self.take_pools(joined, keeps);
        Ok(self.take_random(joined))
    }

    /// Joins two suspended blocks into an `if` of host code and returns its value.
    pub fn join_blocks(
        &mut self,
        cond: HostAtom,
        (then, first): (SuspendedBlock, &Val),
        (otherwise, second): (SuspendedBlock, &Val),
    ) -> Val {
        let sig = Sig::join(&self.sig(first), &self.sig(second));
        let (then, mut yes) = self.pack_side(then, first, &sig);
        let (otherwise, no) = self.pack_side(otherwise, second, &sig);
        let outer = self.resume(then);
        if self.is_one_where_others_differ(&yes, &no) {
            yes = self.pack_apart(first, &sig);
        }
        let then = self.close(outer, yes);
        let outer = self.resume(otherwise);
        let otherwise = self.close(outer, no);
        let count = then.results.len();
        let binds = self.emit("", HostOp::If { cond, then, otherwise }, count);
        self.unpack(&sig, &self.scope.chain.clone(), &mut binds.into_iter())
    }

    fn pack_side(&mut self, side: SuspendedBlock, val: &Val, sig: &Sig) -> (SuspendedBlock, Vec<HostAtom>) {
        let outer = self.resume(side);
        let chain = self.scope.chain.clone();
        let val = self.convert(val, sig, &chain);
        let mut results = Vec::new();
        self.pack(&val, sig, &mut results);
        (self.suspend(outer), results)
    }

    /// True if two results of the first branch are one shape, and those of the second are two. The types of an `if` are those of its first branch, so that
    /// the second would have to give arrays over the other shape.
    fn is_one_where_others_differ(&self, yes: &[HostAtom], no: &[HostAtom]) -> bool {
        let is_shape = |atom: &HostAtom| matches!(atom, HostAtom::Value(value) if is_shape(&self.f, *value));
        (0..yes.len()).filter(|&at| is_shape(&yes[at])).any(|at| {
            let first = yes[..at].iter().position(|other| *other == yes[at]);
            first.is_some_and(|first| no[first] != no[at])
        })
    }

    fn lifted_conditional(
        &mut self,
        frame: &mut Frame<'a>,
        cond: &Leaf,
        blocks: [&'a Block; 2],
        effects: [Effects; 2],
        ty: Ty,
    ) -> Result<Val> {
        let chain = self.scope.chain.clone();
        let level = chain.len();
        let mut packed = Vec::new();
        for (block, is_yes) in blocks.into_iter().zip([true, false]) {
            packed.push(Some(self.pack_context(frame, cond, is_yes, block, None)));
        }
        // Whoever calls comes last: what the other needed of its context need not wait for that.
        let recurs = effects.map(|effects| effects.wanted);
        let order = if recurs == [true, false] { [1, 0] } else { [0, 1] };
        let mut results = [None, None];
        for side in order {
            let (axis, packed) = packed[side].take().expect("each side is written once");
            let waits = !recurs[side] && recurs[1 - side];
            let mut context = chain.clone();
            context[level - 1] = axis;
            results[side] = Some(self.in_context(context, |this| {
                let val = if effects[side].acts {
                    this.guarded(frame, blocks[side], packed, effects[side].keeps, ty)?
                } else {
                    this.packed_block(frame, blocks[side], packed)?
                };
                Result::Ok(if waits { this.compact_views(&val) } else { val })
            })?);
        }
        let results = results.map(|result| result.expect("both sides were written"));
        // Where each point's result is: how many of its kind come before it.
        let rank = self.ranks(cond);
        let [yes, no] = [&results[0], &results[1]];
        let merged = self.tabulate("merged", &chain, &mut |this, k| {
            let own = k.coordinates();
            let flag = this.read_leaf(k, cond, &own);
            let rank = this.read_leaf(k, &rank, &own);
            let at = |place: Atom| {
                let mut coordinates = own.clone();
                coordinates[level - 1] = place;
                coordinates
            };
            this.branch_point(k, flag, &mut |this, k| this.read(k, yes, &at(rank)), &mut |this, k| {
                this.read(k, no, &at(rank))
            })
        });
        Ok(self.take_random(merged))
    }

    /// Copies views that cover less than a quarter of their base, so that the base can be freed.
    fn compact_views(&mut self, val: &Val) -> Val {
        let seq = match val {
            Val::Tuple(parts) => {
                return Val::tuple(parts.iter().map(|part| self.compact_views(part)).collect());
            }
            Val::Seq(seq) if seq.level == self.scope.chain.len() => seq,
            _ => return val.clone(),
        };
        let Place::View { starts, base } = &seq.place else { return val.clone() };
        let mut inner = self.scope.chain.clone();
        inner.push(seq.shape);
        let starts = self.ready(starts);
        let elems = self.settled(&base.elems);
        let old = Base { extent: base.extent, elems };
        let sig = self.sig(&old.elems).at(1);
        let count = self.size(&inner);
        let four = HostAtom::Const(Scalar::Idx(4));
        let covered = self.host_op(Op::Mul, vec![axis_atom(self.f.canonical(count)), four]);
        let total = axis_atom(self.f.canonical(old.extent));
        let cond = self.host_op(Op::Lt, vec![covered, total]);
        let side = |this: &mut Self, starts: HostAtom, base: &Base| {
            let extent = this.exact_shape(base.extent, &[]);
            let chain = [Axis::Sym(extent)];
            let mut results = vec![starts, HostAtom::Value(extent)];
            let elems = this.convert(&base.elems, &sig, &chain);
            this.pack_under(&elems, &sig, &chain, &mut results);
            results
        };
        let outer = self.open();
        let copied = self.tabulate("copied", &inner, &mut |this, k| this.last_element(k, seq));
        let elems = self.reseat(&copied, &inner, &[count]);
        let Axis::Sym(shape) = seq.shape else { unreachable!("a segmentation") };
        let own = HostAtom::Value(self.emit_one("starts", HostOp::Starts { seg: shape }));
        let results = side(self, own, &Base { extent: count, elems });
        let then = self.close(outer, results);
        let outer = self.open();
        let results = {
            let starts = self.resolve(&starts);
            side(self, starts, &old)
        };
        let otherwise = self.close(outer, results);
        let binds = self.emit("", HostOp::If { cond, then: then.clone(), otherwise }, then.results.len());
        let extent = Axis::Sym(binds[1]);
        let elems = self.unpack(&sig, &[extent], &mut binds[2..].iter().copied());
        let starts = Leaf { at: At::Host(HostAtom::Value(binds[0])), ..starts };
        Val::seq(seq.level, seq.shape, Place::View { starts, base: Rc::new(Base { extent, elems }) })
    }

    /// Computes the rank of each point: the number of points before it, in its segment, with the same condition.
    fn ranks(&mut self, cond: &Leaf) -> Leaf {
        let chain = self.scope.chain.clone();
        let level = chain.len();
        let mut k = self.kernel("ranks", &chain);
        let own = k.coordinates();
        let flag = self.read_leaf(&mut k, cond, &own);
        let one = k.op(Op::Select, &[flag, idx(1), idx(0)]);
        let kind = CombinatorKind::Scan {
            within: Level(level - 1),
            monoid: Monoid::op(MonoidOp::Add),
            inclusion: Inclusion::Exclusive,
            direction: Direction::Forward,
        };
        let before = k.end(kind, None, vec![one])[0];
        k.begin(level);
        let own = k.coordinates();
        let flag = self.read_leaf(&mut k, cond, &own);
        let before = k.own(before);
        let others = k.op(Op::Sub, &[own[level - 1], before]);
        let rank = k.op(Op::Select, &[flag, before, others]);
        let binds = k.end_map(vec![rank]);
        let made = self.run(k, binds);
        Leaf { level, ty: ScalarType::Idx, at: At::Host(HostAtom::Value(made[0])) }
    }

    /// Packs the context for a branch; returns the new axis and the values that the branch needs.
    pub fn pack_context(
        &mut self,
        frame: &Frame<'a>,
        cond: &Leaf,
        is_yes: bool,
        block: &'a Block,
        places: Option<&Val>,
    ) -> (Axis, Packed) {
        let level = self.scope.chain.len();
        let mut locals = free_in(block);
        locals.retain(|local| frame.env[local].level() == level);
        let mut vals: Vec<Val> = locals.iter().map(|local| frame.env[local].clone()).collect();
        let random = self.scope.random.clone().filter(|random| random.level() == level);
        vals.extend(random.clone());
        vals.extend(places.cloned());
        self.resolve_all(&vals.iter().collect::<Vec<_>>(), level);
        let chain = self.scope.chain.clone();
        let tuple = Val::tuple(vals);
        let (axis, packed) = self.filter(
            "branch",
            &chain,
            &mut |this, k| {
                let own = k.coordinates();
                let flag = this.read_leaf(k, cond, &own);
                if is_yes { flag } else { k.op(Op::Not, &[flag]) }
            },
            &mut |this, k| {
                let own = k.coordinates();
                this.read(k, &tuple, &own)
            },
        );
        let Val::Tuple(packed) = packed else { unreachable!("a tuple was packed") };
        let mut packed = packed.iter().cloned();
        let mut next = || packed.next().expect("what was packed is there again");
        let locals = locals.into_iter().map(|local| (local, next())).collect();
        let random = random.map(|_| next());
        (axis, Packed { locals, random, places: places.map(|_| next()) })
    }

    /// Writes a branch, in which names have their packed values.
    pub fn in_branch<T>(
        &mut self,
        frame: &mut Frame<'a>,
        packed: Packed,
        write: impl FnOnce(&mut Self, &mut Frame<'a>) -> T,
    ) -> T {
        let random = self.scope.random.clone();
        if packed.random.is_some() {
            self.scope.random = packed.random;
        }
        let locals = packed.locals.into_iter();
        let replaced = locals.map(|(local, val)| {
            let val = frame.env.insert(local, val).expect("it had a value");
            (local, val)
        });
        let replaced: Vec<(Local, Val)> = replaced.collect();
        let outer = self.delayed.begin_branch();
        let written = write(self, frame);
        self.delayed.end_branch(outer);
        frame.env.extend(replaced);
        self.scope.random = random;
        written
    }

    fn packed_block(&mut self, frame: &mut Frame<'a>, block: &'a Block, packed: Packed) -> Result<Val> {
        let result = self.in_branch(frame, packed, |this, frame| {
            let result = this.block(frame, block)?;
            Result::Ok(this.with_random(result))
        })?;
        self.resolve_all(&[&result], self.scope.chain.len());
        Ok(result)
    }

    /// Writes a branch that acts on the world: a host `if` skips it when the context has no points.
    fn guarded(
        &mut self,
        frame: &mut Frame<'a>,
        block: &'a Block,
        packed: Packed,
        keeps: bool,
        ty: Ty,
    ) -> Result<Val> {
        let chain = self.scope.chain.clone();
        let some = self.is_inhabited(&chain);
        let outer = self.open();
        let pools = self.scope.pools.clone();
        let val = self.packed_block(frame, block, packed)?;
        let val = self.with_pools(val, keeps);
        let val = self.settled(&val);
        let then = self.suspend(outer);
        self.scope.pools = pools;
        let outer = self.open();
        let none = self.zeros(ty, &chain);
        let none = match &self.scope.random {
            Some(_) => Val::tuple(vec![none, self.zero_random(&chain)]),
            None => none,
        };
        let none = self.with_pools(none, keeps);
        let otherwise = self.suspend(outer);
        let joined = self.join_blocks(some, (then, &val), (otherwise, &none));
        Ok(self.take_pools(joined, keeps))
    }

    /// Returns a condition of host code: true if a chain has any point.
    pub fn is_inhabited(&mut self, chain: &[Axis]) -> HostAtom {
        let size = self.size(chain);
        let size = self.f.canonical(size);
        self.host_op(Op::Gt, vec![axis_atom(size), HostAtom::Const(Scalar::Idx(0))])
    }

    /// Makes zeros over a chain.
    pub fn zeros(&mut self, ty: Ty, chain: &[Axis]) -> Val {
        let zero = self.zero_point(ty);
        self.tabulate("none", chain, &mut |_, _| zero.clone())
    }
}
