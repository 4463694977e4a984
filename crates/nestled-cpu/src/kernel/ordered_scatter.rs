//! Ordered scatters: applies appended points in order, after all pieces are done. Each thread owns a range of places and applies the points that go
//! there.
#![allow(unsafe_code)] // Moves elements between memory known by address.

use super::call::Piece;
use super::piece_buffers::PieceBuffers;
use super::raw::RawFault;
use super::scatter_destination::ScatterDestination;
use super::scratch::NoMemory;
use super::shared::SharedPointer;
use super::sizes::Step;
use super::streams::Streams;
use nestled_ir::interp::FaultKind;
use nestled_ir::{Collision, Combinator, CombinatorKind, Range, SiteId};
use std::ptr;

/// The place of a point without a destination.
const NOWHERE: i64 = -1;

/// Applies the points of a scatter.
pub(super) fn permute(streams: &Streams<'_>, step: &Combinator) -> Result<(), NoMemory> {
    let CombinatorKind::Permute { range, collision, .. } = &step.kind else { return Ok(()) };
    let running = streams.running;
    let destination = ScatterDestination::new(running, step)?;
    let pieces = streams.collected.buffers.len();
    let most = (0..pieces).map(|piece| streams.count(streams.buffers(piece))).max().unwrap_or(0);
    // A destination of rank 0 has one place.
    let zeros = match destination.steps.is_empty() {
        true => Some(running.scratch.take(most * 8)?),
        false => None,
    };
    if let Some(zeros) = &zeros {
        // SAFETY: the block was taken for so many numbers, just now, and nobody else knows it.
        unsafe { ptr::write_bytes(zeros.address(), 0, most * 8) };
    }
    let zeros_at = zeros.as_ref().map(|zeros| SharedPointer(zeros.address()));
    let ordered = Ordered { streams, destination: &destination, zeros: zeros_at };
    running.pool.for_each_chunk(pieces, |piece| ordered.find_places(streams.buffers(piece), *range));
    let points: usize = streams.starts().last().copied().unwrap_or(0);
    let parts = if running.is_parallel(points as u64) { running.pool.threads() } else { 1 };
    // Ranges are multiples of 64 places, so that threads share no word of the bit sets.
    let size = destination.places.div_ceil(parts).max(1).next_multiple_of(64);
    let count = destination.places.div_ceil(size);
    let ends = |part: usize| Places { from: part * size, to: ((part + 1) * size).min(destination.places) };
    match collision {
        Collision::Combine(_) => ordered.combine(step, count, &ends)?,
        Collision::Last | Collision::Proved => {
            running.pool.for_each_chunk(count, |part| ordered.write(&ends(part), false));
        }
        Collision::First => running.pool.for_each_chunk(count, |part| ordered.write(&ends(part), true)),
        Collision::Fault(site) => running.pool.for_each_chunk(count, |part| {
            ordered.write(&ends(part), false);
            ordered.report_clashes(&ends(part), *site);
        }),
    }
    if let Some(zeros) = zeros {
        running.scratch.give(zeros);
    }
    destination.finish(running);
    Ok(())
}

/// A range of places of a destination.
struct Places {
    from: usize,
    to: usize,
}

impl Places {
    fn len(&self) -> usize {
        self.to - self.from
    }

    /// Returns the offset of a place in the range, if it is inside.
    fn find(&self, place: i64) -> Option<usize> {
        let off = (place as usize).wrapping_sub(self.from);
        (off < self.len()).then_some(off)
    }
}

/// A scatter in progress.
struct Ordered<'a> {
    streams: &'a Streams<'a>,
    destination: &'a ScatterDestination,
    /// The places of all points, where the destination has rank 0.
    zeros: Option<SharedPointer<u8>>,
}

impl Ordered<'_> {
    /// Returns the places of a piece's points, which overwrite the first coordinate.
    fn places(&self, buffers: &PieceBuffers) -> *mut i64 {
        match self.zeros {
            Some(zeros) => zeros.0.cast(),
            None => self.streams.buffer(buffers, 0).cast_mut().cast(),
        }
    }

    /// Computes places from coordinates.
    fn find_places(&self, buffers: &PieceBuffers, range: Range) {
        if self.zeros.is_some() {
            return;
        }
        let places = self.places(buffers);
        let steps = &self.destination.steps;
        for at in 0..self.streams.count(buffers) {
            let place = match steps[..] {
                [Step::Extent(extent)] => {
                    let index = self.streams.number_of(buffers, at, 0);
                    if (index as u64) < extent {
                        continue;
                    }
                    Err((index, extent))
                }
                _ => self.place(buffers, at),
            };
            let place = place.unwrap_or_else(|(index, extent)| {
                if let Range::Fault(site) = range {
                    let kind = FaultKind::OutOfRange { index, extent, array: "".into() };
                    self.note(buffers, at, site, kind);
                }
                NOWHERE
            });
            // SAFETY: the piece appended more than `at` points. This thread alone works on the piece, and has read the coordinate that it writes over.
            unsafe { places.add(at).write(place) };
        }
    }

    /// Returns the place of a point's coordinates, or the first coordinate that is out of range, with its extent.
    fn place(&self, buffers: &PieceBuffers, at: usize) -> Result<i64, (i64, u64)> {
        let mut place = 0;
        for (axis, step) in self.destination.steps.iter().enumerate() {
            let index = self.streams.number_of(buffers, at, axis);
            let first = step.first(place);
            let extent = match step {
                Step::Extent(extent) => *extent,
                Step::Offsets(_) => step.first(place + 1) - first,
            };
            if index as u64 >= extent {
                return Err((index, extent));
            }
            place = first + index as u64;
        }
        Ok(place as i64)
    }

    fn note(&self, buffers: &PieceBuffers, at: usize, site: SiteId, kind: FaultKind) {
        let streams = self.streams;
        let element = streams.number_of(buffers, at, streams.stream.types.len()) as u64;
        streams.running.note(RawFault { site, element, level: streams.plan.nest.level, kind, unsure: false });
    }

    /// Writes the points of a range of places. The last write wins; with `backward` points are visited from last to first, so that the first point
    /// wins.
    fn write(&self, own: &Places, backward: bool) {
        let rank = self.destination.steps.len();
        let pieces = self.streams.collected.buffers.len();
        for turn in 0..pieces {
            let buffers = self.streams.buffers(if backward { pieces - 1 - turn } else { turn });
            let (count, places) = (self.streams.count(buffers), self.places(buffers));
            for (component, &(to, ty)) in self.destination.into.iter().enumerate() {
                let from = self.streams.buffer(buffers, rank + component);
                // SAFETY: the piece appended `count` points, with a place each that `find_places` made: one of the destination, which has room for an element at each,
                // or nowhere. Of these, the function writes to the caller's own places only.
                unsafe {
                    match ty.size() {
                        1 => write(places, count, own, backward, from, to),
                        2 => write::<u16>(places, count, own, backward, from.cast(), to.cast()),
                        4 => write::<u32>(places, count, own, backward, from.cast(), to.cast()),
                        _ => write::<u64>(places, count, own, backward, from.cast(), to.cast()),
                    }
                }
            }
        }
    }

    /// Reports each point whose place an earlier point has taken.
    fn report_clashes(&self, own: &Places, site: SiteId) {
        let mut written = vec![0u64; own.len().div_ceil(64)];
        for piece in 0..self.streams.collected.buffers.len() {
            let buffers = self.streams.buffers(piece);
            let places = self.places(buffers);
            for at in 0..self.streams.count(buffers) {
                // SAFETY: the piece appended more than `at` points, and their places are found: nobody writes them any more.
                let place = unsafe { *places.add(at) };
                let Some(off) = own.find(place) else { continue };
                let bit = 1 << (off % 64);
                if written[off / 64] & bit != 0 {
                    self.note(buffers, at, site, FaultKind::Collision { destination: place as u64 });
                }
                written[off / 64] |= bit;
            }
        }
    }

    /// Combines points into their places, in order.
    fn combine(
        &self,
        step: &Combinator,
        parts: usize,
        ends: &(dyn Fn(usize) -> Places + Sync),
    ) -> Result<(), NoMemory> {
        let running = self.streams.running;
        let applies = &running.kernel.applies;
        let Some(&(_, apply)) = applies.iter().find(|(at, _)| *at == self.streams.stream.step) else {
            return Ok(());
        };
        let components = step.binds.len();
        let rank = self.destination.steps.len();
        let privates = (0..parts)
            .map(|_| PieceBuffers::of(running, apply))
            .collect::<Result<Vec<PieceBuffers>, NoMemory>>()?;
        running.pool.for_each_chunk(parts, |part| {
            let own = ends(part);
            for piece in 0..self.streams.collected.buffers.len() {
                let buffers = self.streams.buffers(piece);
                let mut count = self.streams.count(buffers) as i64;
                let mut pointers = vec![self.places(buffers).cast::<u8>()];
                pointers.extend(self.destination.into.iter().map(|&(data, _)| data));
                let values = (0..components).map(|at| self.streams.buffer(buffers, rank + at).cast_mut());
                pointers.extend(values);
                let piece = Piece {
                    streams: &pointers,
                    counts: std::slice::from_mut(&mut count),
                    privates: &privates[part].privates,
                    ..Piece::over(own.from as u64..own.to as u64)
                };
                // SAFETY: `apply` reads the places and values of the points of this piece, which are done, and writes the destination at places of its range; parts
                // have places of their own. The private arrays are this part's.
                unsafe { running.call(apply, running.slots, piece) };
            }
        });
        privates.into_iter().for_each(|buffers| buffers.give(running));
        Ok(())
    }
}

/// Writes points to their places, within a range.
///
/// # Safety
/// There are `count` places and elements, which no other thread writes meanwhile, and room for an element at each place of the range, which no other
/// thread accesses.
unsafe fn write<T: Copy>(
    places: *const i64,
    count: usize,
    own: &Places,
    backward: bool,
    from: *const T,
    to: *mut T,
) {
    let one = |at: usize| {
        // SAFETY: there are more than `at` places and elements, and room at each place of one's own: that is promised.
        unsafe {
            let place = *places.add(at);
            if own.find(place).is_some() {
                to.add(place as usize).write(*from.add(at));
            }
        }
    };
    if backward { (0..count).rev().for_each(one) } else { (0..count).for_each(one) }
}
