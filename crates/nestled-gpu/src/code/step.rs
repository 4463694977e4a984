//! Steps: the levels of a space or of an array, each as a step from the one above it.

/// The step from the points of some coordinates to those of one more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// A literal number of points for each.
    Const(u64),
    /// An extent: the position of the shape parameter.
    Extent(usize),
    /// A segmentation: the position of the shape parameter.
    Seg(usize),
    /// A view: the segmentation, and the position of the parameter with the starts of its segments.
    Placed {
        /// The position of the shape parameter.
        seg: usize,
        /// The position of the parameter.
        param: usize,
    },
}
