//! From coordinates to positions.

use super::segmentation::{AxisValue, Lengths, Segmentation};
use std::sync::Arc;

/// How coordinates name the points of a shape or of a space, one step for each coordinate: each leads from a position among the
/// points of the coordinates before it to a position among the points of one coordinate more.
#[derive(Clone, Debug)]
pub struct Layout {
    steps: Vec<Step>,
    counts: Vec<u64>,
}

/// What one coordinate means.
#[derive(Clone, Debug)]
pub enum Step {
    /// Every point before it owns the same number of points.
    Extent(u64),
    /// Point `p` owns the points from `offsets[p]` to `offsets[p + 1]`.
    Offsets(Arc<[i64]>),
    /// Point `p` owns as many points as `lengths` says, from `starts[p]` on.
    Placed {
        /// How many.
        lengths: Lengths,
        /// From where.
        starts: Arc<[i64]>,
    },
}

impl Step {
    /// The first position and the number of the points that point `at` owns.
    pub fn segment(&self, at: u64) -> (u64, u64) {
        match self {
            Step::Extent(extent) => (at.wrapping_mul(*extent), *extent),
            Step::Offsets(offsets) => {
                let (start, end) = (offsets[at as usize], offsets[at as usize + 1]);
                (start as u64, (end - start) as u64)
            }
            Step::Placed { lengths, starts } => (starts[at as usize] as u64, lengths.length(at)),
        }
    }
}

impl Layout {
    /// The layout of a shape, or of the axes of a space: there a segmentation may stand anywhere, and cuts what is before it.
    pub fn new(axes: &[AxisValue]) -> Layout {
        let mut layout = Layout { steps: Vec::new(), counts: vec![1] };
        for axis in axes {
            match axis {
                AxisValue::Extent(extent) => {
                    let count = layout.points().saturating_mul(*extent);
                    layout.push(Step::Extent(*extent), count);
                }
                AxisValue::Seg(seg) => {
                    if layout.steps.is_empty() {
                        layout = Layout::new(&seg.parent);
                    }
                    layout.push_segmentation(seg);
                }
            }
        }
        layout
    }

    /// The layout of a view: as that of the segmentation, with other places for its elements.
    pub fn view(seg: &Segmentation, starts: &Arc<[i64]>) -> Layout {
        let mut layout = Layout::new(&seg.parent);
        let step = Step::Placed { lengths: seg.lengths.clone(), starts: Arc::clone(starts) };
        layout.push(step, seg.total());
        layout
    }

    fn push_segmentation(&mut self, seg: &Segmentation) {
        let step = match &seg.lengths {
            Lengths::Regular { length } => Step::Extent(*length),
            Lengths::Offsets(offsets) => Step::Offsets(Arc::clone(offsets)),
        };
        self.push(step, seg.total());
    }

    fn push(&mut self, step: Step, count: u64) {
        self.steps.push(step);
        self.counts.push(count);
    }

    /// How many coordinates name a point.
    pub fn rank(&self) -> usize {
        self.steps.len()
    }

    /// What each coordinate means.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The number of points; `u64::MAX` where it is more than that.
    pub fn points(&self) -> u64 {
        self.counts[self.steps.len()]
    }

    /// The number of points that the first `level` coordinates name.
    pub fn points_at(&self, level: usize) -> u64 {
        self.counts[level]
    }

    /// The points at level `inner` that the points `from..to` of level `outer` own.
    pub fn below(&self, outer: usize, inner: usize, from: u64, to: u64) -> (u64, u64) {
        self.steps[outer..inner].iter().fold((from, to), |(from, to), step| match step {
            Step::Extent(extent) => (from.wrapping_mul(*extent), to.wrapping_mul(*extent)),
            Step::Offsets(offsets) => (offsets[from as usize] as u64, offsets[to as usize] as u64),
            // Only arrays are views, and nobody asks what a point of an array owns as a range.
            Step::Placed { .. } => unreachable!("a space has no views"),
        })
    }

    /// The position of a point, or the first coordinate that is outside, with its extent.
    pub fn locate(&self, coordinates: impl IntoIterator<Item = i64>) -> Result<u64, Outside> {
        let mut at = 0;
        for (axis, (step, index)) in self.steps.iter().zip(coordinates).enumerate() {
            let (start, extent) = step.segment(at);
            if index < 0 || index as u64 >= extent {
                return Err(Outside { axis, index, extent });
            }
            at = start.wrapping_add(index as u64);
        }
        Ok(at)
    }
}

/// A coordinate that names no point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outside {
    /// Which coordinate.
    pub axis: usize,
    /// Its value.
    pub index: i64,
    /// How many points there are along it.
    pub extent: u64,
}
