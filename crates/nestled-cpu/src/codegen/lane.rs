//! The interface of a thunk at W points: its inputs, its results, and its private arrays.

use super::fault::FaultSites;
use super::point::{Assumed, Captures, Point};
use super::text::Name;
use super::value::Val;
use nestled_ir::{Kernel, Program};

/// The context in which a thunk's code is emitted.
#[derive(Debug)]
pub struct Lane<'a> {
    /// The program, for named thunks and monoids.
    pub program: &'a Program,
    /// The kernel around the thunk.
    pub kernel: &'a Kernel,
    /// The values that can be read.
    pub captures: &'a Captures,
    /// The fault templates.
    pub faults: &'a mut FaultSites,
    /// The private arrays of the function, and which of them are in use.
    pub privates: &'a mut Privates,
    /// The points.
    pub point: &'a Point,
    /// Present in the interior version of a loop's body, where all lanes are present. Checks of indices that are linear along the vector's axis, and of
    /// indices that are uniform over the row, are omitted and collected here as assumptions.
    pub assumed: Option<Assumed>,
    /// Whether rows are jammed. Then a row that is read has one name, whether it is a point's own row or that of a neighbour, so that loads can be
    /// merged.
    pub beside: bool,
    /// Whether an array may have 2³¹ elements or more.
    pub wide: bool,
    /// Whether the thunk runs at a single, present point: then all of its values are uniform, and private arrays are shared by all lanes.
    pub alone: bool,
    /// The private arrays passed to the thunk.
    pub given: Vec<PrivateArray>,
}

/// The result of a thunk.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Its results; zero in lanes that faulted, unspecified in lanes that were not present.
    pub values: Vec<Val>,
    /// The lanes that were present and have not faulted.
    pub live: Val,
}

/// A private array of a thunk.
#[derive(Clone, Debug)]
pub struct PrivateArray {
    /// The address.
    pub(super) data: Name,
    /// Number of elements of each lane; not negative.
    pub(super) size: Val,
}

/// The private arrays of a function's thunks. Each has `capacity · W` elements in scratch memory, interleaved across lanes: element k of lane l is at
/// `k · W + l`.
#[derive(Debug, Default)]
pub struct Privates {
    /// In the order in which they were made.
    pub arrays: Vec<PrivateBuffer>,
    /// The numbers of those that the current thunk uses.
    pub(super) taken: Vec<usize>,
}

/// The buffer of one private array. Its address, a `ptr`, is loaded at the entry from the table at `%privates`, a parameter of the function: entry
/// `number`.
#[derive(Clone, PartialEq, Debug)]
pub struct PrivateBuffer {
    /// Number of elements of each lane: an `idx` literal or a scalar of the kernel.
    pub size: nestled_ir::Atom,
    /// The type of an element.
    pub elem: nestled_ir::ScalarType,
    /// Number of lanes; 1 if all share one array.
    pub lanes: usize,
    /// The address.
    pub data: Name,
}

impl Privates {
    /// Begins the code of a thunk: no buffer is in use, since private arrays end with their thunk.
    pub(super) fn begin_thunk(&mut self) {
        self.taken.clear();
    }
}
