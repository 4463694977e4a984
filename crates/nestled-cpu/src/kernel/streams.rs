//! Access to one stream of a nest after all pieces are done: the points that each piece appended.
#![allow(unsafe_code)] // Reads streams by address.

use super::piece_buffers::{Collected, PieceBuffers};
use super::raw::RawSlice;
use super::running::Running;
use crate::codegen::nest::NestPlan;
use nestled_ir::ValueId;
use nestled_kernel::stream::Stream;

// SAFETY: the pieces that wrote the streams are done, and from then on threads only read them through this. Whoever writes to an address that it hands out says at
// that place why nobody else does.
unsafe impl Sync for Streams<'_> {}

/// One stream of a nest.
pub(super) struct Streams<'a> {
    /// The launch.
    pub running: &'a Running<'a>,
    /// The nest.
    pub plan: &'a NestPlan,
    /// The stream.
    pub stream: &'a Stream,
    /// Its number among those of the nest.
    pub number: usize,
    /// The number of its first component among those of all streams.
    pub first: usize,
    /// The buffers of the pieces.
    pub collected: &'a Collected,
}

impl Streams<'_> {
    /// Returns the destination of a value, if it is a result.
    pub fn result(&self, bind: ValueId) -> Option<RawSlice> {
        let position = self.running.kernel.plan.kernel.ret.iter().position(|&value| value == bind)?;
        Some(self.running.launch.results[position])
    }

    /// Returns the buffers of a piece.
    pub fn buffers(&self, piece: usize) -> &PieceBuffers {
        &self.collected.buffers[piece]
    }

    /// Returns the number of points that a piece appended.
    pub fn count(&self, buffers: &PieceBuffers) -> usize {
        buffers.counts[self.number] as usize
    }

    /// Returns the buffer of a component of a piece.
    pub fn buffer(&self, buffers: &PieceBuffers, component: usize) -> *const u8 {
        buffers.streams[self.first + component]
    }

    /// Returns the number of points before each piece, followed by the total.
    pub fn starts(&self) -> Vec<usize> {
        let mut starts = vec![0];
        let mut total = 0;
        for buffers in &self.collected.buffers {
            total += self.count(buffers);
            starts.push(total);
        }
        starts
    }

    /// Returns the end of a group in the stream of its piece.
    pub fn end(&self, group: usize) -> usize {
        let Some(ends) = &self.collected.ends else { return 0 };
        let cell = group * self.plan.streams.len() + self.number;
        // SAFETY: `groups.rs` made a cell for each group and stream, and pieces wrote those of all their groups; `group` is one that there is.
        unsafe { *ends.address().cast::<i64>().add(cell) as usize }
    }

    /// Returns an index component of a point.
    pub fn number_of(&self, buffers: &PieceBuffers, at: usize, component: usize) -> i64 {
        // SAFETY: the piece appended more than `at` points, each with this component, which callers take for one of 64 bits: coordinates, a class, a number.
        unsafe { *self.buffer(buffers, component).cast::<i64>().add(at) }
    }
}
