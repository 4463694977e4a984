//! Scatter: writing values into sequences. Of several values for one place the last one stays.

use super::Emitter;
use super::point::{Point, idx};
use super::val::{At, Leaf, Place, Seq, Val};
use crate::core::Ty;
use crate::fault::FaultCode;
use nestled_ir::{Atom, Base, Collision, CombinatorKind, HostAtom, Op, Range, Scalar, ScalarType};
use std::rc::Rc;

impl Emitter<'_> {
    /// Writes `put(values, indices, destination)`.
    pub fn put(&mut self, values: &Rc<Seq>, indices: &Rc<Seq>, destination: &Val, ty: Ty) -> Val {
        let super::TypeShape::Seq(element) = self.shape_of(ty) else { unreachable!("it is a sequence") };
        let is_flat = self.source.types.is_flat(element);
        if let Some(sorted) = self.sorted(values, indices, destination.as_seq(), is_flat) {
            return sorted;
        }
        let chain = self.scope.chain.clone();
        let level = chain.len();
        let fits = self.f.canonical(values.shape) == self.f.canonical(indices.shape);
        if !fits && self.source.checked {
            self.check_equal(indices, values);
        }
        let destination = self.here(destination);
        if is_flat {
            let destination = self.solid(&destination, &chain);
            let seq = Rc::clone(destination.as_seq());
            let Place::Dense(elems) = &seq.place else { unreachable!("it was made dense") };
            let made = self.scatter(values, indices, &seq, fits, elems);
            return Val::seq(level, seq.shape, Place::Dense(made));
        }
        // Where each element comes from.
        let seq = Rc::clone(destination.as_seq());
        let from = self.sources(values, indices, &seq, fits);
        let under = self.chain_under(&seq);
        let elems = self.tabulate("put", &under, &mut |this, k| {
            let own = k.coordinates();
            let from = this.read_leaf(k, &from, &own);
            let is_new = k.op(Op::Ge, &[from, idx(0)]);
            let run = this.own_run(k, values);
            this.branch_point(k, is_new, &mut |this, k| this.element(k, &run, from), &mut |this, k| {
                this.last_element(k, &seq)
            })
        });
        Val::seq(level, seq.shape, Place::Dense(elems))
    }

    /// Scatters elements made of scalars, one array for each component.
    fn scatter(&mut self, values: &Rc<Seq>, indices: &Rc<Seq>, to: &Rc<Seq>, fits: bool, elems: &Val) -> Val {
        let mut bases = Vec::new();
        let mut leaves = Vec::new();
        elems.scalars(&mut |leaf| leaves.push(leaf.clone()));
        for leaf in &leaves {
            bases.push(self.array_of(leaf));
        }
        let made = self.permute(values, indices, to, fits, Some(bases), Some(elems));
        let mut made =
            made.into_iter().zip(&leaves).map(|(atom, leaf)| Leaf { at: At::Host(atom), ..leaf.clone() });
        rebuild(elems, &mut made)
    }

    /// Computes for each place the position of the value that goes there, or -1.
    fn sources(&mut self, values: &Rc<Seq>, indices: &Rc<Seq>, to: &Rc<Seq>, fits: bool) -> Leaf {
        let made = self.permute(values, indices, to, fits, None, None);
        Leaf { level: to.level + 1, ty: ScalarType::Idx, at: At::Host(made[0]) }
    }

    fn permute(
        &mut self,
        values: &Rc<Seq>,
        indices: &Rc<Seq>,
        to: &Rc<Seq>,
        fits: bool,
        bases: Option<Vec<nestled_ir::ValueId>>,
        like: Option<&Val>,
    ) -> Vec<HostAtom> {
        let axis = self.axis_of(indices);
        let level = self.scope.chain.len();
        let mut chain = self.scope.chain.clone();
        chain.push(axis);
        let mut k = self.kernel("put", &chain);
        let own = k.coordinates();
        let at = self.last_element(&mut k, indices).scalar();
        let mut at = k.index(at);
        let run = self.own_run(&k, values);
        let last = own[level];
        let exists = if fits {
            Atom::Const(Scalar::Bool(true))
        } else {
            let len = self.run_len(&mut k, &run);
            k.op(Op::Lt, &[last, len])
        };
        at = k.op(Op::Select, &[exists, at, idx(-1)]);
        let mut results = own[..level].to_vec();
        results.push(at);
        let base = match bases {
            Some(bases) => {
                let value = self.branch_point(
                    &mut k,
                    exists,
                    &mut |this, k| this.element(k, &run, last),
                    &mut |_, _| zero_like(like.expect("there are bases")),
                );
                value.scalars(&mut results);
                let own_bases: Vec<_> = bases.iter().map(|base| k.param(&self.f, *base)).collect();
                Base::Arrays(own_bases)
            }
            None => {
                results.push(last);
                Base::Fill(vec![Scalar::Idx(-1)])
            }
        };
        let range = match self.source.checked {
            true => Range::Fault(self.site(FaultCode::Write, self.origin.span)),
            false => Range::Drop,
        };
        let dest = self.dest(&mut k, to.shape);
        let kind = CombinatorKind::Permute { dest, base, range, collision: Collision::Last };
        let binds = k.end(kind, None, results);
        self.run(k, binds).into_iter().map(HostAtom::Value).collect()
    }

    /// Faults unless two sequences are equally long.
    fn check_equal(&mut self, first: &Rc<Seq>, second: &Rc<Seq>) {
        let chain = self.scope.chain.clone();
        let site = self.site(FaultCode::Length, self.origin.span);
        self.tabulate("length", &chain, &mut |this, k| {
            let runs = [this.own_run(k, first), this.own_run(k, second)];
            let [a, b] = runs.map(|run| this.run_len(k, &run));
            let same = k.op(Op::Eq, &[a, b]);
            k.check(same, &FaultCode::Length.to_string(), site);
            Point::Scalar(Atom::Const(Scalar::Bool(true)))
        });
    }
}

/// Returns the value with other scalars.
pub(super) fn rebuild(val: &Val, leaves: &mut dyn Iterator<Item = Leaf>) -> Val {
    match val {
        Val::Scalar(_) => Val::Scalar(leaves.next().expect("as many leaves as before")),
        Val::Tuple(parts) => Val::tuple(parts.iter().map(|part| rebuild(part, leaves)).collect()),
        Val::Seq(_) => unreachable!("elements are flat"),
    }
}

/// Returns zeros of the same type.
fn zero_like(val: &Val) -> Point {
    match val {
        Val::Scalar(leaf) => Point::Scalar(Atom::Const(Scalar::zero(leaf.ty))),
        Val::Tuple(parts) => Point::Tuple(parts.iter().map(zero_like).collect()),
        Val::Seq(_) => unreachable!("elements are flat"),
    }
}
