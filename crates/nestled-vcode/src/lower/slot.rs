//! Abstract values of lowering: types of stack slots, and the symbols of their shapes.

use crate::stack::ir::State;
use crate::syntax::instr::Elem;
use nestled_ir::{Axis, HostAtom, ValueId};
use std::rc::Rc;

/// The form of a vector: its known shape.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Form {
    /// Known to have one element: a λcu scalar.
    One,
    /// `[n]`
    Flat(Axis),
    /// `[s]`: segmented.
    Seg(ValueId),
}

/// A vector.
#[derive(Clone, Copy, Debug)]
pub struct Vector {
    /// The type of its elements.
    pub elem: Elem,
    /// Its known shape.
    pub form: Form,
    /// The λcu value.
    pub atom: HostAtom,
    /// Further facts about it.
    pub origin: Origin,
}

/// Facts about a vector of integers, beyond its shape.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Origin {
    /// None.
    Any,
    /// One element, equal to this extent.
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

/// The content of a slot of the stack.
#[derive(Clone, Debug)]
pub enum Slot {
    /// A vector.
    Vector(Vector),
    /// A descriptor.
    Descr(Descr),
    /// A pair of slots.
    Pair(Rc<(Slot, Slot)>),
    /// A part of the machine's state besides the stack.
    State(State, HostAtom),
}

impl Slot {
    /// Returns the name used in messages.
    pub fn describe(&self) -> String {
        match self {
            Slot::Vector(vector) => vector.elem.word().to_owned(),
            Slot::Descr(_) => "SEGDES".to_owned(),
            Slot::Pair(_) => "a pair".to_owned(),
            Slot::State(..) => "state of the machine".to_owned(),
        }
    }

    /// Returns the number of leaves of nested pairs.
    pub fn leaves(&self) -> usize {
        match self {
            Slot::Pair(pair) => pair.0.leaves() + pair.1.leaves(),
            Slot::Vector(_) | Slot::Descr(_) | Slot::State(..) => 1,
        }
    }

    /// Calls `visit` with each leaf of nested pairs, in order.
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
    /// Makes a vector without further facts.
    pub fn new(elem: Elem, form: Form, atom: HostAtom) -> Vector {
        Vector { elem, form, atom, origin: Origin::Any }
    }
}
