//! Rows: segments of elements that are sorted together, and their distribution over threads.

use super::job::Job;
use super::parallel;
use super::place::Place;
use super::scratch::lend_own;
use super::serial::{self, Counts};
use nestled_pool::Pool;
use std::ops::Range;

/// The shortest row that may be sorted by all threads together.
const LONG: usize = 1 << 16;
/// Rows of more bytes are always sorted by all threads together; shorter ones only if there are few.
const LARGE: usize = 1 << 20;
/// The number of elements of shorter rows, or a little more, that one thread sorts at a time. Not more than [`LONG`].
const BLOCK: usize = 1 << 14;

/// The rows of an array; each is sorted by itself.
#[derive(Clone, Copy, Debug)]
pub enum Rows<'a> {
    /// All elements are one row.
    One,
    /// Rows of the same length.
    Regular {
        /// The length of each.
        length: usize,
    },
    /// Row `i` begins at offset `i` and ends before offset `i + 1`. The offsets begin with 0 and never fall.
    Offsets(&'a [i64]),
}

impl Rows<'_> {
    /// The number of elements, if `len` are given.
    pub(super) fn total(self, len: usize) -> usize {
        match self {
            Rows::One => len,
            Rows::Regular { length } => len - len.checked_rem(length).unwrap_or(len),
            Rows::Offsets(offsets) => offsets.last().map_or(0, |end| *end as usize),
        }
    }

    /// The number of rows, where they have `len` elements. Empty rows that are not written down do not count.
    pub(super) fn count(self, len: usize) -> usize {
        match self {
            Rows::One => 1,
            Rows::Regular { length } => len / length.max(1),
            Rows::Offsets(offsets) => offsets.len().saturating_sub(1),
        }
    }

    /// The range of a row. (The one row ends at infinity.)
    pub(super) fn range(self, row: usize) -> Range<usize> {
        match self {
            Rows::One => 0..usize::MAX,
            Rows::Regular { length } => row * length..(row + 1) * length,
            Rows::Offsets(offsets) => offsets[row] as usize..offsets[row + 1] as usize,
        }
    }

    /// The first row that ends after `position`.
    pub(super) fn of(self, position: usize) -> usize {
        match self {
            Rows::One => 0,
            Rows::Regular { length } => position / length,
            Rows::Offsets(offsets) => offsets.partition_point(|offset| *offset as usize <= position) - 1,
        }
    }

    /// The first row that begins at `position` or later.
    fn from(self, position: usize, len: usize) -> usize {
        let row = match self {
            Rows::One => position.min(1),
            Rows::Regular { length } => position.div_ceil(length),
            Rows::Offsets(offsets) => offsets.partition_point(|offset| (*offset as usize) < position),
        };
        row.min(self.count(len))
    }
}

/// Sorts each row. The place is that of all rows.
pub(super) fn sort<J: Job>(pool: &Pool, rows: Rows<'_>, mut place: Place, job: &J) {
    let len = place.len();
    let range = |row: usize| {
        let range = rows.range(row);
        range.start..range.end.min(len)
    };
    let is_long = |row: usize| {
        let row = range(row).len();
        row >= LONG && (row * size_of::<J::Record>() > LARGE || row > len / (4 * pool.threads()))
    };
    let begin = |row: usize| if row == rows.count(len) { len } else { rows.range(row).start };
    // Groups begin where the first row after a multiple of BLOCK begins.
    let mut groups = Vec::with_capacity(len / BLOCK + 1);
    let mut long = Vec::new();
    let mut from = 0;
    for position in (0..len).step_by(BLOCK) {
        let to = if position + BLOCK < len { rows.from(position + BLOCK, len) } else { rows.count(len) };
        if begin(from) == begin(to) {
            continue;
        }
        // After a long row no other begins in the block.
        let last = rows.of(begin(to) - 1);
        if is_long(last) {
            groups.push((from..last, place.take(begin(last) - begin(from))));
            long.push(place.take(range(last).len()));
        } else {
            groups.push((from..to, place.take(begin(to) - begin(from))));
        }
        from = to;
    }
    long.into_iter().for_each(|place| parallel::sort(pool, job, place));
    pool.for_each_mut(&mut groups, |_, (rows, place)| {
        let (begin, len) = (place.start(), place.len());
        let mut counts = Counts::new();
        lend_own(len, |data, other| {
            job.load(begin, data);
            for row in rows.clone().map(range).filter(|row| !row.is_empty()) {
                let part = row.start - begin..row.end - begin;
                let (data, other) = (&mut data[part.clone()], &mut other[part]);
                if serial::sort::<J>(data, other, &mut counts) {
                    data.copy_from_slice(other);
                }
                if J::ROW_BY_ROW {
                    job.store(row.start, place.take(row.len()), data);
                }
            }
            if !J::ROW_BY_ROW {
                job.store(begin, place.take(len), data);
            }
        });
    });
}
