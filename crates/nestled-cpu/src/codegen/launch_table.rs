//! The slot table: passes the numbers and addresses of a launch to generated code.
//!
//! Each slot is eight bytes. The layout depends only on the kernel; the driver fills the table at each launch.

use super::emit::{Emit, memory_type};
use super::text::Name;
use super::value::{Depth, Val};
use nestled_ir::ScalarType;

/// The contents of a slot.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Slot {
    /// The address of the interrupt flag, a byte that is not zero once the end is requested. Always the first slot.
    Interrupt,
    /// A shape parameter that is an extent.
    Extent(usize),
    /// The length of the segments of a regular shape parameter.
    Length(usize),
    /// The address of the offsets of a shape parameter.
    Offsets(usize),
    /// A scalar parameter.
    Scalar(usize),
    /// The address of an array parameter's elements.
    Data(usize),
    /// The number of elements of an array parameter that may be read.
    Elements(usize),
    /// The address of a view's starts.
    Starts(usize),
    /// The address of a result.
    Result(usize),
    /// The address of an array that lives as long as the launch.
    Stored(usize),
    /// For a ring, and others with the same layout: the row at which the ring wraps around.
    Turn(usize),
    /// For a ring, and others with the same layout: the number of rows.
    Rows(usize),
    /// For a band in strips: the number of columns of the rows of rings.
    Width,
    /// For a band in strips: the first column that is walked.
    Left,
    /// For a band in strips: the column after the last.
    Right,
    /// The number of points of a level.
    Points(usize),
}

/// The slots in use, and the values that the code being written has loaded from them.
#[derive(Clone, Debug)]
pub struct Slots {
    /// The layout.
    pub layout: Vec<Slot>,
}

impl Default for Slots {
    fn default() -> Slots {
        // First, so that loops find it wherever they are emitted.
        Slots { layout: vec![Slot::Interrupt] }
    }
}

impl Slots {
    /// Returns the position of a slot in the table, and adds it if it is new.
    pub fn position(&mut self, slot: Slot) -> usize {
        match self.layout.iter().position(|known| *known == slot) {
            Some(position) => position,
            None => {
                self.layout.push(slot);
                self.layout.len() - 1
            }
        }
    }

    /// Loads an address at the entry.
    pub fn address(&mut self, emit: &mut Emit<'_>, slot: Slot) -> Name {
        let at = self.place(emit, slot);
        emit.define_at(Depth::Entry, format_args!("load ptr, ptr {at}, align 8"))
    }

    /// Loads a number at the entry.
    pub fn number(&mut self, emit: &mut Emit<'_>, slot: Slot, ty: ScalarType) -> Val {
        let at = self.place(emit, slot);
        let loaded =
            emit.define_at(Depth::Entry, format_args!("load {}, ptr {at}, align 8", memory_type(ty)));
        let name = match ty {
            ScalarType::Bool => emit.define_at(Depth::Entry, format_args!("icmp ne i8 {loaded}, 0")),
            _ => loaded,
        };
        Val::uniform(ty, Depth::Entry, name)
    }

    fn place(&mut self, emit: &mut Emit<'_>, slot: Slot) -> Name {
        let position = self.position(slot);
        emit.define_at(Depth::Entry, format_args!("getelementptr inbounds i64, ptr %slots, i64 {position}"))
    }
}
