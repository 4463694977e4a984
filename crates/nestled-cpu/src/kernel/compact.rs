//! Completion of stream compaction: moves the streams of all pieces to their final places.
#![allow(unsafe_code)] // Moves elements between memory known by address.

use super::ordered_scatter;
use super::partition_points;
use super::piece_buffers::Collected;
use super::raw::RawSlice;
use super::running::Running;
use super::scratch::NoMemory;
use super::shared::SharedPointer;
use super::streams::Streams;
use crate::codegen::nest::NestPlan;
use nestled_ir::{Combinator, CombinatorKind};
use nestled_kernel::stream::Way;
use std::ptr;

/// Moves all streams, and frees the pieces' buffers.
pub(super) fn finish(running: &Running<'_>, plan: &NestPlan, collected: Collected) -> Result<(), NoMemory> {
    let mut first = 0;
    for (number, stream) in plan.streams.iter().enumerate() {
        let streams = Streams { running, plan, stream, number, first, collected: &collected };
        let step = &running.kernel.plan.kernel.steps[stream.step];
        match &step.kind {
            CombinatorKind::Filter { within } => filter(&streams, step, within.0),
            CombinatorKind::Partition { within, classes, site } => {
                partition_points::partition(&streams, step, within.0, *classes, *site)?;
            }
            CombinatorKind::Permute { .. } if stream.way == Way::Append => {
                ordered_scatter::permute(&streams, step)?
            }
            // Already scattered while the nest ran.
            CombinatorKind::Permute { .. } => {}
            CombinatorKind::Map
            | CombinatorKind::Reduce { .. }
            | CombinatorKind::Scan { .. }
            | CombinatorKind::Serial { .. } => {}
        }
        first += stream.pointers();
    }
    for buffers in collected.buffers {
        buffers.give(running);
    }
    if let Some(ends) = collected.ends {
        running.scratch.give(ends);
    }
    Ok(())
}

/// Moves the points that a filter keeps, and writes their number.
fn filter(streams: &Streams<'_>, step: &Combinator, within: usize) {
    let starts = streams.starts();
    let total = starts.last().copied().unwrap_or(0);
    if let Some(shape) = streams.result(step.binds[0]) {
        if within == 0 {
            // SAFETY: the result is one number, and only this thread writes results now.
            unsafe { shape.data.cast::<i64>().write(total as i64) };
        } else {
            offsets(streams, shape, &starts);
        }
    }
    for (component, &bind) in step.binds[1..].iter().enumerate() {
        let Some(result) = streams.result(bind) else { continue };
        let size = streams.stream.types[component].size();
        let to = SharedPointer(result.data);
        let starts = &starts;
        streams.running.pool.for_each_chunk(streams.collected.buffers.len(), |piece| {
            let buffers = &streams.collected.buffers[piece];
            let from = streams.buffer(buffers, component);
            let len = streams.count(buffers) * size;
            // SAFETY: the piece wrote so many points. The result has room for those of all pieces, and each goes from its own start to the next one's.
            unsafe { ptr::copy_nonoverlapping(from, to.add(starts[piece] * size), len) };
        });
    }
}

/// Computes offsets from the ends of groups.
fn offsets(streams: &Streams<'_>, into: RawSlice, starts: &[usize]) {
    let mut at = 0;
    let to = into.data.cast::<i64>();
    let write = |at: usize, value: usize| {
        // SAFETY: a segmentation has room for `into.len` entries, at least one more than there are groups; only this thread writes results now.
        unsafe { to.add(at).write(value as i64) };
    };
    write(at, 0);
    for (bounds, start) in streams.collected.bounds.windows(2).zip(starts) {
        for group in bounds[0]..bounds[1] {
            at += 1;
            write(at, start + streams.end(group as usize));
        }
    }
    let total = starts.last().copied().unwrap_or(0);
    for entry in at + 1..into.len as usize {
        write(entry, total);
    }
}
