//! The interface of a thunk at W points: its inputs, its results, and its private arrays.

use super::fault::FaultSites;
use super::point::{Assumed, Captures, Point};
use super::private::PrivateArray;
use super::text::Name;
use super::value::Val;
use nestled_ir::{Kernel, Program};

/// What a thunk's code is written with.
#[derive(Debug)]
pub struct Lane<'a> {
    /// The program, for named thunks and monoids.
    pub program: &'a Program,
    /// The kernel around the thunk.
    pub kernel: &'a Kernel,
    /// What can be read.
    pub captures: &'a Captures,
    /// Kinds of faults.
    pub faults: &'a mut FaultSites,
    /// Private arrays: how many bytes of the scratch memory at `scratch` are in use, and by what.
    pub privates: &'a mut Privates,
    /// The points.
    pub point: &'a Point,
    /// Present in the quick version of a loop's body: then all lanes are there, and index checks along the vector's axis (of
    /// indices linear in it) and on indices that are the same for the row need not be made, but are collected here.
    pub assumed: Option<Assumed>,
    /// Whether rows are done beside each other: then a row that is read is called the same, whether it is the own one of a point or a neighbour's.
    pub beside: bool,
    /// Whether an array may have 2³¹ elements or more.
    pub wide: bool,
    /// Whether there is one point and no more, which is there: then all that a thunk computes is the same for all lanes, private arrays included.
    pub alone: bool,
    /// The private arrays that the thunk is given.
    pub given: Vec<PrivateArray>,
}

/// What a thunk comes to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Its results; zero in lanes that faulted. In lanes that were not there, anything.
    pub values: Vec<Val>,
    /// The lanes that were there and have not faulted.
    pub live: Val,
}

/// The private arrays of a function's thunks. Each has `capacity · W` elements in scratch memory, lane by lane side by side:
/// element k of lane l is at `k · W + l`.
#[derive(Debug, Default)]
pub struct Privates {
    /// In the order in which they were made.
    pub arrays: Vec<PrivateRoom>,
    /// The numbers of those that the current thunk uses.
    pub(super) taken: Vec<usize>,
}

/// The room of one private array. Its address, a `ptr`, is loaded at the entry from the table of rooms: entry `number` of the
/// array of pointers at `%privates`, a parameter of the function.
#[derive(Clone, PartialEq, Debug)]
pub struct PrivateRoom {
    /// How many elements each lane has: an `idx` literal or a scalar of the kernel.
    pub size: nestled_ir::Atom,
    /// The type of an element.
    pub elem: nestled_ir::ScalarType,
    /// Lanes; 1 where all have one array.
    pub lanes: usize,
    /// The address.
    pub data: Name,
}
