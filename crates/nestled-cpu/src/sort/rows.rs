//! Rows: which elements are sorted together, and who sorts them.

use super::record::View;
use super::serial::Side;
use super::{BLOCK, parallel, serial};
use crate::pool::Pool;
use std::ops::Range;

/// Rows this long are sorted by all threads together.
const LONG: usize = 1 << 17;

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
    /// The number of elements, where `len` are at hand.
    pub(super) fn total(self, len: usize) -> usize {
        match self {
            Rows::One => len,
            Rows::Regular { length } => len - len.checked_rem(length).unwrap_or(len),
            Rows::Offsets(offsets) => offsets.last().map_or(0, |end| *end as usize),
        }
    }

    /// The number of rows, where they have `len` elements. Empty rows that are not written down do not count.
    fn count(self, len: usize) -> usize {
        match self {
            Rows::One => 1,
            Rows::Regular { length } => len / length.max(1),
            Rows::Offsets(offsets) => offsets.len().saturating_sub(1),
        }
    }

    /// Where a row lies. (The one row ends at infinity.)
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

/// Sorts each row of `data`; `scratch` is as long.
pub(super) fn sort<V: View>(pool: &Pool, rows: Rows<'_>, data: &mut [V::Raw], scratch: &mut [V::Raw]) {
    let len = data.len();
    let range = |row: usize| {
        let range = rows.range(row);
        range.start..range.end.min(len)
    };
    // Every long row holds a multiple of LONG.
    let mut next = 0;
    for position in (0..len).step_by(LONG) {
        let row = range(rows.of(position));
        if row.len() >= LONG && row.start >= next {
            next = row.end;
            parallel::sort::<V>(pool, &mut data[row.clone()], &mut scratch[row], Side::Data);
        }
    }
    // The others, in groups that begin where the first row after a multiple of BLOCK begins.
    let mut groups = groups::<V>(rows, data, scratch);
    pool.for_each_mut(&mut groups, |_, group| {
        let begin = group.rows.clone().next().map_or(0, |row| range(row).start);
        for row in group.rows.clone().map(range).filter(|row| (2..LONG).contains(&row.len())) {
            let row = row.start - begin..row.end - begin;
            serial::sort::<V>(&mut group.data[row.clone()], &mut group.scratch[row], Side::Data);
        }
    });
}

/// Rows that one thread sorts, one after the other.
struct Group<'a, R> {
    rows: Range<usize>,
    data: &'a mut [R],
    scratch: &'a mut [R],
}

fn groups<'a, V: View>(
    rows: Rows<'_>,
    mut data: &'a mut [V::Raw],
    mut scratch: &'a mut [V::Raw],
) -> Vec<Group<'a, V::Raw>> {
    let len = data.len();
    let begin = |row: usize| if row == rows.count(len) { len } else { rows.range(row).start };
    let mut groups = Vec::with_capacity(len / BLOCK + 1);
    let mut from = 0;
    for position in (0..len).step_by(BLOCK) {
        let to = if position + BLOCK < len { rows.from(position + BLOCK, len) } else { rows.count(len) };
        if from == to {
            continue;
        }
        let (group, rest) = data.split_at_mut(begin(to) - begin(from));
        let (group_scratch, rest_scratch) = scratch.split_at_mut(group.len());
        (data, scratch) = (rest, rest_scratch);
        groups.push(Group { rows: from..to, data: group, scratch: group_scratch });
        from = to;
    }
    groups
}
