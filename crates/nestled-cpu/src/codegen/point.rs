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
    /// For each level from 0 to the own one, the number of the point that these points lie in. `positions[level]` is the element that a
    /// fault is reported with.
    pub positions: Vec<Val>,
    /// The lanes that are there at all.
    pub mask: Val,
    /// What [`Own`](nestled_ir::StmtKind::Own) reads: everything that the thunk reads of earlier combinators, but what is read as its neighbours are.
    pub own: HashMap<ValueId, Val>,
}

/// Memory that thunks read.
#[derive(Clone, Debug)]
pub struct ArrayRef {
    /// The address of its first element, a `ptr` known at the entry.
    pub data: Name,
    /// How coordinates lead to an element, outermost first: one for each.
    pub axes: Vec<AxisRef>,
}

/// One step of the way from coordinates to an element: the element's number so far is `at`.
#[derive(Clone, Debug)]
pub struct AxisRef {
    /// Which axis of the array's type it comes from; a segmentation's parents too have the axis they have in the segmentation's type.
    pub axis: Axis,
    /// How it goes on.
    pub step: StepRef,
}

/// How an axis goes on from the number `at` of a point to the numbers of the points below.
#[derive(Clone, Debug)]
pub enum StepRef {
    /// So many points each: `at · extent + index`. An `idx` known at the entry.
    Extent(Val),
    /// A segment between offsets: `offsets[at] + index`, with `offsets[at + 1] − offsets[at]` points. A `ptr` to `i64`.
    Offsets(Name),
    /// A segment somewhere else: `starts[at] + index`; the lengths as in the inner step. A `ptr` to `i64`.
    View {
        /// Where each segment starts.
        starts: Name,
        /// How long it is: [`StepRef::Extent`] or [`StepRef::Offsets`].
        lengths: Box<StepRef>,
    },
}

/// What everything in the kernel can read.
#[derive(Clone, Debug, Default)]
pub struct Captures {
    /// Scalars and extents, known at the entry.
    pub scalars: HashMap<ValueId, Val>,
    /// Array parameters; and combinators that are read through windows, which lie in memory over their level.
    pub arrays: HashMap<ValueId, ArrayRef>,
    /// Of those that are read through windows, the ones that lie in rings.
    pub rings: HashMap<ValueId, RingRef>,
    /// Segmentation parameters: the steps of the parent, then the one of the segmentation itself (never a view).
    pub segs: HashMap<ValueId, Vec<AxisRef>>,
    /// The axes of the space, as steps: expanded like those of an array, one for each coordinate.
    pub space: Vec<AxisRef>,
}

/// What must hold for the whole of the vector coordinate's range `from..to` so that no index check is needed:
/// `0 ≤ base + stride · j < extent`. All names are `i64`, known before the row's loop.
#[derive(Clone, PartialEq, Debug)]
pub struct Constraint {
    /// The index at j = 0.
    pub base: Name,
    /// Not 0.
    pub stride: i64,
    /// The extent of the axis.
    pub extent: Name,
    /// Where both are known, at the row at the latest.
    pub depth: Depth,
}

/// What the quick version of a loop's body takes for granted; collected while it is written.
#[derive(Clone, Debug, Default)]
pub struct Assumed {
    /// Indices along the vector's axis.
    pub along: Vec<Constraint>,
    /// Truth values (`i1`, known before the row's loop) about indices that are the same for the whole row.
    pub row: Vec<Name>,
    /// Lanes in groups: vectors begin at multiples of so many coordinates; 0 or 1 if there are none.
    pub aligned: u64,
}

impl Assumed {
    /// Takes for granted what another does, too.
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
