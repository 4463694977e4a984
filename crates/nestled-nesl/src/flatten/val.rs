//! Flattened values: the representation of the core's locals while host code is written.

use nestled_ir::{Axis, HostAtom, ScalarType};
use std::rc::Rc;

/// A value, seen from a context. A value of level `k` has one instance for each point of the context's first `k` axes.
#[derive(Clone, Debug)]
pub(super) enum Val {
    /// One scalar for each point.
    Scalar(Leaf),
    /// Pairs, and the captured values of closures.
    Tuple(Rc<Vec<Val>>),
    /// One sequence for each point.
    Seq(Rc<Seq>),
}

/// A scalar of a level.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub level: usize,
    pub ty: ScalarType,
    pub at: At,
}

/// The location of a scalar.
#[derive(Clone, Debug)]
pub(super) enum At {
    /// A scalar of host code at level 0, else an array over the level.
    Host(HostAtom),
    /// Not computed yet; the number of a pending result.
    Pending(usize),
}

/// Sequences of a level.
#[derive(Debug)]
pub(super) struct Seq {
    pub level: usize,
    /// An extent at level 0, else a segmentation of the level.
    pub shape: Axis,
    pub place: Place,
}

/// The location of the elements.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// Consecutive segments: a value of the next level, whose last axis is the shape. Parts of a lower level are the same for all elements.
    Dense(Val),
    /// Slices: each segment has a start of its own in a flat sequence.
    View {
        /// An `idx` for each sequence.
        starts: Leaf,
        /// The flat sequence shared by all.
        base: Rc<Base>,
    },
}

/// A flat sequence: a value of level 1 over an extent.
#[derive(Debug)]
pub(super) struct Base {
    pub extent: Axis,
    pub elems: Val,
}

impl Val {
    /// Makes a scalar that is already computed.
    pub fn host(level: usize, ty: ScalarType, atom: HostAtom) -> Val {
        Val::Scalar(Leaf { level, ty, at: At::Host(atom) })
    }

    pub fn tuple(parts: Vec<Val>) -> Val {
        Val::Tuple(Rc::new(parts))
    }

    pub fn seq(level: usize, shape: Axis, place: Place) -> Val {
        Val::Seq(Rc::new(Seq { level, shape, place }))
    }

    /// Returns a component of a pair.
    pub fn part(&self, position: usize) -> &Val {
        match self {
            Val::Tuple(parts) => &parts[position],
            other => unreachable!("{other:?} is no pair"),
        }
    }

    pub fn leaf(&self) -> &Leaf {
        match self {
            Val::Scalar(leaf) => leaf,
            other => unreachable!("{other:?} is no scalar"),
        }
    }

    pub fn as_seq(&self) -> &Rc<Seq> {
        match self {
            Val::Seq(seq) => seq,
            other => unreachable!("{other:?} is no sequence"),
        }
    }

    /// Returns the deepest level in the value.
    pub fn level(&self) -> usize {
        match self {
            Val::Scalar(leaf) => leaf.level,
            Val::Tuple(parts) => parts.iter().map(Val::level).max().unwrap_or(0),
            Val::Seq(seq) => seq.level,
        }
    }

    /// Calls `see` with the scalars outside of sequences.
    pub fn scalars(&self, see: &mut dyn FnMut(&Leaf)) {
        match self {
            Val::Scalar(leaf) => see(leaf),
            Val::Tuple(parts) => parts.iter().for_each(|part| part.scalars(see)),
            Val::Seq(_) => {}
        }
    }

    /// Calls `see` with all scalars, those of elements too.
    pub fn leaves(&self, see: &mut dyn FnMut(&Leaf)) {
        match self {
            Val::Scalar(leaf) => see(leaf),
            Val::Tuple(parts) => parts.iter().for_each(|part| part.leaves(see)),
            Val::Seq(seq) => match &seq.place {
                Place::Dense(elems) => elems.leaves(see),
                Place::View { starts, base } => {
                    see(starts);
                    base.elems.leaves(see);
                }
            },
        }
    }
}
