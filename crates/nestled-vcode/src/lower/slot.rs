//! What is known of a value while λcu is written: its type, and the symbols of its shape.

use crate::stack::ir::State;
use crate::syntax::instr::Elem;
use nestled_ir::{Axis, HostAtom, ValueId};
use std::rc::Rc;

/// The shape of a vector.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Form {
    /// Known to have one element: a λcu scalar.
    One,
    /// `[n]`
    Flat(Axis),
    /// `[s]`: cut by a segmentation.
    Seg(ValueId),
}

/// A vector.
#[derive(Clone, Copy, Debug)]
pub struct Vector {
    /// The type of its elements.
    pub elem: Elem,
    /// Its shape.
    pub form: Form,
    /// The λcu value.
    pub atom: HostAtom,
    /// What else is known of it.
    pub origin: Origin,
}

/// What is known of a vector of integers, beyond its shape.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Origin {
    /// Nothing.
    Any,
    /// One element: this extent.
    Extent(Axis),
    /// The lengths of a descriptor.
    LengthsOf(Descr),
    /// The ranks inside the segments of a descriptor: a permutation of each.
    RanksIn(Descr),
}

/// A descriptor.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Descr {
    /// Known to have one segment, of this length.
    Single(Axis),
    /// Any number of segments.
    Many {
        /// The segmentation.
        seg: ValueId,
        /// The number of segments.
        parent: Axis,
    },
}

/// What a slot of the stack holds.
#[derive(Clone, Debug)]
pub enum Slot {
    /// A vector.
    Vector(Vector),
    /// A descriptor.
    Descr(Descr),
    /// Two slots in one.
    Pair(Rc<(Slot, Slot)>),
    /// What the machine keeps besides the stack.
    State(State, HostAtom),
}

impl Slot {
    /// What a message calls it.
    pub fn describe(&self) -> String {
        match self {
            Slot::Vector(vector) => vector.elem.word().to_owned(),
            Slot::Descr(_) => "SEGDES".to_owned(),
            Slot::Pair(_) => "a pair".to_owned(),
            Slot::State(..) => "state of the machine".to_owned(),
        }
    }

    /// How many slots are glued together here.
    pub fn leaves(&self) -> usize {
        match self {
            Slot::Pair(pair) => pair.0.leaves() + pair.1.leaves(),
            Slot::Vector(_) | Slot::Descr(_) | Slot::State(..) => 1,
        }
    }

    /// Calls `visit` on all that is glued together here, in order.
    pub fn for_each<'a>(&'a self, visit: &mut dyn FnMut(&'a Slot)) {
        match self {
            Slot::Pair(pair) => {
                pair.0.for_each(visit);
                pair.1.for_each(visit);
            }
            Slot::Vector(_) | Slot::Descr(_) | Slot::State(..) => visit(self),
        }
    }
}

impl Vector {
    /// A vector of which nothing more is known.
    pub fn new(elem: Elem, form: Form, atom: HostAtom) -> Vector {
        Vector { elem, form, atom, origin: Origin::Any }
    }
}
