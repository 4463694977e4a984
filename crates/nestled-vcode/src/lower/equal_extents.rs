//! Equality of extents: a union-find structure with undo. Equalities found in a branch are forgotten at its end.

use nestled_ir::{Axis, ValueId};
use std::collections::HashMap;

/// A number of elements, of which equality is recorded.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Extent {
    /// An extent.
    Axis(Axis),
    /// The number of elements of all segments.
    Total(ValueId),
}

#[derive(Clone, Copy, Debug)]
struct Class {
    parent: usize,
    /// The preferred name of the class: a number, or else the symbol that was there first.
    axis: Option<Axis>,
}

/// Equivalence classes of extents.
#[derive(Debug, Default)]
pub struct EqualExtents {
    numbers: HashMap<Extent, usize>,
    classes: Vec<Class>,
    /// The undo log: classes with their earlier state.
    log: Vec<(usize, Class)>,
}

/// A position in the undo log.
#[derive(Clone, Copy, Debug)]
pub struct Mark(usize);

impl EqualExtents {
    fn number(&mut self, extent: Extent) -> usize {
        let classes = &mut self.classes;
        *self.numbers.entry(extent).or_insert_with(|| {
            let axis = match extent {
                Extent::Axis(axis) => Some(axis),
                Extent::Total(_) => None,
            };
            classes.push(Class { parent: classes.len(), axis });
            classes.len() - 1
        })
    }

    fn root(&mut self, extent: Extent) -> usize {
        let mut at = self.number(extent);
        while self.classes[at].parent != at {
            at = self.classes[at].parent;
        }
        at
    }

    /// True if two extents are known to be equal.
    pub fn same(&mut self, left: Extent, right: Extent) -> bool {
        left == right || self.root(left) == self.root(right)
    }

    /// Records that two extents are equal.
    pub fn unite(&mut self, left: Extent, right: Extent) {
        let (left, right) = (self.root(left), self.root(right));
        if left == right {
            return;
        }
        // The class with the better name stays, so that names do not change.
        let (kept, gone) = if rank(self.classes[left].axis) <= rank(self.classes[right].axis) {
            (left, right)
        } else {
            (right, left)
        };
        self.log.push((gone, self.classes[gone]));
        self.classes[gone].parent = kept;
    }

    /// Returns the preferred name of an extent, if it has one.
    pub fn axis(&mut self, extent: Extent) -> Option<Axis> {
        let root = self.root(extent);
        self.classes[root].axis
    }

    /// Returns the present position in the undo log.
    pub fn mark(&self) -> Mark {
        Mark(self.log.len())
    }

    /// Undoes all that was recorded since a mark.
    pub fn forget(&mut self, Mark(length): Mark) {
        while self.log.len() > length {
            if let Some((class, was)) = self.log.pop() {
                self.classes[class] = was;
            }
        }
    }
}

/// Orders names: numbers first, then symbols in order of appearance.
fn rank(axis: Option<Axis>) -> (u8, u64) {
    match axis {
        Some(Axis::Const(_)) => (0, 0),
        Some(Axis::Sym(value)) => (1, u64::from(value.0)),
        None => (2, 0),
    }
}
