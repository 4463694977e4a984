//! What leaves a nest packed: the streams of all pieces are moved to where they belong.
#![allow(unsafe_code)] // Moves elements between memory known by address.

use super::launch::{Collected, Rooms, Running, Shared};
use super::ordered;
use super::partition;
use super::raw::RawSlice;
use super::scratch::NoMemory;
use crate::codegen::nest::NestPlan;
use nestled_ir::{Combinator, CombinatorKind, ValueId};
use nestled_kernel::stream::Stream;
use nestled_kernel::stream::Way;
use std::ptr;

/// Moves everything and gives the rooms back.
pub fn finish(running: &Running<'_>, plan: &NestPlan, collected: Collected) -> Result<(), NoMemory> {
    let mut first = 0;
    for (number, stream) in plan.streams.iter().enumerate() {
        let streams = Streams { running, plan, stream, number, first, collected: &collected };
        let step = &running.kernel.plan.kernel.steps[stream.step];
        match &step.kind {
            CombinatorKind::Filter { within } => streams.filter(step, within.0),
            CombinatorKind::Partition { within, classes, site } => {
                partition::partition(&streams, step, within.0, *classes, *site)?;
            }
            CombinatorKind::Permute { .. } if stream.way == Way::Append => ordered::permute(&streams, step)?,
            // It was scattered while the nest ran.
            CombinatorKind::Permute { .. } => {}
            CombinatorKind::Map
            | CombinatorKind::Reduce { .. }
            | CombinatorKind::Scan { .. }
            | CombinatorKind::Serial { .. } => {}
        }
        first += stream.pointers();
    }
    for rooms in collected.rooms {
        running.give(rooms);
    }
    if let Some(ends) = collected.ends {
        running.scratch.give(ends);
    }
    Ok(())
}

// SAFETY: streams are read; what is written is disjoint.
unsafe impl Sync for Streams<'_> {}

/// One stream of a nest.
pub(super) struct Streams<'a> {
    /// The launch.
    pub running: &'a Running<'a>,
    /// The nest.
    pub plan: &'a NestPlan,
    /// The stream.
    pub stream: &'a Stream,
    number: usize,
    /// The number of its first component among those of all streams.
    first: usize,
    /// What the pieces wrote.
    pub collected: &'a Collected,
}

impl Streams<'_> {
    /// Where a value leaves, if it does.
    pub fn result(&self, bind: ValueId) -> Option<RawSlice> {
        let position = self.running.kernel.plan.kernel.ret.iter().position(|&value| value == bind)?;
        Some(self.running.launch.results[position])
    }

    /// What a piece wrote.
    pub fn rooms(&self, piece: usize) -> &Rooms {
        &self.collected.rooms[piece]
    }

    /// How many points a piece wrote.
    pub fn count(&self, rooms: &Rooms) -> usize {
        rooms.counts[self.number] as usize
    }

    /// Where a piece wrote a component.
    pub fn room(&self, rooms: &Rooms, component: usize) -> *const u8 {
        rooms.streams[self.first + component]
    }

    /// How many points of the stream lie before each piece, and in all.
    pub fn starts(&self) -> Vec<usize> {
        let mut starts = vec![0];
        let mut total = 0;
        for rooms in &self.collected.rooms {
            total += self.count(rooms);
            starts.push(total);
        }
        starts
    }

    fn filter(&self, step: &Combinator, within: usize) {
        let starts = self.starts();
        let total = starts.last().copied().unwrap_or(0);
        if let Some(shape) = self.result(step.binds[0]) {
            if within == 0 {
                // SAFETY: the result has room for one number.
                unsafe { shape.data.cast::<i64>().write(total as i64) };
            } else {
                self.offsets(shape, &starts);
            }
        }
        for (component, &bind) in step.binds[1..].iter().enumerate() {
            let Some(result) = self.result(bind) else { continue };
            let size = self.stream.types[component].size();
            let to = Shared(result.data);
            let (streams, starts) = (self, &starts);
            self.running.pool.for_each_chunk(self.collected.rooms.len(), |piece| {
                let rooms = &streams.collected.rooms[piece];
                let from = streams.room(rooms, component);
                let len = streams.count(rooms) * size;
                // SAFETY: the result has room for all points, and pieces do not overlap.
                unsafe { ptr::copy_nonoverlapping(from, to.add(starts[piece] * size), len) };
            });
        }
    }

    /// Writes offsets from the ends of groups.
    fn offsets(&self, into: RawSlice, starts: &[usize]) {
        let mut at = 0;
        let to = into.data.cast::<i64>();
        let write = |at: usize, value: usize| {
            // SAFETY: there is room for one entry more than there are groups.
            unsafe { to.add(at).write(value as i64) };
        };
        write(at, 0);
        for (bounds, start) in self.collected.bounds.windows(2).zip(starts) {
            for group in bounds[0]..bounds[1] {
                at += 1;
                write(at, start + self.end(group as usize));
            }
        }
        let total = starts.last().copied().unwrap_or(0);
        for entry in at + 1..into.len as usize {
            write(entry, total);
        }
    }

    /// Where a group ends in the stream of its piece.
    pub fn end(&self, group: usize) -> usize {
        let Some(ends) = &self.collected.ends else { return 0 };
        let cell = group * self.plan.streams.len() + self.number;
        // SAFETY: there is a cell for each group and stream.
        unsafe { *ends.address().cast::<i64>().add(cell) as usize }
    }

    /// An index among the components of a point.
    pub fn number_of(&self, rooms: &Rooms, at: usize, component: usize) -> i64 {
        // SAFETY: the component is an `idx`, and there are more points in the stream.
        unsafe { *self.room(rooms, component).cast::<i64>().add(at) }
    }
}
