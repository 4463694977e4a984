//! Equivalence classes of the shape symbols of host code (union-find).
//!
//! `same a b` makes two symbols equal to the end of its block. Two runs over `a` and over `b` may then be fused, but only after that statement; so fusion looks up these
//! statements.

use nestled_ir::{Axis, Function, HostOp, HostStmt, Type};
use std::collections::{BTreeSet, HashMap};

/// Classes of equal axes.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    parents: HashMap<Axis, Axis>,
    /// For each class with a constant: its extent.
    extents: HashMap<Axis, u64>,
    /// Segmentations with their widened forms: of one length, but in two classes.
    widened: Vec<(Axis, Axis)>,
}

impl Symbols {
    /// Learns an equality from a statement. Segmentations of different forms stay in different classes: kernels know the form. So do extents that are known to differ: there the
    /// statement faults, and nothing after it matters.
    pub fn learn(&mut self, function: &Function, stmt: &HostStmt) {
        if let (HostOp::Widen { seg }, &[wide]) = (&stmt.op, stmt.binds.as_slice()) {
            self.widened.push((Axis::Sym(*seg), Axis::Sym(wide)));
        }
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

    /// Returns the extent of a class, if it is known.
    fn extent(&self, class: Axis) -> Option<u64> {
        match class {
            Axis::Const(extent) => Some(extent),
            Axis::Sym(_) => self.extents.get(&class).copied(),
        }
    }

    /// Returns the links between classes that hold one segmentation in different forms.
    pub fn bridges(&self) -> Bridges {
        let mut bridges = Bridges::default();
        for &(seg, wide) in &self.widened {
            let (seg, wide) = (self.class(seg), self.class(wide));
            bridges.0.entry(seg).or_default().insert(wide);
            bridges.0.entry(wide).or_default().insert(seg);
        }
        bridges
    }

    /// Returns the representative of all axes that are equal to this one.
    pub fn class(&self, mut axis: Axis) -> Axis {
        while let Some(&parent) = self.parents.get(&axis) {
            axis = parent;
        }
        axis
    }
}

/// Links between classes that are one shape in different forms.
#[derive(Debug, Default)]
pub struct Bridges(HashMap<Axis, BTreeSet<Axis>>);

impl Bridges {
    /// Adds the classes through which two of these are one shape: a user of both relies on the equalities of those as well.
    pub fn add(&self, classes: &mut BTreeSet<Axis>) {
        for &start in &classes.clone() {
            let (mut reached, mut open) = (BTreeSet::from([start]), vec![start]);
            while let Some(class) = open.pop() {
                let next = self.0.get(&class).into_iter().flatten();
                open.extend(next.filter(|&&next| reached.insert(next)));
            }
            if reached.iter().any(|class| *class != start && classes.contains(class)) {
                classes.extend(reached);
            }
        }
    }
}

/// Returns the form of a segmentation; `None` for extents.
fn form(function: &Function, axis: Axis) -> Option<nestled_ir::Form> {
    match axis {
        Axis::Const(_) => None,
        Axis::Sym(symbol) => match &function.values[symbol.index()].ty {
            Type::Seg(seg) => Some(seg.form),
            Type::Array(_) | Type::Dim => None,
        },
    }
}
