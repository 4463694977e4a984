//! Counting sort: in a long row whose keys lie close together, every element goes straight to its place.
//!
//! Keys are counted by value, so that the begin of each value is known. No records are made of keys and payload: the payload
//! is scattered from array to array, sorted keys are written from the counts, and a rank is the next place of its key. All threads do so
//! for blocks of the row, each with places of its own, in the order of values first and blocks second; that makes it stable.
//!
//! The choice depends on the keys alone, and is made here, once: [`CountingSort::new`]. Keys that lie far apart are detected after a few of them.
//!
//! 1 M `i64` with an `i64` payload, as records of 16 bytes and counted, on two virtual cores that others kept busy, medians of nine: below 1000 22 and
//! 8.5 ms, below 8000 23 and 16; 0.1 M below 100 2.4 and 0.9.

use super::column::{Column, Elements};
use super::job::{Sorted, Words};
use super::key::Code;
use super::partition::Blocks;
use super::place::{Place, Results};
use super::record::Word;
use super::rows::Rows;
use super::targets::{Cell, Targets};
use nestled_pool::Pool;

/// The fewest elements for which counting is considered.
const FEWEST: usize = 512;
/// The most key values: a line of the cache for each is written to at a time, and all lines have room in the second cache.
const MOST: usize = 1 << 13;
/// The fewest elements per key value on average, so that counts cost little.
const EACH: usize = 4;
/// Keys are inspected in chunks of this many, and no further once they lie too far apart.
const CHUNK: usize = 1 << 10;

/// The same expression for keys of any width.
macro_rules! each_width {
    ($words:expr, $keys:ident, $code:ident => $body:expr) => {
        match $words {
            Words::U8($keys, $code) => $body,
            Words::U16($keys, $code) => $body,
            Words::U32($keys, $code) => $body,
            Words::U64($keys, $code) => $body,
        }
    };
}

/// A row of keys that were counted.
pub(super) struct CountingSort<'a> {
    pool: &'a Pool,
    keys: Words<'a>,
    len: usize,
    blocks: Blocks,
    /// The integer of the least key.
    least: u64,
    /// For each block and value the place of the next element.
    begins: Vec<Vec<usize>>,
    /// For each value the end of its elements.
    ends: Vec<usize>,
}

impl<'a> CountingSort<'a> {
    /// Counts keys, if they are one row and lie close enough together.
    pub(super) fn new(
        pool: &'a Pool,
        rows: Rows<'_>,
        keys: Words<'a>,
        len: usize,
    ) -> Option<CountingSort<'a>> {
        if rows.count(len) != 1 || rows.total(len) != len || len < FEWEST {
            return None;
        }
        let most = MOST.min(len / EACH) as u64;
        let blocks = Blocks::new(pool, len);
        let (least, greatest) = each_width!(keys, keys, code => bounds(pool, blocks, keys, code, most))?;
        let values = (greatest - least) as usize + 1;
        let mut begins = vec![Vec::new(); blocks.count()];
        pool.for_each_mut(&mut begins, |block, counts| {
            *counts = vec![0; values];
            let range = blocks.range(block);
            each_width!(keys, keys, code => {
                keys[range].iter().for_each(|key| counts[place_of(*key, code, least)] += 1);
            });
        });
        let mut sum = 0;
        let ends = (0..values).map(|value| {
            for block in &mut begins {
                sum += std::mem::replace(&mut block[value], sum);
            }
            sum
        });
        let ends = ends.collect();
        Some(CountingSort { pool, keys, len, blocks, least, begins, ends })
    }

    /// Writes the keys in order, and moves columns along.
    #[allow(unsafe_code)] // Somebody must say that the results are nobody else's.
    pub(super) fn sort(&self, sorted: Sorted<'_>, columns: &[Column<'_>]) {
        // SAFETY: this is the one place that is made for the results of this call.
        let mut place = unsafe { Place::all(self.len) };
        for column in columns {
            match &column.0 {
                Elements::One(from, to) => self.scatter(from, to, &mut place),
                Elements::Two(from, to) => self.scatter(from, to, &mut place),
                Elements::Four(from, to) => self.scatter(from, to, &mut place),
                Elements::Eight(from, to) => self.scatter(from, to, &mut place),
            }
        }
        match sorted {
            Sorted::U8(sorted, code) => self.write(&sorted, code, &mut place),
            Sorted::U16(sorted, code) => self.write(&sorted, code, &mut place),
            Sorted::U32(sorted, code) => self.write(&sorted, code, &mut place),
            Sorted::U64(sorted, code) => self.write(&sorted, code, &mut place),
        }
    }

    /// Writes for each key its place in order.
    pub(super) fn rank(&self, ranks: &Targets<'_, i64>) {
        self.each(|position, place| ranks.set(position, place as i64));
    }

    fn scatter<T: Cell + Sync>(&self, from: &[T], to: &Results<'_, T>, place: &mut Place) {
        let targets = Targets::new(to.at(place));
        self.each(|position, place| targets.set(place, from[position]));
    }

    /// Calls `body` with each position and where its element goes.
    fn each(&self, body: impl Fn(usize, usize) + Sync) {
        let mut all: Vec<_> = self.begins.clone();
        self.pool.for_each_mut(&mut all, |block, next| {
            let range = self.blocks.range(block);
            each_width!(self.keys, keys, code => {
                for (position, key) in range.clone().zip(&keys[range]) {
                    let next = &mut next[place_of(*key, code, self.least)];
                    body(position, *next);
                    *next += 1;
                }
            });
        });
    }

    fn write<W: Word>(&self, sorted: &Results<'_, W>, code: Code<W>, place: &mut Place) {
        self.blocks.each(self.pool, place, |range, place| {
            let sorted = sorted.at(place);
            let mut begin = range.start;
            let first = self.ends.partition_point(|end| *end <= begin);
            for (value, end) in (first as u64..).zip(&self.ends[first..]) {
                let end = range.end.min(*end);
                sorted[begin - range.start..end - range.start].fill(code.decode(W::low(self.least + value)));
                begin = end;
            }
        });
    }
}

/// The index of a key among the values.
#[inline(always)]
fn place_of<W: Word>(key: W, code: Code<W>, least: u64) -> usize {
    (code.encode(key).into() - least) as usize
}

/// The least and the greatest of some keys, if they are less than `most` apart.
fn bounds<W: Word>(pool: &Pool, blocks: Blocks, keys: &[W], code: Code<W>, most: u64) -> Option<(u64, u64)> {
    let mut found = vec![None; blocks.count()];
    pool.for_each_mut(&mut found, |block, found| {
        let keys = &keys[blocks.range(block)];
        let mut bounds = (u64::MAX, 0);
        let is_close = keys.chunks(CHUNK).all(|keys| {
            bounds = keys.iter().fold(bounds, |(least, greatest), key| {
                let key = code.encode(*key).into();
                (least.min(key), greatest.max(key))
            });
            bounds.1 - bounds.0 < most
        });
        *found = is_close.then_some(bounds);
    });
    let join = |a: (u64, u64), b: Option<(u64, u64)>| b.map(|b| (a.0.min(b.0), a.1.max(b.1)));
    let (least, greatest) = found.into_iter().try_fold((u64::MAX, 0), join)?;
    (least <= greatest && greatest - least < most).then_some((least, greatest))
}
