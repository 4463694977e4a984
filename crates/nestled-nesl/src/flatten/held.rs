//! Sequences that a `serial` updates in place, as values of its thunk. All versions of a sequence share private arrays, which have the last version that was
//! written, or the one before.

use super::val::Val;
use nestled_ir::{Atom, Axis, PrivateId};
use std::rc::Rc;

/// A sequence that a `serial` updates in place.
#[derive(Debug)]
pub(super) struct Held {
    /// The private arrays, one for each scalar of an element.
    pub privates: Vec<PrivateId>,
    /// The elements before the loop.
    pub elems: Val,
    pub shape: Axis,
    /// Its length.
    pub len: Atom,
    /// The version of the sequence.
    pub version: u32,
}

/// An element whose write is delayed: the version before it may still be read.
#[derive(Clone, Debug)]
pub(super) struct Unwritten {
    pub held: Rc<Held>,
    pub at: Atom,
    pub values: Vec<Atom>,
}

impl Held {
    /// True if both are versions of one sequence.
    pub fn is(&self, other: &Held) -> bool {
        self.privates == other.privates
    }
}
