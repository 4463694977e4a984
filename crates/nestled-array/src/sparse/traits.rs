//! Standard traits of sparse matrices: evaluation, programs as values, and `Debug`.

use super::Sparse;
use crate::element::Number;
use crate::engine::{Evaluate, Handle};
use crate::jit::{Arrays, Param};

impl<T: Number> Evaluate for Sparse<T> {
    fn nodes(&self, into: &mut Vec<Handle>) {
        self.rows.nodes(into);
    }
}

/// The number of columns counts: a program is traced for each.
impl<T: Number> Arrays for Sparse<T> {
    fn with(&self, other: &mut dyn FnMut(&Param) -> Param) -> Sparse<T> {
        Sparse { rows: Arrays::with(&self.rows, other), columns: self.columns }
    }

    fn counts(&self, into: &mut Vec<usize>) {
        into.push(self.columns);
    }
}

/// `[2, 3] f32 [[(0, 1.0)], [(1, 2.0), (2, 3.0)]]`
impl<T: Number> std::fmt::Debug for Sparse<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} {:?}", self.extents(), T::TYPE, self.rows)
    }
}
