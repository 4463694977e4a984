//! Single-pass filters over the whole. A piece waits until the number of points kept by all earlier pieces is known; then it moves its points to
//! their final places while they are in the cache, and its buffers are reused by another piece.
#![allow(unsafe_code)] // Moves elements between memory known by address.

use super::call::Piece;
use super::nest::NestRun;
use super::nontemporal;
use super::piece_buffers::{Collected, Kept, PieceBuffers};
use super::running::Running;
use super::scratch::NoMemory;
use super::shared::SharedPointer;
use super::turns::Turns;
use crate::codegen::nest::NestPlan;
use nestled_ir::CombinatorKind;
use nestled_ir::reduction_order::TILE;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

/// The destination of a component of a stream.
#[derive(Debug)]
struct Destination {
    /// The number of its stream.
    stream: usize,
    /// The number of the component among those of all streams.
    component: usize,
    /// Bytes of an element.
    size: usize,
    data: SharedPointer<u8>,
}

/// The streams of a nest that are placed in a single pass.
#[derive(Debug)]
pub struct Placing {
    turns: Turns,
    /// For each stream, the number of points kept by the pieces that had their turn. Updated only in turn.
    kept: Vec<AtomicU64>,
    /// For each stream, the destination of its number of points.
    totals: Vec<Option<SharedPointer<i64>>>,
    destinations: Vec<Destination>,
    /// Number of positions of the whole.
    total: u64,
    /// Maximum number of positions of a piece.
    pub size: u64,
}

impl Placing {
    /// Prepares a nest over the whole with `total` positions; `None` unless all of its streams are filters over the whole.
    pub fn new(running: &Running<'_>, plan: &NestPlan, total: u64) -> Option<Placing> {
        let kernel = &running.kernel.plan.kernel;
        let result = |bind| {
            let position = kernel.ret.iter().position(|&value| value == bind)?;
            Some(running.launch.results[position].data)
        };
        let (mut totals, mut destinations) = (Vec::new(), Vec::new());
        let (mut component, mut bytes) = (0, 0);
        for (number, stream) in plan.streams.iter().enumerate() {
            let step = &kernel.steps[stream.step];
            let CombinatorKind::Filter { within } = step.kind else { return None };
            if within.0 > 0 {
                return None;
            }
            totals.push(result(step.binds[0]).map(|data| SharedPointer(data.cast())));
            for (ty, &bind) in stream.types.iter().zip(&step.binds[1..]) {
                if let Some(data) = result(bind) {
                    destinations.push(Destination {
                        stream: number,
                        component,
                        size: ty.size(),
                        data: SharedPointer(data),
                    });
                }
                component += 1;
                bytes += ty.size() as u64;
            }
        }
        let kept = totals.iter().map(|_| AtomicU64::new(0)).collect();
        let multiple = if plan.nest.tiled { TILE } else { 64 };
        let size = (running.thresholds.piece_bytes / bytes.max(1) / multiple).max(1) * multiple;
        (!totals.is_empty()).then(|| Placing {
            turns: Turns::default(),
            kept,
            totals,
            destinations,
            total,
            size,
        })
    }

    /// Runs `main` of a nest on the piece with number `turn`, and moves the points that it keeps.
    ///
    /// # Safety
    /// As for [`NestRun::piece`].
    pub unsafe fn piece(&self, nest: &NestRun<'_>, turn: usize, piece: Piece<'_>) -> Result<(), NoMemory> {
        let (running, end) = (nest.running, piece.range.end);
        // SAFETY: `main` is the nest's; the rest is what our caller promises.
        let outcome = unsafe { nest.piece(nest.entries.main, piece) };
        let (buffers, outcome): (Option<PieceBuffers>, _) = match outcome {
            Ok(buffers) => (buffers, Ok(())),
            Err(error) => (None, Err(error)),
        };
        // Later pieces wait for this one in any case.
        self.turns.wait(turn);
        let count = |stream: usize| buffers.as_ref().map_or(0, |buffers| buffers.counts[stream] as u64);
        let mut starts = Vec::with_capacity(self.kept.len());
        for (stream, kept) in self.kept.iter().enumerate() {
            let start = kept.load(Ordering::Relaxed);
            kept.store(start + count(stream), Ordering::Relaxed);
            starts.push(start);
        }
        self.turns.done(turn);
        if let Some(buffers) = buffers {
            for destination in &self.destinations {
                let (start, count) = (starts[destination.stream], buffers.counts[destination.stream] as u64);
                // Extrapolates the final number of points.
                let expected = (start + count) as f64 / end as f64 * self.total as f64;
                let past = expected * destination.size as f64 >= running.thresholds.streaming as f64;
                destination.place(&buffers, start, count, past);
            }
            buffers.give(running);
        }
        outcome
    }

    /// Completes the placement after all pieces are done; without one, returns the collected streams.
    pub fn end(placing: Option<Placing>, kept: Kept) -> Option<Collected> {
        match placing {
            Some(placing) => {
                placing.finish();
                None
            }
            None => Some(kept.collect()),
        }
    }

    /// Writes the number of points kept, after all pieces are done.
    fn finish(&self) {
        for (kept, total) in self.kept.iter().zip(&self.totals) {
            if let Some(total) = total {
                // SAFETY: the result that a filter counts its points in has room for one number, and no piece is under way that could write it.
                unsafe { total.0.write(kept.load(Ordering::Relaxed) as i64) };
            }
        }
    }
}

impl Destination {
    /// Moves the points of a piece; with `past`, by non-temporal stores.
    fn place(&self, buffers: &PieceBuffers, start: u64, count: u64, past: bool) {
        let (from, to) = (buffers.streams[self.component], self.data.add(start as usize * self.size));
        let len = count as usize * self.size;
        // SAFETY: the buffer holds so many points. The result has room for all that the nest may keep; what it keeps goes from `start` on, which counts the points of
        // the pieces before, so that no two pieces are at one place.
        unsafe {
            match past {
                true => nontemporal::copy(from, to, len),
                false => ptr::copy_nonoverlapping(from, to, len),
            }
        }
    }
}
