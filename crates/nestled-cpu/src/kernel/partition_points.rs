//! Completion of partitions: a stable counting sort of the points of all pieces by class.
#![allow(unsafe_code)] // Moves elements between memory known by address.

use super::piece_buffers::PieceBuffers;
use super::raw::RawFault;
use super::scratch::NoMemory;
use super::shared::SharedPointer;
use super::streams::Streams;
use nestled_ir::interp::FaultKind;
use nestled_ir::{Combinator, SiteId};
use std::ops::Range;

/// Moves the points of a partition to their final places.
pub(super) fn partition(
    streams: &Streams<'_>,
    step: &Combinator,
    within: usize,
    classes: u64,
    site: Option<SiteId>,
) -> Result<(), NoMemory> {
    let running = streams.running;
    let groups = running.points[within] as usize;
    let k = classes as usize;
    let pieces = streams.collected.buffers.len();
    let starts = streams.starts();
    // The place of the next point of each class: for each group, or for each piece of the only group.
    let rows = if within == 0 { pieces } else { groups };
    let block = running.scratch.take((rows * k).saturating_mul(8))?;
    let partition = Partition { streams, k, site, next: SharedPointer(block.address().cast()) };
    let result = |&bind| Some(SharedPointer(streams.result(bind)?.data));
    let results: Vec<Option<SharedPointer<u8>>> = step.binds[1..].iter().map(result).collect();
    let shape =
        streams.result(step.binds[0]).map(|shape| (SharedPointer(shape.data.cast::<i64>()), shape.len));
    let entry = |at: usize, value: usize| {
        if let Some((data, _)) = shape {
            // SAFETY: the shape has `len` entries, one for each class of each group and at least one more; an entry is written by the piece that its group belongs to.
            unsafe { data.add(at).write(value as i64) };
        }
    };
    if within == 0 {
        running.pool.for_each_chunk(pieces, |piece| {
            let buffers = streams.buffers(piece);
            partition.count(buffers, 0..streams.count(buffers), piece);
        });
        let mut before = 0;
        for class in 0..k {
            entry(class, before);
            for piece in 0..pieces {
                before = partition.begin(piece, class, before);
            }
        }
    } else {
        running.pool.for_each_chunk(pieces, |piece| {
            let mut before = starts[piece];
            partition.each_group(piece, |group, range| {
                partition.count(streams.buffers(piece), range, group);
                for class in 0..k {
                    entry(group * k + class, before);
                    before = partition.begin(group, class, before);
                }
            });
        });
    }
    if let Some((_, len)) = shape {
        let total = starts.last().copied().unwrap_or(0);
        ((groups * k)..len as usize).for_each(|at| entry(at, total));
    }
    running.pool.for_each_chunk(pieces, |piece| {
        let buffers = streams.buffers(piece);
        if within == 0 {
            return partition.place(buffers, 0..streams.count(buffers), piece, &results);
        }
        partition.each_group(piece, |group, range| partition.place(buffers, range, group, &results));
    });
    running.scratch.give(block);
    Ok(())
}

/// A partition in progress.
struct Partition<'a> {
    streams: &'a Streams<'a>,
    k: usize,
    site: Option<SiteId>,
    /// Rows of one number for each class: first counts, then the next places.
    next: SharedPointer<usize>,
}

impl Partition<'_> {
    /// Returns the numbers of a row. Each row is used by one thread at a time.
    #[allow(clippy::mut_from_ref)]
    fn row(&self, row: usize) -> &mut [usize] {
        // SAFETY: the block has `k` numbers for each row, and rows do not overlap. A row belongs to a piece or a group of one, and only the thread at work on that
        // piece uses it; between the parallel loops, one thread uses all.
        unsafe { std::slice::from_raw_parts_mut(self.next.add(row * self.k), self.k) }
    }

    /// Calls `visit` for each group of a piece, with the range of its points in the stream.
    fn each_group(&self, piece: usize, mut visit: impl FnMut(usize, Range<usize>)) {
        let bounds = &self.streams.collected.bounds;
        let mut at = 0;
        for group in bounds[piece] as usize..bounds[piece + 1] as usize {
            let end = self.streams.end(group);
            visit(group, at..end);
            at = end;
        }
    }

    /// Counts the points of each class. A point whose class is out of range counts for class 0, and is a fault.
    fn count(&self, buffers: &PieceBuffers, range: Range<usize>, row: usize) {
        let next = self.row(row);
        next.fill(0);
        let classes = self.classes(buffers);
        for at in range {
            // SAFETY: `range` lies in what the piece appended, and the first component of its points is the class, an `idx`.
            let class = unsafe { *classes.add(at) };
            match next.get_mut(class as usize) {
                Some(count) => *count += 1,
                None => {
                    next[0] += 1;
                    self.report(buffers, at, class);
                }
            }
        }
    }

    /// Replaces the number of points of a class by the place of its first point. Returns the place after its last point.
    fn begin(&self, row: usize, class: usize, before: usize) -> usize {
        let next = &mut self.row(row)[class];
        let count = *next;
        *next = before;
        before + count
    }

    fn classes(&self, buffers: &PieceBuffers) -> *const i64 {
        self.streams.buffer(buffers, 0).cast()
    }

    fn report(&self, buffers: &PieceBuffers, at: usize, class: i64) {
        let Some(site) = self.site else { return };
        let streams = self.streams;
        let element = streams.number_of(buffers, at, streams.stream.types.len()) as u64;
        let kind = FaultKind::Class { class, classes: self.k as u64 };
        streams.running.note(RawFault { site, element, level: streams.plan.nest.level, kind, unsure: false });
    }

    /// Moves points to their places, component by component.
    fn place(
        &self,
        buffers: &PieceBuffers,
        range: Range<usize>,
        row: usize,
        results: &[Option<SharedPointer<u8>>],
    ) {
        let first = self.row(row);
        let mut next = vec![0; self.k];
        for (component, result) in results.iter().enumerate() {
            let Some(result) = result else { continue };
            next.copy_from_slice(first);
            let from = self.streams.buffer(buffers, component + 1);
            let classes = self.classes(buffers);
            let range = range.clone();
            // SAFETY: `range` lies in what the piece appended: so many classes and elements. `begin` has given the points of each class of this row places of their own,
            // behind those of the rows and classes before, as many in all as there are points, for which the result has room.
            unsafe {
                match self.streams.stream.types[component + 1].size() {
                    1 => deal(classes, range, &mut next, from, result.0),
                    2 => deal::<u16>(classes, range, &mut next, from.cast(), result.0.cast()),
                    4 => deal::<u32>(classes, range, &mut next, from.cast(), result.0.cast()),
                    _ => deal::<u64>(classes, range, &mut next, from.cast(), result.0.cast()),
                }
            }
        }
    }
}

/// Distributes elements to the next places of their classes. An element whose class is out of range leaves a zero.
///
/// # Safety
/// There are classes and elements in all of `range`, and room for the points of each class from `next` on, which no other thread accesses.
unsafe fn deal<T: Copy + Default>(
    classes: *const i64,
    range: Range<usize>,
    next: &mut [usize],
    from: *const T,
    to: *mut T,
) {
    for at in range {
        // SAFETY: `at` lies in the range, so there is a class and an element; the next place of that class, or of class 0 where it is none, is the caller's.
        unsafe {
            let class = *classes.add(at) as usize;
            let (class, value) = if class < next.len() { (class, *from.add(at)) } else { (0, T::default()) };
            to.add(next[class]).write(value);
            next[class] += 1;
        }
    }
}
