//! Kernel launches: compile requests, arguments and result slices that the executor hands to a device.

use super::slice::{Cell, Extent, Slice};
use crate::trace::When;
use nestled_ir::{KernelId, Scalar, SiteId};

/// A kernel to prepare.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct KernelRequest {
    /// The kernel.
    pub kernel: KernelId,
    /// True if extents may reach 2³¹, so that `idx` needs 64 bits. Devices without a narrow form ignore it.
    pub wide: bool,
}

/// A prepared kernel of one device.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct KernelHandle(pub u64);

/// A compiled kernel: the reply to a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Compiled {
    /// The handle to launch.
    pub handle: KernelHandle,
    /// Results that may be written over an argument at its last use.
    pub in_place: Vec<InPlace>,
    /// The provenance of its code; absent where a device compiles nothing.
    pub made: Option<Made>,
}

/// Provenance of a kernel's code, for traces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Made {
    /// The origin.
    pub origin: Origin,
    /// When. Kernels that were made side by side overlap.
    pub when: When,
}

/// Origin of a kernel's code: a cache or the compiler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// Cached in this process.
    Memory,
    /// Cached on disk by an earlier run.
    Disk,
    /// Compiled now.
    Compiler,
    /// To be compiled at the first launch.
    Later,
}

impl Origin {
    /// In a word or two, for people.
    pub fn name(self) -> &'static str {
        match self {
            Origin::Memory => "cached in memory",
            Origin::Disk => "cached on disk",
            Origin::Compiler => "compiled",
            Origin::Later => "compiled at the first launch",
        }
    }
}

/// The kernel may write a result over an argument: it reads no element of it after it wrote that place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InPlace {
    /// Position in the kernel's `params`: a dense array of the result's element type and shape.
    pub param: usize,
    /// Position in the kernel's `ret`.
    pub result: usize,
}

/// One launch. Its lists are borrowed: a launch allocates nothing.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// The kernel to run.
    pub kernel: KernelHandle,
    /// One for each shape parameter.
    pub shapes: &'a [ShapeArg],
    /// One for each parameter.
    pub args: &'a [Arg],
    /// One for each value of `ret`: the array; the number or count (one element); or the offsets of a segmentation (one more than
    /// there are segments at most, to be padded with the total up to the end of the slice).
    pub results: &'a [Slice],
    /// Regions are numbered in the order in which they run.
    pub region: u64,
    /// The least site of this launch and of everything later in its region; absent where there is none. The launch may be
    /// skipped after a fault of an earlier region, or of a lesser site.
    pub least_site: Option<SiteId>,
}

/// A shape argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShapeArg {
    /// An extent.
    Extent(Extent),
    /// A regular segmentation: all segments have one length.
    Regular {
        /// The length of each.
        length: Extent,
    },
    /// A segmentation with offsets.
    Offsets {
        /// `idx` elements: one more than there are segments at most, padded with the total.
        offsets: Slice,
        /// The number of points.
        total: Extent,
    },
}

/// An argument.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Arg {
    /// A number that the host knows.
    Scalar(Scalar),
    /// A number on the device.
    Cell(Cell),
    /// A dense array, row by row.
    Dense(Slice),
    /// A view: segments at starts of their own.
    View {
        /// The elements.
        data: Slice,
        /// `idx` elements: where in `data` each segment starts.
        starts: Slice,
    },
}
