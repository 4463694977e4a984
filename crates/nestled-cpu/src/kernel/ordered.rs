//! Scatters whose points are applied in order, once all pieces are done.
#![allow(unsafe_code)] // Moves elements between memory known by address.

use super::launch::{Rooms, Running, read_scalar};
use super::leave::Streams;
use super::raw::RawFault;
use super::scratch::{Block, NoMemory};
use super::sizes::Step;
use super::target::Target;
use nestled_ir::interp::FaultKind;
use nestled_ir::{Collision, Combinator, CombinatorKind, Range, ScalarType};
use std::ptr;

/// Applies the points of a scatter.
pub(super) fn permute(streams: &Streams<'_>, step: &Combinator) -> Result<(), NoMemory> {
    let CombinatorKind::Permute { range, collision, .. } = &step.kind else { return Ok(()) };
    let running = streams.running;
    let target = Target::new(running, step)?;
    let mut scatter = Scatter {
        streams,
        steps: &target.steps,
        range: *range,
        collision,
        into: &target.into,
        written: Vec::new(),
        combine: Combine::new(streams, step)?,
    };
    if matches!(collision, Collision::First | Collision::Fault(_)) {
        scatter.written = vec![0u64; target.places.div_ceil(64)];
    }
    for rooms in &streams.collected.rooms {
        for at in 0..streams.count(rooms) {
            scatter.point(rooms, at);
        }
    }
    if let Some(combine) = scatter.combine {
        combine.give(running);
    }
    target.finish(running);
    Ok(())
}

/// A scatter being made, point after point.
struct Scatter<'a> {
    streams: &'a Streams<'a>,
    steps: &'a [Step],
    range: Range,
    collision: &'a Collision,
    into: &'a [(*mut u8, ScalarType)],
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
            return combine.at(streams, rooms, at, rank, self.into, to);
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
