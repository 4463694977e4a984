//! Least upper bound of two ends of a function or a conditional.

use super::equal_extents::Extent;
use super::join::{DimRef, Join, SegRef, Sig, SigSlot};
use super::slot::{Descr, Form, Slot, Vector};
use super::{Lower, pair};
use crate::syntax::codes;
use nestled_ir::{Axis, Diagnostic, Span, ValueId};
use std::collections::HashMap;

/// Joins two ends of a function or conditional.
struct Joiner {
    join: Join,
    /// Values below this number are known outside.
    outer: u32,
    new_dims: HashMap<[Extent; 2], usize>,
    span: Span,
}

/// Joins two ends with resolved slots. Values below `outer` are known outside; `totals` has the number of elements under the segmentations of each side.
pub fn join(
    left: &[Slot],
    right: &[Slot],
    totals: [&HashMap<ValueId, Extent>; 2],
    outer: u32,
    span: Span,
) -> Lower<Join> {
    let join = Join { sig: Sig::default(), dims: Vec::new(), segs: Vec::new() };
    let mut joiner = Joiner { join, outer, new_dims: HashMap::new(), span };
    // Descriptors first: vectors stay cut only by segmentations that go along.
    for (left, right) in left.iter().zip(right) {
        joiner.descriptors(left, right)?;
    }
    for (left, right) in left.iter().zip(right) {
        let slot = joiner.slot(left, right, totals)?;
        joiner.join.sig.slots.push(slot);
    }
    joiner.join.sig.dims = joiner.join.dims.len();
    Ok(joiner.join)
}

impl Joiner {
    fn differ<T>(&self, left: &Slot, right: &Slot) -> Lower<T> {
        let message = "the branches leave different types in one slot";
        Err(Box::new(Diagnostic::new(codes::BRANCH_TYPES, message, self.span).here(format!(
            "the first leaves {}, the second {}",
            left.describe(),
            right.describe()
        ))))
    }

    fn dim(&mut self, left: Extent, right: Extent) -> DimRef {
        if let (Extent::Axis(axis), true) = (left, left == right) {
            let known = match axis {
                Axis::Const(_) => true,
                Axis::Sym(value) => value.0 < self.outer,
            };
            if known {
                return DimRef::Outer(axis);
            }
        }
        let dims = &mut self.join.dims;
        DimRef::New(*self.new_dims.entry([left, right]).or_insert_with(|| {
            dims.push([left, right]);
            dims.len() - 1
        }))
    }

    fn seg(&self, left: Descr, right: Descr) -> Option<SegRef> {
        if let (Descr::Many { seg, .. }, true) = (left, left == right)
            && seg.0 < self.outer
        {
            return Some(SegRef::Outer(seg));
        }
        self.join
            .segs
            .iter()
            .position(|sides| same_seg(sides[0], left) && same_seg(sides[1], right))
            .map(SegRef::New)
    }

    fn descriptors(&mut self, left: &Slot, right: &Slot) -> Lower<()> {
        match (left, right) {
            (Slot::Descr(Descr::Single(_)), Slot::Descr(Descr::Single(_))) => Ok(()),
            (Slot::Descr(left), Slot::Descr(right)) => {
                if self.seg(*left, *right).is_none() {
                    let parent = self.dim(Extent::Axis(segments(*left)), Extent::Axis(segments(*right)));
                    self.join.segs.push([*left, *right]);
                    self.join.sig.segs.push(parent);
                }
                Ok(())
            }
            (Slot::Pair(a), Slot::Pair(b)) => {
                self.descriptors(&a.0, &b.0)?;
                self.descriptors(&a.1, &b.1)
            }
            _ => Ok(()),
        }
    }

    fn slot(&mut self, left: &Slot, right: &Slot, totals: [&HashMap<ValueId, Extent>; 2]) -> Lower<SigSlot> {
        match (left, right) {
            (Slot::Vector(a), Slot::Vector(b)) if a.elem == b.elem => Ok(self.vector(a, b, totals)),
            (Slot::Descr(Descr::Single(a)), Slot::Descr(Descr::Single(b))) => {
                Ok(SigSlot::Single(self.dim(Extent::Axis(*a), Extent::Axis(*b))))
            }
            (Slot::Descr(a), Slot::Descr(b)) => match self.seg(*a, *b) {
                Some(seg) => Ok(SigSlot::Many(seg)),
                None => self.differ(left, right),
            },
            (Slot::Pair(a), Slot::Pair(b)) => {
                let first = self.slot(&a.0, &b.0, totals)?;
                Ok(SigSlot::Pair(Box::new(first), Box::new(self.slot(&a.1, &b.1, totals)?)))
            }
            (Slot::State(a, _), Slot::State(b, _)) if a == b => Ok(SigSlot::State(*a)),
            _ => self.differ(left, right),
        }
    }

    fn vector(&mut self, a: &Vector, b: &Vector, totals: [&HashMap<ValueId, Extent>; 2]) -> SigSlot {
        let elem = a.elem;
        let extent = |vector: &Vector, totals: &HashMap<ValueId, Extent>| match vector.form {
            Form::One => Extent::Axis(Axis::Const(1)),
            Form::Flat(axis) => Extent::Axis(axis),
            Form::Seg(seg) => totals.get(&seg).copied().unwrap_or(Extent::Total(seg)),
        };
        match (a.form, b.form) {
            (Form::One, Form::One) => return SigSlot::One(elem),
            (Form::Seg(left), Form::Seg(right)) => {
                let many = |seg| Descr::Many { seg, parent: Axis::Const(0) };
                let outer = (left == right && left.0 < self.outer).then_some(SegRef::Outer(left));
                if let Some(seg) = outer.or_else(|| self.seg(many(left), many(right))) {
                    return SigSlot::Seg(elem, seg);
                }
            }
            _ => {}
        }
        SigSlot::Flat(elem, self.dim(extent(a, totals[0]), extent(b, totals[1])))
    }
}

/// Returns the number of segments.
fn segments(descr: Descr) -> Axis {
    match descr {
        Descr::Single(_) => Axis::Const(1),
        Descr::Many { parent, .. } => parent,
    }
}

/// True if two descriptors are the same value.
fn same_seg(left: Descr, right: Descr) -> bool {
    match (left, right) {
        (Descr::Many { seg: a, .. }, Descr::Many { seg: b, .. }) => a == b,
        (Descr::Single(a), Descr::Single(b)) => a == b,
        (Descr::Single(_), Descr::Many { .. }) | (Descr::Many { .. }, Descr::Single(_)) => false,
    }
}

/// Makes a pair of two slots.
pub fn glue(left: &Slot, right: &Slot, span: Span) -> Lower<Slot> {
    pair(left, right)
        .ok_or_else(|| Box::new(Diagnostic::new(codes::LIMIT, "a pair of more than 64 values", span)))
}
