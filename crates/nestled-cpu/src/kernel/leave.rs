//! What leaves a nest packed: the streams of all pieces are moved to where they belong.
#![allow(unsafe_code)] // Moves elements between memory known by address.

use super::launch::{Collected, Rooms, Running, Shared, read_scalar};
use super::raw::{RawFault, RawSlice};
use super::scratch::{Block, NoMemory};
use super::sizes::{self, Step};
use crate::codegen::function::elem;
use crate::codegen::nest::NestPlan;
use crate::codegen::stream::Stream;
use nestled_ir::interp::FaultKind;
use nestled_ir::{Base, Collision, Combinator, CombinatorKind, Range, Scalar, ScalarType, SiteId, ValueId};
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
                streams.partition(step, within.0, *classes, *site)?;
            }
            CombinatorKind::Permute { .. } => streams.permute(step)?,
            CombinatorKind::Map | CombinatorKind::Reduce { .. } | CombinatorKind::Scan { .. } => {}
        }
        first += stream.components();
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
struct Streams<'a> {
    running: &'a Running<'a>,
    plan: &'a NestPlan,
    stream: &'a Stream,
    number: usize,
    /// The number of its first component among those of all streams.
    first: usize,
    collected: &'a Collected,
}

impl Streams<'_> {
    fn result(&self, bind: ValueId) -> Option<RawSlice> {
        let position = self.running.kernel.plan.kernel.ret.iter().position(|&value| value == bind)?;
        Some(self.running.launch.results[position])
    }

    fn count(&self, rooms: &Rooms) -> usize {
        rooms.counts[self.number] as usize
    }

    fn room(&self, rooms: &Rooms, component: usize) -> *const u8 {
        rooms.streams[self.first + component]
    }

    /// How many points of the stream lie before each piece, and in all.
    fn starts(&self) -> Vec<usize> {
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
        let n = self.plan.streams.len();
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
                write(at, start + self.end(group as usize * n));
            }
        }
        let total = starts.last().copied().unwrap_or(0);
        for entry in at + 1..into.len as usize {
            write(entry, total);
        }
    }

    /// Where a group ends in the stream of its piece.
    fn end(&self, cell: usize) -> usize {
        let Some(ends) = &self.collected.ends else { return 0 };
        // SAFETY: there is a cell for each group and stream.
        unsafe { *ends.address().cast::<i64>().add(cell + self.number) as usize }
    }

    fn partition(
        &self,
        step: &Combinator,
        within: usize,
        classes: u64,
        site: Option<SiteId>,
    ) -> Result<(), NoMemory> {
        let groups = self.running.points[within] as usize;
        let segments = groups * classes as usize;
        let scratch = self.running.scratch;
        let block = scratch.take((segments + 1) * 8)?;
        // SAFETY: the block has room for so many entries, and nobody else knows of it.
        let next = unsafe { std::slice::from_raw_parts_mut(block.address().cast::<i64>(), segments + 1) };
        next.fill(0);
        self.each_point(within, |rooms, at, group| {
            let class = self.class(rooms, at, classes, site);
            next[group * classes as usize + class + 1] += 1;
        });
        for segment in 0..segments {
            next[segment + 1] += next[segment];
        }
        if let Some(shape) = self.result(step.binds[0]) {
            for entry in 0..shape.len as usize {
                // SAFETY: the result has room for `len` entries.
                unsafe { shape.data.cast::<i64>().add(entry).write(next[entry.min(segments)]) };
            }
        }
        let results: Vec<Option<RawSlice>> = step.binds[1..].iter().map(|&bind| self.result(bind)).collect();
        self.each_point(within, |rooms, at, group| {
            let number = self.number_of(rooms, at, 0);
            let class = usize::try_from(number).ok().filter(|&class| (class as u64) < classes);
            let place = &mut next[group * classes as usize + class.unwrap_or(0)];
            let to = *place as usize;
            *place += 1;
            for (component, result) in results.iter().enumerate() {
                let Some(result) = result else { continue };
                let size = self.stream.types[component + 1].size();
                let from = self.room(rooms, component + 1).wrapping_add(at * size);
                // SAFETY: each point has a place of its own among as many places as there are points. A point without a class is zero.
                unsafe {
                    match class {
                        Some(_) => ptr::copy_nonoverlapping(from, result.data.add(to * size), size),
                        None => ptr::write_bytes(result.data.add(to * size), 0, size),
                    }
                }
            }
        });
        scratch.give(block);
        Ok(())
    }

    /// The class of a point; 0 where there is none such, which is a fault.
    fn class(&self, rooms: &Rooms, at: usize, classes: u64, site: Option<SiteId>) -> usize {
        let class = self.number_of(rooms, at, 0);
        if class >= 0 && (class as u64) < classes {
            return class as usize;
        }
        if let Some(site) = site {
            let element = self.number_of(rooms, at, self.stream.types.len()) as u64;
            self.running.note(RawFault {
                site,
                element,
                level: self.plan.nest.level,
                kind: FaultKind::Class { class, classes },
            });
        }
        0
    }

    fn number_of(&self, rooms: &Rooms, at: usize, component: usize) -> i64 {
        // SAFETY: the component is an `idx`, and there are more points in the stream.
        unsafe { *self.room(rooms, component).cast::<i64>().add(at) }
    }

    /// Calls `visit` on each point of the stream, in order, with the group it is in.
    fn each_point(&self, within: usize, mut visit: impl FnMut(&Rooms, usize, usize)) {
        let n = self.plan.streams.len();
        for (piece, rooms) in self.collected.rooms.iter().enumerate() {
            if within == 0 {
                (0..self.count(rooms)).for_each(|at| visit(rooms, at, 0));
                continue;
            }
            let mut at = 0;
            for group in self.collected.bounds[piece] as usize..self.collected.bounds[piece + 1] as usize {
                let end = self.end(group * n);
                (at..end).for_each(|at| visit(rooms, at, group));
                at = end;
            }
        }
    }

    fn permute(&self, step: &Combinator) -> Result<(), NoMemory> {
        let CombinatorKind::Permute { dest, base, range, collision } = &step.kind else { return Ok(()) };
        let running = self.running;
        let kernel = &running.kernel.plan.kernel;
        let steps = sizes::steps(kernel, running.launch, dest);
        let places = steps.iter().fold(1, |points, step| step.first(points));
        let mut temporary: Vec<Block> = Vec::new();
        let mut into = Vec::new();
        for &bind in &step.binds {
            let ty = elem(kernel, bind);
            let data = match self.result(bind) {
                Some(result) => result.data,
                None => {
                    let block = running.scratch.take(places as usize * ty.size())?;
                    let data = block.address();
                    temporary.push(block);
                    data
                }
            };
            into.push((data, ty));
        }
        self.write_base(base, &into, places as usize);
        let mut scatter = Scatter {
            streams: self,
            steps,
            range: *range,
            collision,
            into,
            written: Vec::new(),
            combine: Combine::new(self, step)?,
        };
        if matches!(collision, Collision::First | Collision::Fault(_)) {
            scatter.written = vec![0u64; (places as usize).div_ceil(64)];
        }
        for rooms in &self.collected.rooms {
            for at in 0..self.count(rooms) {
                scatter.point(rooms, at);
            }
        }
        if let Some(combine) = scatter.combine {
            combine.give(running);
        }
        temporary.into_iter().for_each(|block| running.scratch.give(block));
        Ok(())
    }

    fn write_base(&self, base: &Base, into: &[(*mut u8, ScalarType)], places: usize) {
        let kernel = &self.running.kernel.plan.kernel;
        for (component, &(data, ty)) in into.iter().enumerate() {
            match base {
                Base::Fill(values) => fill(data, ty, values[component], places),
                Base::Arrays(arrays) => {
                    let position = kernel.params.iter().position(|&param| param == arrays[component]);
                    let arg = position.map(|at| self.running.launch.args[at]);
                    if let Some(super::raw::RawArg::Dense { data: from, .. }) = arg
                        && from != data.cast_const()
                    {
                        // SAFETY: both have so many elements; results overlap no argument but at the very same place.
                        unsafe { ptr::copy_nonoverlapping(from, data, places * ty.size()) };
                    }
                }
            }
        }
    }
}

/// Writes a value to so many places.
fn fill(data: *mut u8, ty: ScalarType, value: Scalar, places: usize) {
    let bits = value.to_bits();
    // SAFETY: there is room for so many elements.
    unsafe {
        match ty.size() {
            1 => ptr::write_bytes(data, bits as u8, places),
            2 => std::slice::from_raw_parts_mut(data.cast::<u16>(), places).fill(bits as u16),
            4 => std::slice::from_raw_parts_mut(data.cast::<u32>(), places).fill(bits as u32),
            _ => std::slice::from_raw_parts_mut(data.cast::<u64>(), places).fill(bits),
        }
    }
}

/// A scatter being made, point after point.
struct Scatter<'a> {
    streams: &'a Streams<'a>,
    steps: Vec<Step>,
    range: Range,
    collision: &'a Collision,
    into: Vec<(*mut u8, ScalarType)>,
    /// A bit for each place, where one must know.
    written: Vec<u64>,
    combine: Option<Combine>,
}

impl Scatter<'_> {
    fn point(&mut self, rooms: &Rooms, at: usize) {
        let streams = self.streams;
        let rank = self.steps.len();
        let mut place = 0;
        for (axis, step) in self.steps.iter().enumerate() {
            let index = streams.number_of(rooms, at, axis);
            let first = step.first(place);
            let extent = match step {
                Step::Extent(extent) => *extent,
                Step::Offsets(_) => step.first(place + 1) - first,
            };
            if index < 0 || index as u64 >= extent {
                if let Range::Fault(site) = self.range {
                    let element = self.element(rooms, at);
                    let kind = FaultKind::OutOfRange { index, extent, array: "".into() };
                    streams.running.note(RawFault { site, element, level: streams.plan.nest.level, kind });
                }
                return;
            }
            place = first + index as u64;
        }
        let to = place as usize;
        if !self.written.is_empty() {
            let bit = 1 << (to % 64);
            let before = self.written[to / 64] & bit != 0;
            self.written[to / 64] |= bit;
            if before {
                if let Collision::Fault(site) = self.collision {
                    let element = self.element(rooms, at);
                    let kind = FaultKind::Collision { destination: place };
                    streams.running.note(RawFault {
                        site: *site,
                        element,
                        level: streams.plan.nest.level,
                        kind,
                    });
                    // The interpreter writes it all the same.
                } else {
                    return;
                }
            }
        }
        if let Some(combine) = &mut self.combine {
            return combine.at(streams, rooms, at, rank, &self.into, to);
        }
        for (component, &(data, ty)) in self.into.iter().enumerate() {
            let size = ty.size();
            let from = streams.room(rooms, rank + component).wrapping_add(at * size);
            // SAFETY: the place is inside the destination.
            unsafe { ptr::copy_nonoverlapping(from, data.add(to * size), size) };
        }
    }

    fn element(&self, rooms: &Rooms, at: usize) -> u64 {
        self.streams.number_of(rooms, at, self.streams.stream.types.len()) as u64
    }
}

/// Combines what a place holds with what comes.
struct Combine {
    function: super::loaded::Function,
    /// Two rows: what is held, and what comes.
    rows: Block,
    /// The cell of each component.
    cells: Vec<usize>,
    /// The cells that tell whether a part takes part: they all do.
    seen: Vec<usize>,
    /// Cells of a row.
    len: usize,
    rooms: Rooms,
}

impl Combine {
    fn new(streams: &Streams<'_>, step: &Combinator) -> Result<Option<Combine>, NoMemory> {
        let kernel = streams.running.kernel;
        let Some(&(_, function)) = kernel.combines.iter().find(|(at, _)| *at == streams.stream.step) else {
            return Ok(None);
        };
        let CombinatorKind::Permute { collision: Collision::Combine(monoid), .. } = &step.kind else {
            return Ok(None);
        };
        let widths = &kernel.plan.combines[&streams.stream.step].widths;
        debug_assert_eq!(widths.len(), monoid.parts.len());
        let (mut cells, mut seen, mut cell) = (Vec::new(), Vec::new(), 0);
        for width in widths {
            cells.extend(cell..cell + width);
            seen.push(cell + width);
            cell += width + 1;
        }
        let rows = streams.running.scratch.take(2 * cell * 8)?;
        // SAFETY: there is room for two rows.
        unsafe { ptr::write_bytes(rows.address(), 0, 2 * cell * 8) };
        let rooms = streams.running.rooms_of(function)?;
        Ok(Some(Combine { function, rows, cells, seen, len: cell, rooms }))
    }

    fn at(
        &mut self,
        streams: &Streams<'_>,
        rooms: &Rooms,
        at: usize,
        rank: usize,
        into: &[(*mut u8, ScalarType)],
        to: usize,
    ) {
        let held = self.rows.address().cast::<u64>();
        let comes = held.wrapping_add(self.len);
        // SAFETY: cells lie in the rows, places in the destination.
        unsafe {
            for (component, &(data, ty)) in into.iter().enumerate() {
                let size = ty.size();
                let from = streams.room(rooms, rank + component).wrapping_add(at * size);
                held.add(self.cells[component]).write(read_scalar(data.add(to * size), ty).to_bits());
                comes.add(self.cells[component]).write(read_scalar(from, ty).to_bits());
            }
            for &cell in &self.seen {
                held.add(cell).write(1);
                comes.add(cell).write(1);
            }
        }
        let mut work = Running::work();
        work.state = held.cast();
        work.carry = comes.cast();
        work.privates = self.rooms.privates();
        streams.running.call(self.function, &mut work);
        for (component, &(data, ty)) in into.iter().enumerate() {
            // SAFETY: as above.
            unsafe {
                let cell = held.add(self.cells[component]).cast::<u8>();
                ptr::copy_nonoverlapping(cell, data.add(to * ty.size()), ty.size());
            }
        }
    }

    fn give(self, running: &Running<'_>) {
        running.scratch.give(self.rows);
        running.give(self.rooms);
    }
}
