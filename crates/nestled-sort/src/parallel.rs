//! Parallel radix sort of one long row, from the highest bits: the row is partitioned until the parts fit the cache.
//!
//! All threads partition the row together. It is cut into blocks; each counts its keys by intervals. A prefix sum over all counts, in the order of
//! intervals first and blocks second, gives the position of the records of each block and interval; this order makes it stable. Then the blocks are
//! scattered at the same time, and the parts (one for each interval) are sorted by one thread each.

use super::interval::Intervals;
use super::job::Job;
use super::partition::{Blocks, Source, look, partition, partition_alone};
use super::place::Place;
use super::plan::{partition_bits, span};
use super::scratch::{lend, lend_own};
use super::serial::{self, Counts};
use nestled_pool::Pool;

/// Parts of at most so many bytes are sorted without being partitioned further.
const CACHE: usize = 256 << 10;
/// The fewest records of a task.
const TASK: usize = 1 << 14;

/// Sorts the row at this place.
pub(super) fn sort<J: Job>(pool: &Pool, job: &J, mut place: Place) {
    let (row, len) = (place.start(), place.len());
    let sorting = Sorting { pool, job, row };
    let source = Source::Keys { job, from: row };
    let blocks = Blocks::new(pool, len);
    let survey = blocks.survey(pool, source, J::WIDTH, partition_bits(len, J::WIDTH));
    if survey.is_sorted {
        return blocks.each(pool, &mut place, |range, place| {
            source.each(range, &mut |records| job.store(row, place.take(records.len()), records));
        });
    }
    let size = len * size_of::<J::Record>();
    lend(size, |scratch| {
        let data = scratch.records(len);
        let ends = partition(pool, blocks, source, &survey, data);
        let below = survey.below();
        if below != 0 && longest(&ends) * size_of::<J::Record>() > CACHE {
            lend(size, |scratch| sorting.parts(place, &ends, below, data, scratch.records(len)));
        } else {
            sorting.parts(place, &ends, below, data, &mut []);
        }
    });
}

/// The length of the longest part.
fn longest(ends: &[usize]) -> usize {
    let begins = std::iter::once(&0).chain(ends);
    ends.iter().zip(begins).map(|(end, begin)| end - begin).max().unwrap_or(0)
}

/// A row being sorted.
struct Sorting<'a, J> {
    pool: &'a Pool,
    job: &'a J,
    /// The position at which the row begins.
    row: usize,
}

/// Neighbouring parts.
struct Task<'a, R> {
    place: Place,
    data: &'a mut [R],
    other: &'a mut [R],
    /// For each part its end, counted from the first part of the row.
    ends: &'a [usize],
    begin: usize,
}

impl<J: Job> Sorting<'_, J> {
    /// Sorts the parts of `data` that end there, whose keys differ in `below` at most. `other` is as long, or empty if no part is larger
    /// than the cache.
    fn parts(
        &self,
        place: Place,
        ends: &[usize],
        below: u64,
        data: &mut [J::Record],
        other: &mut [J::Record],
    ) {
        let fair = data.len() / (2 * self.pool.threads());
        let mut tasks = tasks(place, ends, data, other);
        // The longest first, so that no thread is left with one at the end. Tasks of several parts are short.
        tasks.sort_by_key(|task| std::cmp::Reverse(task.data.len()));
        let is_long = |task: &Task<J::Record>| task.data.len() > fair.max(4 * TASK) && !task.other.is_empty();
        let n_long = tasks.partition_point(is_long);
        let short = tasks.split_off(n_long);
        for task in tasks {
            self.long(task.place, below, task.data, task.other);
        }
        let mut short: Vec<_> = short.into_iter().map(Some).collect();
        self.pool.for_each_mut(&mut short, |_, task| {
            let task = task.take().expect("each task comes once");
            let mut counts = Counts::new();
            self.each_part(task, |place, data, other| self.part(place, below, data, other, &mut counts));
        });
    }

    /// Runs `body` for each part.
    fn each_part(
        &self,
        task: Task<'_, J::Record>,
        mut body: impl FnMut(Place, &mut [J::Record], &mut [J::Record]),
    ) {
        let Task { mut place, mut data, mut other, ends, mut begin } = task;
        for end in ends {
            let len = end - begin;
            begin = *end;
            if len > 0 {
                body(place.take(len), take(&mut data, len), take(&mut other, len));
            }
        }
    }

    /// Sorts a long part with all threads.
    fn long(&self, mut place: Place, below: u64, data: &mut [J::Record], other: &mut [J::Record]) {
        let source = Source::<J>::Records(data);
        let blocks = Blocks::new(self.pool, data.len());
        let width = u64::BITS - below.leading_zeros();
        let survey = blocks.survey(self.pool, source, width, partition_bits(data.len(), width));
        if survey.is_sorted {
            return blocks.each(self.pool, &mut place, |range, place| {
                self.job.store(self.row, place.take(range.len()), &data[range]);
            });
        }
        let ends = partition(self.pool, blocks, source, &survey, other);
        self.parts(place, &ends, survey.below(), other, data);
    }

    /// Sorts a part with this thread.
    fn part(
        &self,
        place: Place,
        below: u64,
        data: &mut [J::Record],
        other: &mut [J::Record],
        counts: &mut Counts,
    ) {
        if below == 0 {
            return self.job.store(self.row, place, data);
        }
        if size_of_val(data) <= CACHE {
            return lend_own(data.len(), |own, _| {
                let is_in_own = serial::sort_part::<J>(data, own, counts);
                self.job.store(self.row, place, if is_in_own { own } else { data });
            });
        }
        let keys = look::<J>(data);
        let differ = keys.differ();
        if differ == 0 {
            return self.job.store(self.row, place, data);
        }
        let intervals = Intervals::highest(keys, partition_bits(data.len(), span(differ)));
        let ends = partition_alone::<J>(data, intervals, other);
        let below = intervals.below(differ);
        let whole = Task { place, data: other, other: data, ends: &ends, begin: 0 };
        self.each_part(whole, |place, data, other| self.part(place, below, data, other, counts));
    }
}

/// Groups neighbouring parts into tasks that are large enough.
fn tasks<'a, R>(
    mut place: Place,
    ends: &'a [usize],
    mut data: &'a mut [R],
    mut other: &'a mut [R],
) -> Vec<Task<'a, R>> {
    let mut tasks = Vec::with_capacity(data.len() / TASK + 1);
    let (mut first, mut begin) = (0, 0);
    for (at, end) in ends.iter().enumerate() {
        let len = end - begin;
        // A part that is long itself is alone in its task.
        let next = ends.get(at + 1).map_or(usize::MAX, |next| next - end);
        if len >= TASK || next >= TASK {
            tasks.push(Task {
                place: place.take(len),
                data: take(&mut data, len),
                other: take(&mut other, len),
                ends: &ends[first..=at],
                begin,
            });
            (first, begin) = (at + 1, *end);
        }
    }
    tasks
}

/// Takes the first `len` away from a slice, if it has so many.
fn take<'a, R>(slice: &mut &'a mut [R], len: usize) -> &'a mut [R] {
    let len = len.min(slice.len());
    slice.split_off_mut(..len).expect("it has so many")
}
