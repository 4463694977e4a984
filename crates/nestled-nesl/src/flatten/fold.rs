//! Segmented scans and reductions, partition counts, ranks and sorting.

use super::Emitter;
use super::host::array;
use super::point::idx;
use super::val::{At, Leaf, Place, Seq, Val};
use crate::core::Ty;
use crate::fault::FaultCode;
use crate::primitive::Primitive;
use nestled_ir::{
    Atom, Axis, CombinatorKind, Direction, HostAtom, HostOp, Inclusion, Level, Library, Monoid, MonoidOp, Op,
    Order, ScalarType, ValueId,
};
use std::rc::Rc;

/// The original's identity of `max_scan` on floats, in single precision.
const ORIGINAL_LIMIT: f64 = 1.0e36_f32 as f64;

fn monoid(primitive: Primitive) -> MonoidOp {
    use Primitive::*;
    match primitive {
        PlusScan | Sum => MonoidOp::Add,
        MultScan | Product => MonoidOp::Mul,
        MaxScan | MaxVal => MonoidOp::Max,
        MinScan | MinVal => MonoidOp::Min,
        OrScan | Any => MonoidOp::Or,
        AndScan | All => MonoidOp::And,
        XorScan | Parity => MonoidOp::Xor,
        other => unreachable!("{other:?} does not fold"),
    }
}

/// The ranks that have been computed in a function.
#[derive(Debug, Default)]
pub(super) struct Ranks {
    ranks: Vec<Ranked>,
}

/// Ranks, the keys of which they are, and the sort order.
#[derive(Debug)]
struct Ranked {
    ranks: Rc<Seq>,
    keys: Rc<Seq>,
    order: Order,
}

impl Emitter<'_> {
    /// Writes a scan or reduction.
    pub fn fold(&mut self, primitive: Primitive, seq: &Rc<Seq>, ty: Ty) -> Val {
        let elem = self.element_scalar(ty);
        let op = monoid(primitive);
        let is_scan = matches!(
            primitive,
            Primitive::PlusScan
                | Primitive::MultScan
                | Primitive::MaxScan
                | Primitive::MinScan
                | Primitive::OrScan
                | Primitive::AndScan
                | Primitive::XorScan
        );
        let level = Level(seq.level);
        let chain = self.chain_under(seq);
        let mut k = self.kernel(op.name(), &chain);
        let value = self.last_element(&mut k, seq).scalar();
        let monoid = Monoid::op(op);
        let kind = if is_scan {
            let (inclusion, direction) = (Inclusion::Exclusive, Direction::Forward);
            CombinatorKind::Scan { within: level, monoid, inclusion, direction }
        } else {
            CombinatorKind::Reduce { to: level, monoid }
        };
        let mut binds = k.end(kind, None, vec![value]);
        let at = if is_scan { seq.level + 1 } else { seq.level };
        if let Some(limit) = self.limit(op, elem) {
            k.begin(at);
            let found = k.own(binds[0]);
            let limited = k.op(op.op(), &[limit, found]);
            binds = k.end_map(vec![limited]);
        }
        let made = HostAtom::Value(self.run(k, binds)[0]);
        let val = Val::host(at, elem, made);
        if is_scan { Val::seq(seq.level, seq.shape, Place::Dense(val)) } else { val }
    }

    /// Returns the value with which the original begins, where that differs from the monoid's identity.
    fn limit(&self, op: MonoidOp, elem: ScalarType) -> Option<Atom> {
        let limit = match op {
            MonoidOp::Max => -ORIGINAL_LIMIT,
            MonoidOp::Min => ORIGINAL_LIMIT,
            _ => return None,
        };
        (self.source.dialect.compat && elem.is_float())
            .then(|| Atom::Const(self.source.dialect.float_scalar(limit)))
    }

    /// Computes, for each sequence, the total length of its inner sequences.
    pub fn reduce_lengths(&mut self, chain: &[Axis], inner: &Rc<Seq>) -> HostAtom {
        let mut k = self.kernel("lengths", chain);
        let run = self.own_run(&k, inner);
        let len = self.run_len(&mut k, &run);
        let to = Level(chain.len() - 1);
        let binds = k.end(CombinatorKind::Reduce { to, monoid: Monoid::op(MonoidOp::Add) }, None, vec![len]);
        HostAtom::Value(self.run(k, binds)[0])
    }

    /// Computes the start of each part of a partition: an exclusive scan of the counts.
    pub fn counts_before(&mut self, counts: &Rc<Seq>) -> Leaf {
        let chain = self.chain_under(counts);
        let mut k = self.kernel("before", &chain);
        let count = self.last_element(&mut k, counts).scalar();
        let count = k.index(count);
        let count = k.op(Op::Max, &[count, idx(0)]);
        let kind = CombinatorKind::Scan {
            within: Level(counts.level),
            monoid: Monoid::op(MonoidOp::Add),
            inclusion: Inclusion::Exclusive,
            direction: Direction::Forward,
        };
        let binds = k.end(kind, None, vec![count]);
        let made = HostAtom::Value(self.run(k, binds)[0]);
        Leaf { level: counts.level + 1, ty: ScalarType::Idx, at: At::Host(made) }
    }

    /// Faults unless the counts of a partition add up to the length; returns that as a flag.
    pub fn check_counts(&mut self, seq: &Rc<Seq>, counts: &Rc<Seq>) -> Leaf {
        let chain = self.chain_under(counts);
        let level = counts.level;
        let mut k = self.kernel("counts", &chain);
        let count = self.last_element(&mut k, counts).scalar();
        let count = k.index(count);
        // What is too large once must not come back by adding up.
        let run = self.own_run(&k, seq);
        let len = self.run_len(&mut k, &run);
        let bad = [k.op(Op::Lt, &[count, idx(0)]), k.op(Op::Gt, &[count, len])];
        let bad = k.op(Op::Or, &bad);
        let parts = vec![MonoidOp::Add, MonoidOp::Or].into_iter().map(nestled_ir::MonoidPart::Op).collect();
        let kind = CombinatorKind::Reduce { to: Level(level), monoid: Monoid { parts } };
        let found = k.end(kind, None, vec![count, bad]);
        k.begin(level);
        let (sum, bad) = (k.own(found[0]), k.own(found[1]));
        let run = self.own_run(&k, seq);
        let len = self.run_len(&mut k, &run);
        let same = k.op(Op::Eq, &[sum, len]);
        let good = k.op(Op::Not, &[bad]);
        let fine = k.op(Op::And, &[same, good]);
        let site = self.site(FaultCode::Partition, self.origin.span);
        k.check(fine, &FaultCode::Partition.to_string(), site);
        let binds = k.end_map(vec![fine]);
        let made = HostAtom::Value(self.run(k, binds)[0]);
        Leaf { level, ty: ScalarType::Bool, at: At::Host(made) }
    }

    /// Writes `rank` or `rank_down`.
    pub fn rank(&mut self, seq: &Rc<Seq>, down: bool) -> Val {
        let chain = self.scope.chain[..seq.level].to_vec();
        let solid = self.solid(&Val::Seq(Rc::clone(seq)), &chain);
        let keys = solid.as_seq();
        let Place::Dense(elems) = &keys.place else { unreachable!("it was made dense") };
        let order = if down { Order::Descending } else { Order::Ascending };
        let keys_array = array(self.resolve(elems.leaf()));
        let ranks = self.emit_one("ranks", HostOp::Library(Library::Rank { keys: keys_array, order }));
        let level = seq.level + 1;
        let ranks = Val::host(level, ScalarType::Idx, HostAtom::Value(ranks));
        let under = self.chain_under(keys);
        let int = self.int();
        let elems = self.tabulate("ranks", &under, &mut |this, k| {
            let own = k.coordinates();
            let rank = this.read(k, &ranks, &own).scalar();
            super::point::Point::Scalar(k.convert(rank, int))
        });
        let ranks = Val::seq(seq.level, keys.shape, Place::Dense(elems));
        self.ranked.ranks.push(Ranked { ranks: Rc::clone(ranks.as_seq()), keys: Rc::clone(seq), order });
        ranks
    }

    /// True if a sequence is what `rank` has made.
    pub fn are_ranks(&self, seq: &Rc<Seq>) -> bool {
        self.ranked.ranks.iter().any(|ranked| Rc::ptr_eq(&ranked.ranks, seq))
    }

    /// Sorts values by keys: `put(values, rank(keys), destination)` of equally long sequences, as one sort that moves the values along. Nothing of the
    /// destination is left.
    pub fn sorted(
        &mut self,
        values: &Rc<Seq>,
        indices: &Rc<Seq>,
        destination: &Rc<Seq>,
        is_flat: bool,
    ) -> Option<Val> {
        let found = self.ranked.ranks.iter().find(|ranked| Rc::ptr_eq(&ranked.ranks, indices))?;
        let (keys, order) = (Rc::clone(&found.keys), found.order);
        let alike = |seq: &Rc<Seq>| {
            seq.level == keys.level && self.f.canonical(seq.shape) == self.f.canonical(keys.shape)
        };
        if !(is_flat && alike(values) && alike(destination)) {
            return None;
        }
        if let Place::Dense(elems) = &values.place {
            let mut is_uniform = true;
            elems.scalars(&mut |leaf| is_uniform &= leaf.level <= keys.level);
            if is_uniform {
                // All elements of a sequence are the same.
                return Some(Val::Seq(Rc::clone(values)));
            }
        }
        let (shape, elems) = self.solid_elements(&keys);
        let key = self.array_of(elems.leaf());
        let elems = if Rc::ptr_eq(&keys, values) { elems } else { self.solid_elements(values).1 };
        let mut leaves = Vec::new();
        elems.scalars(&mut |leaf| leaves.push(leaf.clone()));
        // What is sorted by need not move along as well.
        let mut payload = Vec::new();
        let mut places = Vec::new();
        for leaf in &leaves {
            let array = self.array_of(leaf);
            places.push(if array == key { 0 } else { payload.len() + 1 });
            if array != key {
                payload.push(self.shaped_like(array, key));
            }
        }
        let count = payload.len() + 1;
        let made = self.emit("sorted", HostOp::Library(Library::Sort { keys: key, payload, order }), count);
        let mut made = leaves
            .iter()
            .zip(places)
            .map(|(leaf, place)| Leaf { at: At::Host(HostAtom::Value(made[place])), ..leaf.clone() });
        Some(Val::seq(keys.level, shape, Place::Dense(super::scatter::rebuild(&elems, &mut made))))
    }

    /// Returns the elements of a sequence, compacted, and their axis.
    fn solid_elements(&mut self, seq: &Rc<Seq>) -> (Axis, Val) {
        let chain = self.scope.chain[..seq.level].to_vec();
        let solid = self.solid(&Val::Seq(Rc::clone(seq)), &chain);
        let Place::Dense(elems) = &solid.as_seq().place else { unreachable!("it was made dense") };
        (solid.as_seq().shape, elems.clone())
    }

    /// Reshapes an array to the shape of another with the same number of points.
    fn shaped_like(&mut self, value: ValueId, other: ValueId) -> ValueId {
        let shape_of = |value| self.f.ty(value).as_array().expect("arrays have shapes").shape.clone();
        let (own, wanted) = (shape_of(value), shape_of(other));
        match own == wanted {
            true => value,
            false => array(self.reshape(HostAtom::Value(value), wanted, FaultCode::Limit)),
        }
    }
}
