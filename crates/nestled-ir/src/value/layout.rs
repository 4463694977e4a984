//! Layouts: map coordinates to positions, and back.

use super::segmentation::{AxisValue, Lengths, Segmentation};
use std::fmt;
use std::sync::Arc;

/// A map from coordinates to positions, one step for each coordinate. Each step leads from a position among the points of the coordinates
/// before it to a position among the points of one coordinate more.
#[derive(Clone, Debug)]
pub struct Layout {
    steps: Vec<Step>,
    counts: Vec<u64>,
}

/// The addressing rule of one coordinate.
#[derive(Clone, Debug)]
pub enum Step {
    /// Every point before it owns the same number of points.
    Extent(u64),
    /// Point `p` owns the points from `offsets[p]` to `offsets[p + 1]`.
    Offsets(Arc<[i64]>),
    /// Point `p` owns as many points as `lengths` says, from `starts[p]` on.
    Placed {
        /// The number of points of each.
        lengths: Lengths,
        /// The position of the first point of each.
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
    /// The layout of a shape, or of the axes of a space. In a space a segmentation may stand anywhere, and segments the points before it.
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

    /// The layout of a view: that of the segmentation, with explicit starts of its segments.
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

    /// Number of coordinates of a point.
    pub fn rank(&self) -> usize {
        self.steps.len()
    }

    /// The addressing rule of each coordinate.
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

    /// The coordinates of a point of a level of a space: the opposite of [`Layout::locate`].
    pub fn coordinates(&self, level: usize, at: u64) -> Coordinates {
        let mut at = at;
        let mut coordinates = Vec::with_capacity(level);
        for step in self.steps[..level].iter().rev() {
            let owner = match step {
                Step::Extent(extent) => at / (*extent).max(1),
                // The last segment that begins there or before: those before it that begin there too are empty.
                Step::Offsets(offsets) => {
                    offsets.partition_point(|&start| start as u64 <= at).max(1) as u64 - 1
                }
                Step::Placed { .. } => unreachable!("a space has no views"),
            };
            coordinates.push(at.wrapping_sub(step.segment(owner).0));
            at = owner;
        }
        coordinates.reverse();
        Coordinates(coordinates)
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

/// The coordinates of a point, outermost first; empty where they are unknown. They are for messages only: **two are always equal**, so that
/// faults compare equal whether or not their coordinates are known.
#[derive(Clone, Debug, Default)]
pub struct Coordinates(pub Vec<u64>);

impl PartialEq for Coordinates {
    fn eq(&self, _: &Coordinates) -> bool {
        true
    }
}

impl Eq for Coordinates {}

/// `7`, or `[3, 1]`.
impl fmt::Display for Coordinates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_slice() {
            [only] => write!(f, "{only}"),
            several => write!(f, "{several:?}"),
        }
    }
}

/// A coordinate that names no point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outside {
    /// Position of the coordinate.
    pub axis: usize,
    /// Its value.
    pub index: i64,
    /// The extent along that coordinate.
    pub extent: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_found_again() {
        let parent = vec![AxisValue::Extent(5)];
        let seg = Segmentation::from_lengths(parent, [0, 2, 0, 3, 0].into_iter()).unwrap();
        let space = Layout::new(&[AxisValue::Extent(5), AxisValue::Seg(Arc::new(seg)), AxisValue::Extent(2)]);
        for level in 0..=3 {
            for at in 0..space.points_at(level) {
                let Coordinates(found) = space.coordinates(level, at);
                assert_eq!(found.len(), level);
                let prefix =
                    Layout { steps: space.steps[..level].to_vec(), counts: space.counts[..=level].to_vec() };
                assert_eq!(prefix.locate(found.iter().map(|&index| index as i64)), Ok(at));
            }
        }
        assert_eq!(space.coordinates(3, 9).to_string(), "[3, 2, 1]");
        assert_eq!(space.coordinates(1, 4).to_string(), "4");
    }
}
