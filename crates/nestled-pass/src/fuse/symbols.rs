//! Which shape symbols of host code stand for one shape.
//!
//! `same a b` makes two symbols one to the end of its block. Two runs over `a` and over `b` may then be one, but only after that
//! statement; so whoever puts them together asks here which statements that are.

use nestled_ir::{Axis, Function, HostOp, HostStmt, Type};
use std::collections::HashMap;

/// Classes of equal axes.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    parents: HashMap<Axis, Axis>,
    /// The extent that the axes of a class have, where one of them is a constant.
    extents: HashMap<Axis, u64>,
}

impl Symbols {
    /// Learns from a statement. Segmentations of different forms stay apart: kernels know the form. So do extents that are known to differ:
    /// there the statement faults, and what comes after it does not matter.
    pub fn learn(&mut self, function: &Function, stmt: &HostStmt) {
        let HostOp::Same { left, right, site: _ } = stmt.op else { return };
        if form(function, left) != form(function, right) {
            return;
        }
        let (left, right) = (self.class(left), self.class(right));
        let (one, other) = (self.extent(left), self.extent(right));
        let differ = one.zip(other).is_some_and(|(one, other)| one != other);
        if left != right && !differ {
            self.parents.insert(right, left);
            if let Some(extent) = one.or(other) {
                self.extents.insert(left, extent);
            }
        }
    }

    /// The extent of a class, if it is known.
    fn extent(&self, class: Axis) -> Option<u64> {
        match class {
            Axis::Const(extent) => Some(extent),
            Axis::Sym(_) => self.extents.get(&class).copied(),
        }
    }

    /// What stands for all axes that are equal to this one.
    pub fn class(&self, mut axis: Axis) -> Axis {
        while let Some(&parent) = self.parents.get(&axis) {
            axis = parent;
        }
        axis
    }
}

/// How a segmentation knows its lengths; `None` for extents.
fn form(function: &Function, axis: Axis) -> Option<nestled_ir::Form> {
    match axis {
        Axis::Const(_) => None,
        Axis::Sym(symbol) => match &function.values[symbol.index()].ty {
            Type::Seg(seg) => Some(seg.form),
            Type::Array(_) | Type::Dim => None,
        },
    }
}
