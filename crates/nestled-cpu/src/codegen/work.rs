//! The parameters of a call of generated code beside the slots: a piece of work, and the addresses of its partial results.

use super::fault::FaultRecord;

/// A piece of work. Generated code knows the offsets of the fields, so they have the layout of C.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// The first position, or group, of the piece.
    pub from: i64,
    /// One past the last.
    pub to: i64,
    /// The group of the positions, where one group is split.
    pub group: i64,
    /// Partial results: one row of cells for each tile.
    pub state: *mut u8,
    /// The carry of scans from earlier pieces: a row of cells.
    pub carry: *mut u8,
    /// The destination of the scans' totals: a row of cells.
    pub total: *mut u8,
    /// For each component of each stream, the address of its buffer.
    pub streams: *const *mut u8,
    /// For each stream, the number of points in it.
    pub counts: *mut i64,
    /// For each private array, the address of its buffer.
    pub privates: *const *mut u8,
    /// The least fault of the piece.
    pub fault: FaultRecord,
}

/// Offsets of the fields in bytes.
pub mod offset {
    /// Of [`Work::from`](super::Work::from).
    pub const FROM: usize = 0;
    /// Of [`Work::to`](super::Work::to).
    pub const TO: usize = 8;
    /// Of [`Work::group`](super::Work::group).
    pub const GROUP: usize = 16;
    /// Of [`Work::state`](super::Work::state).
    pub const STATE: usize = 24;
    /// Of [`Work::carry`](super::Work::carry).
    pub const CARRY: usize = 32;
    /// Of [`Work::total`](super::Work::total).
    pub const TOTAL: usize = 40;
    /// Of [`Work::streams`](super::Work::streams).
    pub const STREAMS: usize = 48;
    /// Of [`Work::counts`](super::Work::counts).
    pub const COUNTS: usize = 56;
    /// Of [`Work::privates`](super::Work::privates).
    pub const PRIVATES: usize = 64;
    /// Of [`Work::fault`](super::Work::fault).
    pub const FAULT: usize = 72;
}

#[cfg(test)]
mod tests {
    use super::{Work, offset};
    use std::mem::offset_of;

    #[test]
    fn fields_lie_where_generated_code_looks() {
        assert_eq!(offset_of!(Work, from), offset::FROM);
        assert_eq!(offset_of!(Work, to), offset::TO);
        assert_eq!(offset_of!(Work, group), offset::GROUP);
        assert_eq!(offset_of!(Work, state), offset::STATE);
        assert_eq!(offset_of!(Work, carry), offset::CARRY);
        assert_eq!(offset_of!(Work, total), offset::TOTAL);
        assert_eq!(offset_of!(Work, streams), offset::STREAMS);
        assert_eq!(offset_of!(Work, counts), offset::COUNTS);
        assert_eq!(offset_of!(Work, privates), offset::PRIVATES);
        assert_eq!(offset_of!(Work, fault), offset::FAULT);
    }
}
