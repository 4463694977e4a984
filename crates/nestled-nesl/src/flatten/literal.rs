//! Sequence literals: `[a, b, c]`.
//!
//! A literal of dense sequences is made of slices of one flat sequence, in which all elements of the first lie before those of the second, and so on: a copy of whole
//! arrays, where putting the rows of one point side by side would be a copy of each row.

use super::host::axis_atom;
use super::kernel::KernelWriter;
use super::point::{Point, idx};
use super::val::{Base, Leaf, Place, Val};
use super::{Emitter, Result};
use crate::core::Ty;
use crate::fault::FaultCode;
use nestled_ir::{Atom, Axis, HostAtom, Op, Scalar};
use std::rc::Rc;

impl Emitter<'_> {
    /// Writes a sequence literal: `[a, b, c]`.
    pub fn literal_sequence(&mut self, vals: &[Val], element: Ty) -> Result<Val> {
        if vals.is_empty() {
            let elems = self.empty_elements(element);
            return Ok(Val::seq(0, Axis::Const(0), Place::Dense(elems)));
        }
        let constants: Option<Vec<Scalar>> = vals
            .iter()
            .map(|val| match val {
                Val::Scalar(Leaf { at: super::val::At::Host(HostAtom::Const(scalar)), .. }) => Some(*scalar),
                _ => None,
            })
            .collect();
        if let Some(constants) = constants {
            return Ok(self.constant_sequence(constants[0].ty(), constants));
        }
        let level = vals.iter().map(Val::level).max().unwrap_or(0);
        for at in 1..=level {
            self.resolve_all(&vals.iter().collect::<Vec<_>>(), at);
        }
        let side_by_side = self.side_by_side(vals, level);
        let vals = side_by_side.as_deref().unwrap_or(vals);
        let axis = self.regular_axis(level, vals.len() as u64);
        let mut chain = self.scope.chain[..level].to_vec();
        chain.push(axis);
        let elems = self.tabulate("literal", &chain, &mut |this, k| {
            let at = *k.coordinates().last().expect("elements have a position");
            this.one_of(k, vals, at, 0)
        });
        Ok(Val::seq(level, axis, Place::Dense(elems)))
    }

    /// Selects one of several values, by binary search over their numbers.
    fn one_of(&mut self, k: &mut KernelWriter, vals: &[Val], at: Atom, first: usize) -> Point {
        if let [only] = vals {
            let own = k.coordinates();
            return self.read(k, only, &own);
        }
        let (low, high) = vals.split_at(vals.len() / 2);
        let middle = first + low.len();
        let below = k.op(Op::Lt, &[at, idx(middle as i64)]);
        self.branch_point(k, below, &mut |this, k| this.one_of(k, low, at, first), &mut |this, k| {
            this.one_of(k, high, at, middle)
        })
    }

    /// Returns dense sequences of scalars as slices of one flat sequence; `None` for other values, and at level 0, where rows are long.
    fn side_by_side(&mut self, vals: &[Val], level: usize) -> Option<Vec<Val>> {
        let dense = vals.iter().map(|val| match val {
            Val::Seq(seq) if seq.level == level => match &seq.place {
                Place::Dense(elems) if elems.level() == level + 1 && has_no_sequences(elems) => {
                    Some(Rc::clone(seq))
                }
                _ => None,
            },
            _ => None,
        });
        let dense: Vec<_> = dense.collect::<Option<_>>()?;
        if level == 0 || dense.len() < 2 {
            return None;
        }
        let mut end = HostAtom::Const(Scalar::Idx(0));
        let mut parts = Vec::new();
        for seq in &dense {
            let base = self.flat_base(seq);
            let begin = end;
            end = self.host_op(Op::Add, vec![begin, axis_atom(base.extent)]);
            parts.push((base, begin));
        }
        let extent = self.dim(end, FaultCode::Limit);
        let elems = self.tabulate("concatenated", &[extent], &mut |this, k| {
            let at = k.coordinates()[0];
            this.of_part(k, &parts, at)
        });
        let base = Rc::new(Base { extent, elems });
        let chain = self.scope.chain[..level].to_vec();
        let views = dense.iter().zip(&parts).map(|(seq, (_, begin))| {
            let starts = self.tabulate("starts", &chain, &mut |this, k| {
                let own = k.coordinates();
                let start = k.start(&this.f, seq.shape, &own);
                let begin = k.scalar(&this.f, *begin);
                Point::Scalar(k.op(Op::Add, &[start, begin]))
            });
            Val::seq(level, seq.shape, Place::View { starts: starts.leaf().clone(), base: Rc::clone(&base) })
        });
        Some(views.collect())
    }

    /// Reads the element at a position of flat sequences one after another, each with the position where it begins; by binary search.
    fn of_part(&mut self, k: &mut KernelWriter, parts: &[(Rc<Base>, HostAtom)], at: Atom) -> Point {
        if let [(base, begin)] = parts {
            let begin = k.scalar(&self.f, *begin);
            let place = k.op(Op::Sub, &[at, begin]);
            return self.read(k, &base.elems, &[place]);
        }
        let (low, high) = parts.split_at(parts.len() / 2);
        let middle = k.scalar(&self.f, high[0].1);
        let is_low = k.op(Op::Lt, &[at, middle]);
        self.branch_point(k, is_low, &mut |this, k| this.of_part(k, low, at), &mut |this, k| {
            this.of_part(k, high, at)
        })
    }
}

fn has_no_sequences(val: &Val) -> bool {
    match val {
        Val::Scalar(_) => true,
        Val::Tuple(parts) => parts.iter().all(has_no_sequences),
        Val::Seq(_) => false,
    }
}
