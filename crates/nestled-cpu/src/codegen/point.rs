//! The environment of a thunk: the W points that it runs at, and the values and arrays that it can read.

use super::ring::RingRef;
use super::text::Name;
use super::value::{Depth, Val};
use nestled_ir::{Axis, ValueId};
use std::collections::HashMap;

/// W points of a level, one per lane.
#[derive(Clone, Debug)]
pub struct Point {
    /// The own coordinates, outermost first; each has [`Val::coordinate`] set.
    pub coordinates: Vec<Val>,
    /// For each level from 0 to the own one, the number of the point that contains these points. `positions[level]` is the element number of reported
    /// faults.
    pub positions: Vec<Val>,
    /// The lanes that are present.
    pub mask: Val,
    /// The values that [`Own`](nestled_ir::StmtKind::Own) reads, except those that are read like their neighbours, from memory.
    pub own: HashMap<ValueId, Val>,
}

/// Memory that thunks read.
#[derive(Clone, Debug)]
pub struct ArrayRef {
    /// The address of its first element, a `ptr` known at the entry.
    pub data: Name,
    /// The steps from coordinates to an element, outermost first: one for each.
    pub axes: Vec<AxisRef>,
    /// Its dereferenceable memory. Set where masked loads are slow, and speculative ones are made instead.
    pub dereferenceable: Option<Dereferenceable>,
}

/// Dereferenceable memory of an array: elements that a speculative load may touch, though no lane asks for them; known at the entry.
#[derive(Clone, Debug)]
pub struct Dereferenceable {
    /// The number of its first elements from each of which on W elements may be read, an `i64`.
    pub runs: Name,
    /// An address from which on one element may be read: that of the array, if it has any.
    pub one: Name,
}

/// One step of the address computation: from the number `at` of a point to that of a point below.
#[derive(Clone, Debug)]
pub struct AxisRef {
    /// The axis of the array's type; a segmentation's parents too have the axis that they have in the segmentation's type.
    pub axis: Axis,
    /// The form of the step.
    pub step: StepRef,
}

/// The form of a step from the number `at` of a point to the numbers of the points below.
#[derive(Clone, Debug)]
pub enum StepRef {
    /// The same number of points each: `at · extent + index`. An `idx` known at the entry.
    Extent(Val),
    /// A segment between offsets: `offsets[at] + index`, with `offsets[at + 1] − offsets[at]` points. A `ptr` to `i64`.
    Offsets(Name),
    /// A segment at an explicit start: `starts[at] + index`; the lengths as in the inner step. A `ptr` to `i64`.
    View {
        /// The start of each segment.
        starts: Name,
        /// The lengths: [`StepRef::Extent`] or [`StepRef::Offsets`].
        lengths: Box<StepRef>,
    },
}

/// The values and arrays in reach of all thunks of the kernel.
#[derive(Clone, Debug, Default)]
pub struct Captures {
    /// Scalars and extents, known at the entry.
    pub scalars: HashMap<ValueId, Val>,
    /// Array parameters, and combinators that are read through windows, which are arrays over their level.
    pub arrays: HashMap<ValueId, ArrayRef>,
    /// The rings among the arrays that are read through windows.
    pub rings: HashMap<ValueId, RingRef>,
    /// Segmentation parameters: the steps of the parent, then the one of the segmentation itself (never a view).
    pub segs: HashMap<ValueId, Vec<AxisRef>>,
    /// The axes of the space, as steps: expanded like those of an array, one for each coordinate.
    pub space: Vec<AxisRef>,
}

/// An assumption over the vector coordinate's range `from..to` under which an index check can be omitted: `0 ≤ base + stride · j < extent`. All names
/// are `i64`, known before the row's loop.
#[derive(Clone, PartialEq, Debug)]
pub struct Constraint {
    /// The index at j = 0.
    pub base: Name,
    /// Not 0.
    pub stride: i64,
    /// The extent of the axis.
    pub extent: Name,
    /// The depth at which both are known, at the latest the row.
    pub depth: Depth,
}

/// The assumptions of the interior version of a loop's body, collected during emission.
#[derive(Clone, Debug, Default)]
pub struct Assumed {
    /// Indices along the vector's axis.
    pub along: Vec<Constraint>,
    /// Truth values (`i1`, known before the row's loop: at the depth) about indices that are uniform over the row.
    pub row: Vec<(Depth, Name)>,
    /// For lane groups: vectors begin at multiples of this number of coordinates; 0 or 1 if unrestricted.
    pub aligned: u64,
}

impl Assumed {
    /// Adds another set of assumptions.
    pub fn join(&mut self, other: Assumed) {
        for constraint in other.along {
            if !self.along.contains(&constraint) {
                self.along.push(constraint);
            }
        }
        self.aligned = self.aligned.max(other.aligned);
        for fact in other.row {
            if !self.row.contains(&fact) {
                self.row.push(fact);
            }
        }
    }
}
