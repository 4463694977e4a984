//! The boundary to compiled code: the one place where a function that LLVM made is called, and what must hold then.
//!
//! A function reads the table of *slots* and does a *piece* of work. It believes everything that it is given: it checks no length and no address. So this is what
//! whoever calls [`Running::call`] promises, and where to look for each:
//!
//! | What | Whose it is | What must hold | Where it is seen to |
//! |---|---|---|---|
//! | the function | the kernel's, whose code is in memory as long as `Running` | it is of the same kernel as the slots | `LoadedKernel` alone makes them |
//! | `slots` | the launch's; of a band, a copy of each thread's | one for each of `Plan::slots`, in that order; addresses lead to as many elements as shapes promise, readable 256 bytes past them | `slots.rs`, from a [`RawLaunch`](super::RawLaunch); `band.rs` |
//! | [`range`](Piece::range) | | positions, groups or rows that there are | the loop over pieces |
//! | what points of the range are stored to | the caller's until the call returns | no other call at the same time stores there: ranges of calls of one function are disjoint | the loop over pieces |
//! | [`state`](Piece::state), [`carry`](Piece::carry), [`total`](Piece::total) | the caller's, lent | as many bytes as [the function](#functions) writes or reads; no other call at the same time writes there | [`Row`] has an end and a life; which row, the loop over pieces |
//! | [`streams`](Piece::streams) | the piece's | the pointers of all streams of the nest (`Stream::pointers`), each to room for the points of the range | `nest.rs` |
//! | [`counts`](Piece::counts) | the piece's | a number for each stream that is appended to | `nest.rs` |
//! | [`privates`](Piece::privates) | the piece's | one room for each private array of the function, as large as the plan says | `rooms.rs` |
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
//! | `columns` | groups | written: its room | | |
//! | `tiles` | positions of one group | written: a row for each tile of the group, by the number of the tile | | |
//! | `close` | tiles of one group | read: their rows | | |
//! | of a scatter that combines in order | places | | | |
//! | of a scatter that merges tables | places | | | |
//!
//! A fault does not end a call: the least one of the piece is in the record that comes back, and `Running` takes note of it.
#![allow(unsafe_code)] // Calls compiled code.

use super::loaded::Function;
use super::rows::Row;
use super::running::Running;
use crate::codegen::fault::FaultRecord;
use crate::codegen::work::Work;
use std::ops::Range;

/// A piece of work: what a call is given beside the slots. See the [module](self) for what must hold.
#[derive(Debug)]
pub(super) struct Piece<'a> {
    /// Positions, groups, rows or places.
    pub range: Range<u64>,
    /// The group that positions are of, where one group is cut.
    pub group: u64,
    /// Partial results.
    pub state: Row<'a>,
    /// What scans bring along from the pieces before.
    pub carry: Row<'a>,
    /// Where scans write what they come to.
    pub total: Row<'a>,
    /// For each component of each stream, where its points go.
    pub streams: &'a [*mut u8],
    /// For each stream, how many points are in it: before the call, and after it.
    pub counts: &'a mut [i64],
    /// For each private array, its room.
    pub privates: &'a [*mut u8],
}

impl Piece<'_> {
    /// A piece with nothing beside its range.
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

    /// As compiled code takes it.
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
    /// Calls a function on a piece of work, with these slots, and takes note of its fault.
    ///
    /// # Safety
    /// What the [module](self) asks for.
    pub(super) unsafe fn call(&self, function: Function, slots: &[u64], mut piece: Piece<'_>) {
        debug_assert_eq!(slots.len(), self.kernel.plan.slots.len(), "a number for each slot");
        let mut work = piece.work();
        // SAFETY: `Function`s have the type of `Entry` and belong to a kernel whose code is in memory. What it reads and writes, it reaches through the slots
        // and the work, both of which are what the plan asks for: that is what our caller promises. Both outlive the call.
        unsafe { (function.entry())(slots.as_ptr(), &raw mut work) };
        self.note_record(&work.fault);
    }
}
