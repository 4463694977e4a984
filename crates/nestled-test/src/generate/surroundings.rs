//! The surroundings of a thunk: all that it can see of the kernel around it.

use super::class::Class;
use super::expr::Known;
use nestled_ir::{Atom, ScalarType, ValueId};

/// The range of a coordinate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coordinate {
    /// A constant extent.
    Const(u64),
    /// An extent.
    Extent(ValueId),
    /// The segments of a segmentation.
    Segment(ValueId),
}

/// An array parameter.
#[derive(Clone, Debug)]
pub struct ArrayFacts {
    /// Its id in the kernel.
    pub id: ValueId,
    /// The type of its elements.
    pub elem: ScalarType,
    /// The class of its elements.
    pub class: Class,
    /// The ranges of its coordinates.
    pub coordinates: Vec<Coordinate>,
}

/// A segmentation parameter.
#[derive(Clone, Debug)]
pub struct SegFacts {
    /// Its id in the kernel.
    pub id: ValueId,
    /// The ranges of its parent's coordinates.
    pub parent: Vec<Coordinate>,
    /// The most elements it has.
    pub bound: u64,
}

/// A value that an earlier combinator bound.
#[derive(Clone, Debug)]
pub struct BindFacts {
    /// Its id in the kernel.
    pub id: ValueId,
    /// Its type at each point.
    pub ty: ScalarType,
    /// Its class.
    pub class: Class,
    /// The level at which it lives.
    pub level: usize,
    /// The guard it was bound under.
    pub guard: Option<ValueId>,
    /// Whether it may be read at an offset.
    pub window: bool,
    /// Whether a `map` bound it, so that it may be a guard.
    pub map: bool,
}

/// Everything that a thunk can see.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// The ranges of the space's coordinates.
    pub space: Vec<Coordinate>,
    /// The greatest value of each coordinate.
    pub bounds: Vec<u64>,
    /// Scalar and extent parameters.
    pub scalars: Vec<Known<Atom>>,
    /// Array parameters.
    pub arrays: Vec<ArrayFacts>,
    /// Segmentation parameters.
    pub segs: Vec<SegFacts>,
    /// Earlier combinators.
    pub binds: Vec<BindFacts>,
}

impl Surroundings {
    /// Number of leading coordinates that are those of the space down to a level, so that the own coordinates are inside.
    pub fn own_prefix(&self, coordinates: &[Coordinate], level: usize) -> usize {
        let space = &self.space[..level.min(self.space.len())];
        coordinates.iter().zip(space).take_while(|(a, b)| a == b).count()
    }

    /// True if the axes down to a level are all extents, without segments.
    pub fn is_grid(&self, level: usize) -> bool {
        self.space[..level.min(self.space.len())].iter().all(|axis| !matches!(axis, Coordinate::Segment(_)))
    }
}
