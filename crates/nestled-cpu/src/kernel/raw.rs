//! A launch with its handles resolved to pointers and numbers.
//!
//! Exact extents have been read and clamped to their bounds. Every buffer begins at a multiple of 64 bytes and can be read for 256 bytes past its
//! end, so vectors may read beyond it; those values are ignored. Slices need not begin where a buffer does.

use nestled_ir::interp::FaultKind;
use nestled_ir::{Scalar, SiteId};

/// A shape argument.
#[derive(Clone, Copy, Debug)]
pub enum RawShape {
    /// An extent.
    Extent(u64),
    /// A segmentation with equally long segments.
    Regular {
        /// The length of each.
        length: u64,
    },
    /// A segmentation with offsets.
    Offsets {
        /// The offsets: one more than there are segments, then padded with the total.
        offsets: *const i64,
        /// Number of entries.
        len: u64,
        /// The number of points.
        total: u64,
    },
}

/// An argument.
#[derive(Clone, Copy, Debug)]
pub enum RawArg {
    /// A number.
    Scalar(Scalar),
    /// A dense array, row by row.
    Dense {
        /// The first element.
        data: *const u8,
        /// Capacity in elements.
        len: u64,
    },
    /// A view: segments at starts of their own.
    View {
        /// The first element.
        data: *const u8,
        /// Capacity in elements.
        len: u64,
        /// The start of each segment in `data`.
        starts: *const i64,
        /// Capacity of `starts` in entries.
        n_starts: u64,
    },
}

impl RawArg {
    /// True if its elements begin at this address.
    pub fn is_at(&self, place: *const u8) -> bool {
        match *self {
            RawArg::Dense { data, .. } | RawArg::View { data, .. } => data == place,
            RawArg::Scalar(_) => false,
        }
    }
}

/// The destination of a result, with room for `len` elements.
#[derive(Clone, Copy, Debug)]
pub struct RawSlice {
    /// The first element.
    pub data: *mut u8,
    /// Capacity in elements.
    pub len: u64,
}

/// A launch. Its lists are borrowed: a launch allocates nothing.
#[derive(Clone, Copy, Debug)]
pub struct RawLaunch<'a> {
    /// One for each shape parameter.
    pub shapes: &'a [RawShape],
    /// One for each parameter.
    pub args: &'a [RawArg],
    /// One for each value of `ret`.
    pub results: &'a [RawSlice],
}

/// The least fault of a launch.
#[derive(Clone, PartialEq, Debug)]
pub struct RawFault {
    /// The site.
    pub site: SiteId,
    /// The number of the point, row by row.
    pub element: u64,
    /// The level of the point.
    pub level: usize,
    /// The kind of the fault.
    pub kind: FaultKind,
    /// Whether nests that were skipped because of it might have faulted at a lesser site.
    pub unsure: bool,
}
