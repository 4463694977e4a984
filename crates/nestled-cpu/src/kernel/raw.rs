//! A launch with its handles resolved: pointers and numbers.
//!
//! Exact extents are read and clamped to their bounds by then. Every buffer lies at a multiple of 64 bytes and can be read for 256
//! bytes past its end, so vectors may reach over; what they find there means nothing. Slices need not begin where a buffer does.

use nestled_ir::interp::FaultKind;
use nestled_ir::{Scalar, SiteId};

/// A shape argument.
#[derive(Clone, Copy, Debug)]
pub enum RawShape {
    /// An extent.
    Extent(u64),
    /// A segmentation whose segments are equally long.
    Regular {
        /// The length of each.
        length: u64,
    },
    /// A segmentation with offsets.
    Offsets {
        /// The offsets: one more than there are segments, then padded with the total.
        offsets: *const i64,
        /// How many entries there are in all.
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
        /// How many elements there are room for.
        len: u64,
    },
    /// A view: segments at starts of their own.
    View {
        /// The first element.
        data: *const u8,
        /// How many elements there are room for.
        len: u64,
        /// Where in `data` each segment starts.
        starts: *const i64,
        /// How many starts there are room for.
        n_starts: u64,
    },
}

impl RawArg {
    /// Whether its elements begin here.
    pub fn is_at(&self, place: *const u8) -> bool {
        match *self {
            RawArg::Dense { data, .. } | RawArg::View { data, .. } => data == place,
            RawArg::Scalar(_) => false,
        }
    }
}

/// Where a result goes: room for `len` elements.
#[derive(Clone, Copy, Debug)]
pub struct RawSlice {
    /// The first element.
    pub data: *mut u8,
    /// How many elements there is room for.
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
    /// What happened.
    pub kind: FaultKind,
    /// What did not run because of it could have faulted at a lesser site.
    pub unsure: bool,
}
