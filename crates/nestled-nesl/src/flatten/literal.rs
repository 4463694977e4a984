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
        let bases: Vec<Rc<Base>> = dense.iter().map(|seq| self.flat_base(seq)).collect();
        // A segment for each part: the device adds up their extents, which the host need not know.
        let parts = Axis::Const(bases.len() as u64);
        let extents = self.tabulate("extents", &[parts], &mut |this, k| {
            let part = k.coordinates()[0];
            Point::Scalar(this.extent_of_part(k, &bases, part, 0))
        });
        let extents = self.resolve(extents.leaf());
        let shape = self.segments(extents, FaultCode::Limit);
        let chain = [parts, shape];
        let elems = self.tabulate("concatenated", &chain, &mut |this, k| {
            let own = k.coordinates();
            this.of_part(k, &bases, (own[0], own[1]), 0)
        });
        let extent = self.size(&chain);
        let elems = self.reseat(&elems, &chain, &[extent]);
        let base = Rc::new(Base { extent, elems });
        let chain = self.scope.chain[..level].to_vec();
        let views = dense.iter().enumerate().map(|(part, seq)| {
            let starts = self.tabulate("starts", &chain, &mut |this, k| {
                let own = k.coordinates();
                let start = k.start(&this.f, seq.shape, &own);
                if part == 0 {
                    return Point::Scalar(start);
                }
                let begin = k.start(&this.f, shape, &[idx(part as i64)]);
                Point::Scalar(k.op(Op::Add, &[start, begin]))
            });
            Val::seq(level, seq.shape, Place::View { starts: starts.leaf().clone(), base: Rc::clone(&base) })
        });
        Some(views.collect())
    }

    /// Selects the extent of one of several flat sequences, by binary search over their numbers.
    fn extent_of_part(&self, k: &mut KernelWriter, bases: &[Rc<Base>], part: Atom, first: usize) -> Atom {
        if let [only] = bases {
            return k.scalar(&self.f, axis_atom(only.extent));
        }
        let (low, high) = bases.split_at(bases.len() / 2);
        let middle = first + low.len();
        let below = k.op(Op::Lt, &[part, idx(middle as i64)]);
        let low = self.extent_of_part(k, low, part, first);
        let high = self.extent_of_part(k, high, part, middle);
        k.op(Op::Select, &[below, low, high])
    }

    /// Reads an element of one of several flat sequences, by binary search over their numbers.
    fn of_part(
        &mut self,
        k: &mut KernelWriter,
        bases: &[Rc<Base>],
        (part, at): (Atom, Atom),
        first: usize,
    ) -> Point {
        if let [only] = bases {
            return self.read(k, &only.elems, &[at]);
        }
        let (low, high) = bases.split_at(bases.len() / 2);
        let middle = first + low.len();
        let below = k.op(Op::Lt, &[part, idx(middle as i64)]);
        self.branch_point(k, below, &mut |this, k| this.of_part(k, low, (part, at), first), &mut |this, k| {
            this.of_part(k, high, (part, at), middle)
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
