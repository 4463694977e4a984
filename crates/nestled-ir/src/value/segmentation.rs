//! Run-time shapes: extents, and segmentations with regular lengths or offsets.

use std::sync::Arc;

/// One axis of a shape.
#[derive(Clone, Debug)]
pub enum AxisValue {
    /// The number of points.
    Extent(u64),
    /// A segment for each point of its parent; only as first axis of an array.
    Seg(Arc<Segmentation>),
}

/// A segmentation: gives each point of a parent shape a segment of the points one level deeper.
#[derive(Clone, Debug)]
pub struct Segmentation {
    /// The shape of the points that own a segment each.
    pub parent: Vec<AxisValue>,
    /// The lengths of the segments.
    pub lengths: Lengths,
}

/// The lengths of segments.
#[derive(Clone, Debug)]
pub enum Lengths {
    /// All alike.
    Regular {
        /// The length of each segment.
        length: u64,
    },
    /// Start of each segment, then the end of the last: one entry more than there are segments; the first is 0.
    Offsets(Arc<[i64]>),
}

impl Lengths {
    /// The length of a segment, which must exist.
    pub fn length(&self, segment: u64) -> u64 {
        match self {
            Lengths::Regular { length } => *length,
            Lengths::Offsets(offsets) => (offsets[segment as usize + 1] - offsets[segment as usize]) as u64,
        }
    }

    /// True if a segment, which must exist, lies inside a buffer of `len` elements when it starts at `start`.
    pub fn fits(&self, segment: u64, start: i64, len: u64) -> bool {
        start >= 0 && (start as u64).checked_add(self.length(segment)).is_some_and(|end| end <= len)
    }

    /// Number of elements before a segment, which must exist.
    pub fn start(&self, segment: u64) -> u64 {
        match self {
            Lengths::Regular { length } => segment.wrapping_mul(*length),
            Lengths::Offsets(offsets) => offsets[segment as usize] as u64,
        }
    }
}

impl Segmentation {
    /// A segmentation with equal lengths.
    pub fn regular(parent: Vec<AxisValue>, length: u64) -> Segmentation {
        Segmentation { parent, lengths: Lengths::Regular { length } }
    }

    /// A segmentation of the points of `parent` with these lengths; `None` if their sum does not fit.
    pub fn from_lengths(
        parent: Vec<AxisValue>,
        lengths: impl ExactSizeIterator<Item = u64>,
    ) -> Option<Segmentation> {
        let mut offsets = Vec::with_capacity(lengths.len() + 1);
        let mut sum = 0i64;
        offsets.push(0);
        for length in lengths {
            sum = sum.checked_add(i64::try_from(length).ok()?)?;
            offsets.push(sum);
        }
        Some(Segmentation { parent, lengths: Lengths::Offsets(offsets.into()) })
    }

    /// Number of segments.
    pub fn n_segments(&self) -> u64 {
        count_points(&self.parent)
    }

    /// The sum of the lengths; `u64::MAX` where it is more than that.
    pub fn total(&self) -> u64 {
        match &self.lengths {
            Lengths::Regular { length } => self.n_segments().saturating_mul(*length),
            Lengths::Offsets(offsets) => offsets.last().map_or(0, |&end| end as u64),
        }
    }

    /// True if both have the same parent and lengths, in either representation.
    pub fn same(&self, other: &Segmentation) -> bool {
        std::ptr::eq(self, other)
            || (same_shape(&self.parent, &other.parent) && self.same_lengths(&other.lengths))
    }

    /// True if there is one length, not negative, for each point of a valid parent, and their sum fits.
    pub fn is_valid(&self) -> bool {
        let is_fit = match &self.lengths {
            Lengths::Regular { length } => *length <= i64::MAX as u64,
            Lengths::Offsets(offsets) => {
                offsets.first() == Some(&0)
                    && offsets.windows(2).all(|pair| pair[0] <= pair[1])
                    && offsets.len() as u64 - 1 == self.n_segments()
            }
        };
        is_fit
            && self.parent.iter().enumerate().all(|(position, axis)| {
                axis.is_valid() && (position == 0 || matches!(axis, AxisValue::Extent(_)))
            })
    }

    fn same_lengths(&self, other: &Lengths) -> bool {
        match (&self.lengths, other) {
            (Lengths::Offsets(a), Lengths::Offsets(b)) => Arc::ptr_eq(a, b) || a == b,
            (Lengths::Regular { length: a }, Lengths::Regular { length: b }) => {
                a == b || self.n_segments() == 0
            }
            (Lengths::Regular { length }, Lengths::Offsets(offsets))
            | (Lengths::Offsets(offsets), Lengths::Regular { length }) => {
                offsets.windows(2).all(|pair| (pair[1] - pair[0]) as u64 == *length)
            }
        }
    }
}

impl AxisValue {
    /// True if the extent fits an `idx`, or the segmentation is valid.
    pub fn is_valid(&self) -> bool {
        match self {
            AxisValue::Extent(extent) => *extent <= i64::MAX as u64,
            AxisValue::Seg(seg) => seg.is_valid(),
        }
    }

    /// True if both are the same extent, or segmentations with the same parent and lengths.
    pub fn same(&self, other: &AxisValue) -> bool {
        match (self, other) {
            (AxisValue::Extent(a), AxisValue::Extent(b)) => a == b,
            (AxisValue::Seg(a), AxisValue::Seg(b)) => a.same(b),
            (AxisValue::Extent(_) | AxisValue::Seg(_), _) => false,
        }
    }
}

/// True if two shapes have the same axes.
pub fn same_shape(left: &[AxisValue], right: &[AxisValue]) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(a, b)| a.same(b))
}

/// The number of points of a shape; `u64::MAX` where it is more than that.
pub fn count_points(shape: &[AxisValue]) -> u64 {
    shape.iter().fold(1u64, |count, axis| match axis {
        AxisValue::Extent(extent) => count.saturating_mul(*extent),
        AxisValue::Seg(seg) => seg.total(),
    })
}
