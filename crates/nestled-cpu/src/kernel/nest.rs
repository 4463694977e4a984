//! Execution of a nest: its functions, the destinations of its scatters, and the call of one piece.
#![allow(unsafe_code)] // Calls compiled code.

use super::call::Piece;
use super::loaded::{LoadedFunction, NestEntries};
use super::measured_cost::MeasuredCost;
use super::parallel::Pieces;
use super::piece_buffers::{Kept, PieceBuffers};
use super::pieces::cut;
use super::rows::Rows;
use super::running::Running;
use super::scatter_destination::ScatterDestination;
use super::scratch::NoMemory;
use crate::codegen::nest::NestPlan;
use nestled_ir::ScalarType;

/// A nest during its execution.
pub(super) struct NestRun<'a> {
    /// The launch.
    pub running: &'a Running<'a>,
    /// The nest.
    pub plan: &'a NestPlan,
    /// Its functions.
    pub entries: NestEntries,
    /// The measured cost of a position.
    pub cost: &'a MeasuredCost,
    /// Whether it must run on one thread.
    pub alone: bool,
    /// The destinations of its scatters while it runs, by stream.
    destinations: Vec<Option<ScatterDestination>>,
}

impl<'a> NestRun<'a> {
    /// Prepares nest `number` of a launch.
    pub(super) fn new(running: &'a Running<'a>, number: usize) -> Result<NestRun<'a>, NoMemory> {
        let kernel = running.kernel;
        let (plan, entries) = (&kernel.plan.nests[number], kernel.nests[number]);
        let (destinations, alone) = ScatterDestination::of_nest(running, plan)?;
        let cost = &kernel.costs[number];
        Ok(NestRun { running, plan, entries, cost, alone, destinations })
    }

    /// Returns the number and the size of the pieces of `total` positions or groups.
    pub(super) fn cut(&self, positions: u64, total: u64, multiple: u64) -> (usize, u64) {
        // Pieces may run on any thread: work for a single thread is one piece.
        let pieces = if self.alone { 1 } else { self.running.pieces(positions, self.cost) };
        cut(total, pieces, multiple)
    }

    /// The pieces of so many positions.
    pub(super) fn pieces(&self, positions: u64, count: usize) -> Pieces<'_> {
        Pieces { running: self.running, cost: self.cost, positions, count }
    }

    /// Makes the collection of the buffers of `pieces` pieces.
    pub(super) fn kept(&self, pieces: usize) -> Kept {
        Kept::new(if self.plan.streams.is_empty() { 0 } else { pieces })
    }

    /// Runs one piece. Returns its buffers if they hold streams. `piece` has its range and its partial results; streams and private arrays are added
    /// here.
    ///
    /// # Safety
    /// `function` is one of this nest's. The range and the partial results satisfy the [preconditions](super::call).
    pub(super) unsafe fn piece(
        &self,
        function: LoadedFunction,
        piece: Piece<'_>,
    ) -> Result<Option<PieceBuffers>, NoMemory> {
        let (running, plan) = (self.running, self.plan);
        self.check(&piece);
        if plan.streams.is_empty() {
            // Streams are moved by the counts that the code computes, so their pieces must run. Other results are not followed after an interrupt.
            if running.is_interrupted() {
                return Ok(None);
            }
            let buffers = PieceBuffers::of(running, function)?;
            let piece = Piece { privates: &buffers.privates, ..piece };
            // SAFETY: range and partial results are what our caller promises; the nest has no streams; the function's private arrays have just been made.
            unsafe { running.call(function, running.slots, piece) };
            buffers.give(running);
            return Ok(None);
        }
        let (from, to) = (piece.range.start, piece.range.end);
        let points = match plan.nest.group {
            0 => to - from,
            _ => running.elements(plan, to) - running.elements(plan, from),
        };
        let mut buffers = self.buffers(function, points)?;
        let PieceBuffers { streams, counts, privates, .. } = &mut buffers;
        let piece = Piece { streams, counts, privates, ..piece };
        // SAFETY: range and partial results are what our caller promises. `buffers` has a pointer for each component of each stream, to room for all points of the
        // range or to a destination with a place for each index, a count for each stream, and the function's private arrays.
        unsafe { running.call(function, running.slots, piece) };
        for (stream, table) in buffers.tables.drain(..) {
            if let Some(destination) = &self.destinations[stream] {
                destination.give_table(table);
            }
        }
        Ok(Some(buffers))
    }

    /// Runs one piece, and keeps its buffers if there is a place for them.
    ///
    /// # Safety
    /// As for [`piece`](Self::piece).
    pub(super) unsafe fn piece_into(
        &self,
        kept: &Kept,
        number: usize,
        function: LoadedFunction,
        piece: Piece<'_>,
    ) -> Result<(), NoMemory> {
        // SAFETY: what is asked of our caller is what is asked of us.
        let buffers = unsafe { self.piece(function, piece)? };
        if let Some(rest) = buffers.and_then(|buffers| kept.put(number, buffers)) {
            rest.give(self.running);
        }
        Ok(())
    }

    /// Runs one piece of a function that writes no streams.
    ///
    /// # Safety
    /// `function` is one of this nest's, and appends to no stream: `totals`, `chain` or `join`. The range and the partial results satisfy the
    /// [preconditions](super::call).
    pub(super) unsafe fn piece_without_streams(
        &self,
        function: LoadedFunction,
        piece: Piece<'_>,
    ) -> Result<(), NoMemory> {
        self.check(&piece);
        let buffers = PieceBuffers::of(self.running, function)?;
        // A function loads the pointers of all streams at its entry, including those that it does not write.
        let pointers: usize = self.plan.streams.iter().map(|stream| stream.pointers()).sum();
        let streams = vec![std::ptr::null_mut(); pointers];
        let piece = Piece { streams: &streams, privates: &buffers.privates, ..piece };
        // SAFETY: range and partial results are what our caller promises; there is a pointer for each component of each stream, none of which is followed; the
        // function's private arrays have just been made.
        unsafe { self.running.call(function, self.running.slots, piece) };
        buffers.give(self.running);
        Ok(())
    }

    /// Checks that carries and totals, where given, have all cells of the nest.
    fn check(&self, piece: &Piece<'_>) {
        let cells = size_of_val(&self.plan.carry[..]);
        for row in [piece.carry, piece.total] {
            assert!(row.start().is_null() || row.bytes() >= cells, "a row has {cells} bytes");
        }
    }

    /// Allocates buffers for the streams of a piece of `points` points, and for the private arrays of a function.
    fn buffers(&self, function: LoadedFunction, points: u64) -> Result<PieceBuffers, NoMemory> {
        let running = self.running;
        let mut buffers = PieceBuffers::default();
        for (position, stream) in self.plan.streams.iter().enumerate() {
            buffers.counts.push(0);
            if let Some(destination) = &self.destinations[position] {
                let table = destination.pointers(running, stream.way, &mut buffers.streams)?;
                buffers.tables.extend(table.map(|table| (position, table)));
                continue;
            }
            let number = stream.numbered.then_some(ScalarType::Idx);
            for ty in stream.types.iter().copied().chain(number) {
                buffers.add_stream(running, points, ty)?;
            }
        }
        buffers.add_privates(running, function)?;
        Ok(buffers)
    }

    /// Combines rows of partial results into the nest's reductions, in order.
    pub(super) fn join(&self, rows: u64, state: &Rows) -> Result<(), NoMemory> {
        let Some(function) = self.entries.join else { return Ok(()) };
        let piece = Piece { state: state.from(0), ..Piece::over(0..rows) };
        // SAFETY: `join` reads so many rows, which are there and written: all pieces are done. Nothing else runs meanwhile, so that results are written by it alone.
        unsafe { self.piece_without_streams(function, piece) }
    }

    /// Completes the scatters of the nest, after all pieces are done.
    pub(super) fn finish(self) {
        for destination in self.destinations.into_iter().flatten() {
            destination.finish(self.running);
        }
    }
}
