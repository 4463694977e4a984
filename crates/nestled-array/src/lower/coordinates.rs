//! Coordinates of a point of a kernel's space, and indices made of them.

use nestled_ir::{Atom, Index, Rule, Scalar};

/// The coordinates of a point, outermost first.
pub(super) type Coordinates = Vec<Atom>;

/// The only index of a broadcast axis.
pub(super) const ZERO_INDEX: Atom = index(0);

/// A literal index.
pub(super) const fn index(value: i64) -> Atom {
    Atom::Const(Scalar::Idx(value))
}

/// Coordinates as indices that are known to be inside.
pub(super) fn proved(at: &[Atom]) -> Vec<Index> {
    at.iter().map(|&at| Index { at, rule: Rule::Proved }).collect()
}
