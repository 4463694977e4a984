//! Partition of a row by intervals of its keys: blocks are counted, then scattered.

use super::digit::{BitDifferences, MOST_BITS, begins};
use super::interval::Intervals;
use super::job::Job;
use super::lines::ScatterTarget;
use super::place::Place;
use super::plan::NEAR;
use nestled_pool::Pool;
use std::ops::Range;

/// The records of a block, at least: enough that counting them outweighs the table of counts.
const BLOCK: usize = 1 << 16;
/// The number of keys that tell where most of them lie.
const SAMPLE: usize = 64;
/// The number of records made at a time.
const CHUNK: usize = 256;

/// The source of records: keys, or records in memory.
pub(super) enum Source<'a, J: Job> {
    /// Records made from keys, from a position on.
    Keys {
        /// The job that makes them.
        job: &'a J,
        /// The position of the first key.
        from: usize,
    },
    /// Records in memory.
    Records(&'a [J::Record]),
}

impl<J: Job> Clone for Source<'_, J> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<J: Job> Copy for Source<'_, J> {}

impl<J: Job> Source<'_, J> {
    /// A few keys, in order.
    fn sampled(self, len: usize) -> ([u64; SAMPLE], usize) {
        let (mut sample, mut count) = ([0; SAMPLE], 0);
        for at in (0..len).step_by(len.div_ceil(SAMPLE).max(1)) {
            self.each(at..at + 1, &mut |records| sample[count] = J::bits(records[0]));
            count += 1;
        }
        sample[..count].sort_unstable();
        (sample, count)
    }

    /// Intervals that most likely divide the keys well, into 2 to the `bits` parts or more.
    fn guess(self, len: usize, width: u32, bits: u32) -> Intervals {
        let (sample, count) = self.sampled(len);
        let sample = &sample[..count];
        let (least, greatest) = match sample {
            [least, .., greatest] if least < greatest => (*least, *greatest),
            _ => return Intervals::highest(BitDifferences::of_width(width), bits),
        };
        let around = |bits: u32| Intervals::around(least, greatest, bits);
        let pairs = count * (count - 1);
        let is_fine = |intervals: &Intervals| {
            // Of all pairs of keys, those that stay together, which tells the length of the part in which a key finds itself.
            let runs = sample.chunk_by(|a, b| intervals.of(*a) == intervals.of(*b));
            let together: usize = runs.map(|run| run.len() * (run.len() - 1)).sum();
            len * together <= NEAR * pairs
        };
        // The coarsest that will do, or else the finest.
        (bits..MOST_BITS).map(around).find(is_fine).unwrap_or_else(|| around(MOST_BITS.max(bits)))
    }

    /// Calls `body` with the records of a range, some at a time.
    pub(super) fn each(self, range: Range<usize>, body: &mut dyn FnMut(&[J::Record])) {
        match self {
            Source::Records(records) => body(&records[range]),
            Source::Keys { job, from } => {
                let mut chunk = [J::Record::default(); CHUNK];
                for begin in range.clone().step_by(CHUNK) {
                    let chunk = &mut chunk[..CHUNK.min(range.end - begin)];
                    job.load(from + begin, chunk);
                    body(chunk);
                }
            }
        }
    }
}

/// The division of a row into blocks of equal length.
#[derive(Clone, Copy)]
pub(super) struct Blocks {
    len: usize,
    block: usize,
}

/// The survey of a row before it is partitioned: differing bits, order, and counts by intervals.
pub(super) struct Survey {
    /// The bits in which keys differ.
    pub(super) differ: u64,
    /// Whether the keys are already in order.
    pub(super) is_sorted: bool,
    intervals: Intervals,
    /// For each block the number of records of each interval.
    counts: Vec<Vec<usize>>,
}

/// The survey of a block.
#[derive(Clone)]
struct Block {
    extremes: BitDifferences,
    /// If its keys are in order, the first and the last.
    sorted: Option<(u64, u64)>,
    counts: Vec<usize>,
}

impl Survey {
    /// The bits in which keys of the same interval may differ.
    pub(super) fn below(&self) -> u64 {
        self.intervals.below(self.differ)
    }
}

impl Blocks {
    /// Cuts a row into a few blocks for each thread, so that none waits long for the others.
    pub(super) fn new(pool: &Pool, len: usize) -> Blocks {
        let count = (len / BLOCK).clamp(1, 4 * pool.threads());
        Blocks { len, block: len.div_ceil(count).max(1) }
    }

    /// The number of blocks.
    pub(super) fn count(self) -> usize {
        self.len.div_ceil(self.block).max(1)
    }

    /// The range of a block in the row.
    pub(super) fn range(self, block: usize) -> Range<usize> {
        (block * self.block).min(self.len)..((block + 1) * self.block).min(self.len)
    }

    /// Runs `body` for each block and its place.
    pub(super) fn each(self, pool: &Pool, place: &mut Place, body: impl Fn(Range<usize>, &mut Place) + Sync) {
        let mut places: Vec<_> = (0..self.count()).map(|block| place.take(self.range(block).len())).collect();
        pool.for_each_mut(&mut places, |block, place| body(self.range(block), place));
    }

    /// Finds out in which bits keys differ, `width` at most, and counts by intervals: those that a few keys suggest, unless most keys share one of them.
    pub(super) fn survey<J: Job>(self, pool: &Pool, source: Source<'_, J>, width: u32, bits: u32) -> Survey {
        let guess = source.guess(self.len, width, bits);
        let mut blocks =
            vec![Block { extremes: BitDifferences::NONE, sorted: None, counts: Vec::new() }; self.count()];
        pool.for_each_mut(&mut blocks, |block, Block { extremes, sorted, counts }| {
            *counts = vec![0; guess.count()];
            let mut is_sorted = true;
            source.each(self.range(block), &mut |records| {
                *extremes = extremes.join(look::<J>(records));
                count::<J>(records, guess, counts);
                // Soon found out, unless it is so.
                is_sorted = is_sorted && records.is_sorted_by_key(|record| J::bits(*record));
                if let (true, Some(first), Some(last)) = (is_sorted, records.first(), records.last()) {
                    let (first, last) = (J::bits(*first), J::bits(*last));
                    let (least, greatest) = sorted.unwrap_or((first, first));
                    is_sorted = greatest <= first;
                    *sorted = Some((least, last));
                }
            });
            *sorted = sorted.filter(|_| is_sorted);
        });
        let is_sorted = blocks.is_sorted_by(|a, b| match (a.sorted, b.sorted) {
            (Some((_, greatest)), Some((least, _))) => greatest <= least,
            (None, _) | (_, None) => false,
        });
        let is_sorted = is_sorted && blocks.iter().all(|block| block.sorted.is_some());
        let extremes =
            blocks.iter().fold(BitDifferences::NONE, |extremes, block| extremes.join(block.extremes));
        let differ = extremes.differ();
        let mut counts: Vec<_> = blocks.into_iter().map(|block| block.counts).collect();
        let most = (0..guess.count()).map(|at| counts.iter().map(|counts| counts[at]).sum::<usize>()).max();
        let is_good = differ == 0 || is_sorted || most.is_some_and(|most| most <= self.len / 2);
        let intervals = if is_good { guess } else { Intervals::highest(extremes, bits) };
        if intervals != guess {
            pool.for_each_mut(&mut counts, |block, counts| {
                counts.clear();
                counts.resize(intervals.count(), 0);
                source.each(self.range(block), &mut |records| count::<J>(records, intervals, counts));
            });
        }
        Survey { differ, is_sorted, intervals, counts }
    }
}

/// The bits of some keys.
pub(super) fn look<J: Job>(records: &[J::Record]) -> BitDifferences {
    let Some(first) = records.first() else { return BitDifferences::NONE };
    let (or, and) = records.iter().fold((*first, *first), |(or, and), record| (or | *record, and & *record));
    BitDifferences::new(J::bits(or), J::bits(and))
}

fn count<J: Job>(records: &[J::Record], intervals: Intervals, counts: &mut [usize]) {
    records.iter().for_each(|record| counts[intervals.of(J::bits(*record))] += 1);
}

/// Moves the records to `to`, ordered by the intervals of the survey; returns the ends of the parts.
#[allow(unsafe_code)] // Several threads write to one array.
pub(super) fn partition<J: Job>(
    pool: &Pool,
    blocks: Blocks,
    source: Source<'_, J>,
    survey: &Survey,
    to: &mut [J::Record],
) -> Vec<usize> {
    let intervals = survey.intervals;
    let mut begins = survey.counts.clone();
    let mut sum = 0;
    let ends = (0..intervals.count()).map(|interval| {
        for block in &mut begins {
            sum += std::mem::replace(&mut block[interval], sum);
        }
        sum
    });
    let ends = ends.collect();
    let to = ScatterTarget::new(to);
    pool.for_each_mut(&mut begins, |block, next| {
        let records = |body: &mut dyn FnMut(&[J::Record])| source.each(blocks.range(block), body);
        // SAFETY: each interval of each block has as many places of its own as `survey` counted, in records that nobody has changed since.
        unsafe { to.scatter(next, intervals, J::bits, records) };
    });
    ends
}

/// As [`partition`], by one thread.
#[allow(unsafe_code)] // The same function writes, though nobody else does.
pub(super) fn partition_alone<J: Job>(
    from: &[J::Record],
    intervals: Intervals,
    to: &mut [J::Record],
) -> Vec<usize> {
    let mut next = vec![0; intervals.count()];
    count::<J>(from, intervals, &mut next);
    begins(&mut next, 0);
    let mut ends = next[1..].to_vec();
    ends.push(from.len());
    // SAFETY: `to` is borrowed mutably, and no other thread scatters to it; `next` counts how many records each interval has, so that they do not meet.
    unsafe { ScatterTarget::new(to).scatter(&mut next, intervals, J::bits, |body| body(from)) };
    ends
}
