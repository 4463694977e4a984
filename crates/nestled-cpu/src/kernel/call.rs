//! The boundary to compiled code: the only place that calls a function compiled by LLVM, with its preconditions.
//!
//! A function reads the table of *slots* and does a *piece* of work. It trusts its inputs: it checks no length and no address. So each caller of
//! [`Running::call`] guarantees the following:
//!
//! | Input | Owner | Precondition | Established by |
//! |---|---|---|---|
//! | the function | the kernel, whose code is in memory as long as `Running` | it is of the same kernel as the slots | `LoadedKernel` alone makes them |
//! | `slots` | the launch; of a band, a copy of each thread's | one for each of `Plan::slots`, in that order; addresses lead to as many elements as shapes promise, readable 256 bytes past them | `launch_table.rs`, from a [`RawLaunch`](super::RawLaunch); `band.rs` |
//! | [`range`](Piece::range) | | positions, groups or rows that exist | the loop over pieces |
//! | memory that points of the range are stored to | the caller until the call returns | no concurrent call stores there: ranges of calls of one function are disjoint | the loop over pieces |
//! | [`state`](Piece::state), [`carry`](Piece::carry), [`total`](Piece::total) | the caller, lent | as many bytes as [the function](#functions) writes or reads; no concurrent call writes there | [`Row`] has an end and a lifetime; the choice of the row: the loop over pieces |
//! | [`streams`](Piece::streams) | the piece | the pointers of all streams of the nest (`Stream::pointers`), each to room for the points of the range | `nest.rs` |
//! | [`counts`](Piece::counts) | the piece | a number for each stream that is appended to | `nest.rs` |
//! | [`privates`](Piece::privates) | the piece | one buffer for each private array of the function, as large as the plan says | `piece_buffers.rs` |
//!
//! # Functions
//!
//! | Function of a nest | Range | `state` | `carry` | `total` |
//! |---|---|---|---|---|
//! | `main`, over the whole | positions | written: a row for each tile from the first row on, or one row | read: a row | written: a row |
//! | `main`, over groups | groups | written: ends of groups in streams, a number for each group and stream | | |
//! | `short` | all positions, at most `SHORT` | written: a row | read: a row | written: a row |
//! | `totals` | positions | | | written: a row |
//! | `chain` | none | read: a row, of `totals` | read: a row | written: the next row |
//! | `join` | tiles or pieces | read: all rows | | |
//! | `columns` | groups | written: its buffer | | |
//! | `tiles` | positions of one group | written: a row for each tile of the group, by the number of the tile | | |
//! | `close` | tiles of one group | read: their rows | | |
//! | of a scatter that combines in order | places | | | |
//! | of a scatter that merges tables | places | | | |
//!
//! A fault does not end a call: the least fault of the piece is in the record that comes back, and `Running` notes it.
#![allow(unsafe_code)] // Calls compiled code.

use super::loaded::LoadedFunction;
use super::rows::Row;
use super::running::Running;
use crate::codegen::fault::FaultRecord;
use crate::codegen::work::Work;
use std::ops::Range;

/// A piece of work: the parameters of a call beside the slots. See the [module](self) for its preconditions.
#[derive(Debug)]
pub(super) struct Piece<'a> {
    /// Positions, groups, rows or places.
    pub range: Range<u64>,
    /// The group of the positions, where one group is split.
    pub group: u64,
    /// Partial results.
    pub state: Row<'a>,
    /// The prefix of scans before the piece.
    pub carry: Row<'a>,
    /// The destination of the scans' totals.
    pub total: Row<'a>,
    /// For each component of each stream, the destination of its points.
    pub streams: &'a [*mut u8],
    /// For each stream, the number of points in it, before and after the call.
    pub counts: &'a mut [i64],
    /// For each private array, its buffer.
    pub privates: &'a [*mut u8],
}

impl Piece<'_> {
    /// Makes a piece with nothing beside its range.
    pub(super) fn over(range: Range<u64>) -> Piece<'static> {
        Piece {
            range,
            group: 0,
            state: Row::NONE,
            carry: Row::NONE,
            total: Row::NONE,
            streams: &[],
            counts: &mut [],
            privates: &[],
        }
    }

    /// Converts to the form that compiled code takes.
    fn work(&mut self) -> Work {
        Work {
            from: self.range.start as i64,
            to: self.range.end as i64,
            group: self.group as i64,
            state: self.state.start(),
            carry: self.carry.start(),
            total: self.total.start(),
            streams: self.streams.as_ptr(),
            counts: self.counts.as_mut_ptr(),
            privates: self.privates.as_ptr(),
            fault: FaultRecord::NONE,
        }
    }
}

impl Running<'_> {
    /// Calls a function on a piece of work, with these slots, and notes its fault.
    ///
    /// # Safety
    /// The preconditions of the [module](self).
    pub(super) unsafe fn call(&self, function: LoadedFunction, slots: &[u64], mut piece: Piece<'_>) {
        debug_assert_eq!(slots.len(), self.kernel.tables.slots.len(), "a number for each slot");
        let mut work = piece.work();
        // SAFETY: `LoadedFunction`s have the type of `Entry` and belong to a kernel whose code is in memory. What it reads and writes, it reaches through the slots
        // and the work, both of which are what the plan asks for: that is what our caller promises. Both outlive the call.
        unsafe { (function.entry())(slots.as_ptr(), &raw mut work) };
        self.note_record(&work.fault);
    }
}
