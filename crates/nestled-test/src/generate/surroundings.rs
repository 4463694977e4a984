//! What a thunk can see of the kernel around it.

use super::class::Class;
use super::expr::Known;
use nestled_ir::{Atom, ScalarType, ValueId};

/// What a coordinate ranges over.
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
    /// Which value of the kernel.
    pub id: ValueId,
    /// The type of its elements.
    pub elem: ScalarType,
    /// What is known of them.
    pub class: Class,
    /// What its coordinates range over.
    pub coordinates: Vec<Coordinate>,
}

/// A segmentation parameter.
#[derive(Clone, Debug)]
pub struct SegFacts {
    /// Which value of the kernel.
    pub id: ValueId,
    /// What the coordinates of its parent range over.
    pub parent: Vec<Coordinate>,
    /// The most elements it has.
    pub bound: u64,
}

/// What an earlier combinator bound.
#[derive(Clone, Debug)]
pub struct BindFacts {
    /// Which value of the kernel.
    pub id: ValueId,
    /// Its type at each point.
    pub ty: ScalarType,
    /// What is known of it.
    pub class: Class,
    /// At which level it lives.
    pub level: usize,
    /// The guard it was bound under.
    pub guard: Option<ValueId>,
    /// Whether it may be read at an offset.
    pub window: bool,
    /// Whether a `map` bound it, so that it may be a guard.
    pub map: bool,
}

/// What a thunk can see.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// What the coordinates of the space range over.
    pub space: Vec<Coordinate>,
    /// The most that each coordinate can be.
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
    /// How many leading coordinates are those of the space down to a level, so that the own ones are inside.
    pub fn own_prefix(&self, coordinates: &[Coordinate], level: usize) -> usize {
        let space = &self.space[..level.min(self.space.len())];
        coordinates.iter().zip(space).take_while(|(a, b)| a == b).count()
    }

    /// Whether the axes down to a level are all extents.
    pub fn is_grid(&self, level: usize) -> bool {
        self.space[..level.min(self.space.len())].iter().all(|axis| !matches!(axis, Coordinate::Segment(_)))
    }
}
