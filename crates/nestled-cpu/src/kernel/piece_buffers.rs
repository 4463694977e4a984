//! Buffers of a piece: its private memory for streams and private arrays.
#![allow(unsafe_code)] // Threads hand buffers to each other.

use super::loaded::LoadedFunction;
use super::running::Running;
use super::scratch::{NoMemory, ScratchBlock};
use nestled_ir::{Atom, ScalarType};
use std::sync::{Mutex, PoisonError};

/// The buffers of a piece.
#[derive(Default)]
pub(super) struct PieceBuffers {
    blocks: Vec<ScratchBlock>,
    /// For each component of each stream, the destination of its points: mostly the address of a buffer.
    pub streams: Vec<*mut u8>,
    /// Number of points in each stream.
    pub counts: Vec<i64>,
    /// The address of the buffer of each private array.
    pub privates: Vec<*mut u8>,
    /// Tables that the piece owns while it runs, with their streams.
    pub tables: Vec<(usize, ScratchBlock)>,
}

// SAFETY: its addresses lead into its blocks, which it owns and may take along, or into a destination, which whoever follows them answers for.
unsafe impl Send for PieceBuffers {}
// SAFETY: a shared reference gives addresses and counts to be read; following an address is `unsafe` where it is done.
unsafe impl Sync for PieceBuffers {}

/// The streams of a nest, piece by piece.
pub(super) struct Collected {
    /// The buffers of each piece, in order.
    pub buffers: Vec<PieceBuffers>,
    /// For nests over groups with grouped streams: for each group and stream, its end in the stream of its piece.
    pub ends: Option<ScratchBlock>,
    /// For nests over groups: the first group of each piece, followed by the number of groups.
    pub bounds: Vec<u64>,
}

/// A collection of the buffers of concurrent pieces: one place for each, or none if there are no streams.
pub(super) struct Kept(Vec<Mutex<Option<PieceBuffers>>>);

impl Kept {
    /// Makes places for `pieces` pieces.
    pub(super) fn new(pieces: usize) -> Kept {
        Kept((0..pieces).map(|_| Mutex::new(None)).collect())
    }

    /// Keeps the buffers of a piece; returns them if there is no place for them.
    pub(super) fn put(&self, piece: usize, buffers: PieceBuffers) -> Option<PieceBuffers> {
        let Some(place) = self.0.get(piece) else { return Some(buffers) };
        *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(buffers);
        None
    }

    /// Returns all buffers, in order.
    pub(super) fn collect(self) -> Collected {
        let take = |buffers: Mutex<Option<PieceBuffers>>| {
            buffers.into_inner().unwrap_or_else(PoisonError::into_inner)
        };
        Collected { buffers: self.0.into_iter().filter_map(take).collect(), ends: None, bounds: Vec::new() }
    }
}

impl PieceBuffers {
    /// Allocates buffers for the private arrays of a function.
    pub(super) fn of(running: &Running<'_>, function: LoadedFunction) -> Result<PieceBuffers, NoMemory> {
        let mut buffers = PieceBuffers::default();
        buffers.add_privates(running, function)?;
        Ok(buffers)
    }

    /// Allocates a buffer for a component of a stream, for `points` points.
    pub(super) fn add_stream(
        &mut self,
        running: &Running<'_>,
        points: u64,
        ty: ScalarType,
    ) -> Result<(), NoMemory> {
        let block = running.scratch.take((points as usize).saturating_mul(ty.size()))?;
        self.streams.push(block.address());
        self.blocks.push(block);
        Ok(())
    }

    /// Allocates buffers for the private arrays of a function.
    pub(super) fn add_privates(
        &mut self,
        running: &Running<'_>,
        function: LoadedFunction,
    ) -> Result<(), NoMemory> {
        let Some(number) = function.privates else { return Ok(()) };
        let list = running.kernel.tables.privates.values().nth(number);
        for array in list.into_iter().flatten() {
            let size = match array.size {
                Atom::Const(scalar) => scalar.as_integer().unwrap_or(0),
                Atom::Value(value) => running.scalar(value),
                Atom::Local(_) => 0,
            };
            let bytes = (size.max(0) as u64).saturating_mul((array.lanes * array.elem.size()) as u64);
            let block = running.scratch.take(usize::try_from(bytes).unwrap_or(usize::MAX))?;
            self.privates.push(block.address());
            self.blocks.push(block);
        }
        Ok(())
    }

    /// Frees the buffers.
    pub(super) fn give(self, running: &Running<'_>) {
        for block in self.blocks {
            running.scratch.give(block);
        }
    }
}
