//! Access patterns of array reads: the reader's own point, a point at a constant distance (a stencil), or any point.

use nestled_ir::{Atom, Index, LocalId, Op, Stmt, StmtKind, Thunk};
use std::collections::HashMap;

/// The access pattern of a read, relative to the point that reads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Access {
    /// The own point of the level that the array lives at.
    Own,
    /// The point at these distances, one for each coordinate; not all are 0.
    Near(Vec<i64>),
    /// A point that is known only at run time.
    Anywhere,
}

/// The scalars of a thunk of the form coordinate plus constant.
#[derive(Debug)]
pub struct Coordinates {
    /// For each such scalar: the coordinate, and the constant added to it.
    known: HashMap<LocalId, (usize, i64)>,
}

impl Coordinates {
    /// Collects them from a thunk.
    pub fn of(thunk: &Thunk) -> Coordinates {
        let known = thunk.params().enumerate().map(|(at, param)| (param, (at, 0))).collect();
        let mut coordinates = Coordinates { known };
        thunk.body.walk(&mut |stmt| coordinates.learn(stmt));
        coordinates
    }

    fn learn(&mut self, stmt: &Stmt) {
        let StmtKind::Op { dst, op, args } = &stmt.kind else { return };
        let found = match (op, args.as_slice()) {
            (Op::Add, [a, Atom::Const(by)] | [Atom::Const(by), a]) => self.moved(*a, by.as_integer()),
            (Op::Sub, [a, Atom::Const(by)]) => self.moved(*a, by.as_integer().and_then(i64::checked_neg)),
            _ => None,
        };
        self.known.extend(found.map(|found| (*dst, found)));
    }

    fn moved(&self, atom: Atom, by: Option<i64>) -> Option<(usize, i64)> {
        let (coordinate, before) = self.at(atom)?;
        Some((coordinate, before.checked_add(by?)?))
    }

    fn at(&self, atom: Atom) -> Option<(usize, i64)> {
        match atom {
            Atom::Local(local) => self.known.get(&local).copied(),
            Atom::Const(_) | Atom::Value(_) => None,
        }
    }

    /// Classifies a read with these indices.
    pub fn access(&self, index: &[Index]) -> Access {
        let distance = |(position, index): (usize, &Index)| match self.at(index.at) {
            Some((coordinate, by)) if coordinate == position => Some(by),
            _ => None,
        };
        let distances: Option<Vec<i64>> = index.iter().enumerate().map(distance).collect();
        match distances {
            Some(distances) if distances.iter().all(|&by| by == 0) => Access::Own,
            Some(distances) => Access::Near(distances),
            None => Access::Anywhere,
        }
    }
}
