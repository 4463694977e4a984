//! Equality of shape symbols, by union-find: `same a b` unifies two axes to the end of its block.

use crate::types::{Axis, Shape, Type};
use std::collections::BTreeMap;

/// Equivalence classes of axes: a union-find with undo at the end of a block, and therefore without path compression.
#[derive(Default)]
pub(super) struct Equalities {
    parents: BTreeMap<Axis, Axis>,
    /// The roots that were put below others, oldest first.
    joined: Vec<Axis>,
}

impl Equalities {
    /// Begins a block.
    pub(super) fn enter(&self) -> usize {
        self.joined.len()
    }

    /// Ends the block that began with this mark, and undoes its unions.
    pub(super) fn leave(&mut self, mark: usize) {
        for axis in self.joined.drain(mark..) {
            self.parents.remove(&axis);
        }
    }

    /// Makes two axes one.
    pub(super) fn join(&mut self, left: Axis, right: Axis) {
        let (left, right) = (self.root(left), self.root(right));
        if left != right {
            self.parents.insert(right, left);
            self.joined.push(right);
        }
    }

    fn root(&self, mut axis: Axis) -> Axis {
        while let Some(&parent) = self.parents.get(&axis) {
            axis = parent;
        }
        axis
    }

    /// True if two axes are equal.
    pub(super) fn axis(&self, left: Axis, right: Axis) -> bool {
        left == right || self.root(left) == self.root(right)
    }

    /// True if two shapes are equal.
    pub(super) fn shape(&self, left: &Shape, right: &Shape) -> bool {
        left.rank() == right.rank()
            && left.axes.iter().zip(&right.axes).all(|(&left, &right)| self.axis(left, right))
    }

    /// The first axes of two shapes that do not count as one, where there are as many on both sides.
    pub(super) fn difference(&self, left: &Shape, right: &Shape) -> Option<(Axis, Axis)> {
        let mut pairs = left.axes.iter().copied().zip(right.axes.iter().copied());
        pairs.find(|&(left, right)| !self.axis(left, right)).filter(|_| left.rank() == right.rank())
    }

    /// True if two types are equal.
    pub(super) fn ty(&self, left: &Type, right: &Type) -> bool {
        match (left, right) {
            (Type::Array(left), Type::Array(right)) => {
                left.elem == right.elem
                    && left.placement == right.placement
                    && self.shape(&left.shape, &right.shape)
            }
            (Type::Dim, Type::Dim) => true,
            (Type::Seg(left), Type::Seg(right)) => {
                left.form == right.form && self.shape(&left.parent, &right.parent)
            }
            (Type::Array(_) | Type::Dim | Type::Seg(_), _) => false,
        }
    }

    /// True if a value of type `found` may stand where `wanted` is expected: the same type, or an extent for an `idx`.
    pub(super) fn fits(&self, found: &Type, wanted: &Type) -> bool {
        self.ty(found, wanted) || (*found == Type::Dim && wanted.as_scalar() == found.as_scalar())
    }
}
