//! Captures: the parameters and earlier results of a kernel that its thunks can read.

use crate::id::ValueId;
use crate::kernel::Level;
use crate::name::Name;
use crate::scalar::Scalar;
use crate::value::{Buffer, Layout, Lengths};
use std::sync::Arc;

/// The run-time contents of a value of a kernel.
#[derive(Debug)]
pub(super) enum Capture {
    /// Not readable by thunks, or not computed yet.
    Nothing,
    /// A scalar, or an extent.
    Scalar(Scalar),
    /// An array parameter.
    Array {
        /// Maps coordinates to positions in the buffer.
        layout: Layout,
        /// The elements.
        data: Arc<Buffer>,
    },
    /// A segmentation parameter.
    Seg {
        /// Maps the coordinates of a segment to its number.
        parent: Layout,
        /// The lengths of the segments.
        lengths: Lengths,
    },
    /// The results of a combinator: one element for each point of a level.
    Bind {
        /// The level.
        level: Level,
        /// The elements.
        data: Buffer,
    },
}

/// The captures of a kernel, shared by all points.
#[derive(Debug)]
pub(super) struct Captures<'a> {
    /// The contents of each value, by [`ValueId`].
    pub values: Vec<Capture>,
    /// The names of the values.
    pub table: &'a [crate::name::Value],
    /// The space of the kernel.
    pub space: Layout,
}

impl Captures<'_> {
    /// The empty captures.
    pub fn none() -> Captures<'static> {
        Captures { values: Vec::new(), table: &[], space: Layout::new(&[]) }
    }

    /// The contents of a value.
    #[inline]
    pub fn get(&self, value: ValueId) -> &Capture {
        &self.values[value.index()]
    }

    /// The name of a value.
    pub fn name(&self, value: ValueId) -> Name {
        Arc::clone(&self.table[value.index()].name)
    }
}

/// A point of a space: its coordinates, and its position at each level.
#[derive(Clone, Debug, Default)]
pub(super) struct Point {
    /// One for each level below the whole.
    pub coordinates: Vec<i64>,
    /// The position among the points of each level, the whole included.
    pub at: Vec<u64>,
}

impl Point {
    /// The only point of level 0.
    pub fn whole() -> Point {
        Point { coordinates: Vec::new(), at: vec![0] }
    }
}
