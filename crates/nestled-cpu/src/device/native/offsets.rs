//! Operations on segment descriptors: offsets from lengths and back, comparison, and bounds checks.

use super::blocks::{self, BLOCK};
use super::views::Plain;
use nestled_pool::Pool;

/// The reason why lengths have no offsets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BadLengths {
    /// The first negative length.
    Negative {
        /// Its position.
        at: usize,
        /// The length.
        value: i64,
    },
    /// The sum exceeds the range of an index.
    TooMany,
}

/// A saturating sum of lengths, in which negative ones count as 0.
#[derive(Clone, Copy, Default)]
struct Sum {
    total: i64,
    overflows: bool,
    negative: Option<usize>,
}

impl Sum {
    fn of<T: Copy + Into<i64>>(lengths: &[T]) -> Sum {
        let mut sum = Sum::default();
        let mut bits = 0;
        for &length in lengths {
            bits |= length.into();
            sum.total = sum.total.wrapping_add(length.into());
        }
        // No sum of a block of such lengths wraps.
        let is_small = (0..i64::MAX / BLOCK as i64).contains(&bits) && lengths.len() <= BLOCK;
        if is_small { sum } else { Sum::carefully(lengths) }
    }

    #[cold]
    fn carefully<T: Copy + Into<i64>>(lengths: &[T]) -> Sum {
        let mut sum = Sum::default();
        for (at, &length) in lengths.iter().enumerate() {
            let length: i64 = length.into();
            if length < 0 {
                sum.negative = sum.negative.or(Some(at));
            } else {
                sum.add(length);
            }
        }
        sum
    }

    fn add(&mut self, length: i64) {
        let total = self.total.checked_add(length);
        self.overflows |= total.is_none();
        self.total = total.unwrap_or(i64::MAX);
    }
}

/// Computes offsets from lengths by a scan: 0, then running sums, then the total up to the end of `offsets`, which has more entries than there are
/// lengths.
pub(super) fn from_lengths<T: Plain + Into<i64>>(
    pool: &Pool,
    lengths: &[T],
    offsets: &mut [i64],
) -> Result<(), BadLengths> {
    let sums = blocks::map(pool, lengths.len(), |range| Sum::of(&lengths[range]));
    let mut whole = Sum::default();
    let mut starts = Vec::with_capacity(sums.len());
    for (block, sum) in sums.iter().enumerate() {
        starts.push(whole.total);
        whole.add(sum.total);
        whole.overflows |= sum.overflows;
        whole.negative = whole.negative.or(sum.negative.map(|at| block * BLOCK + at));
    }
    if whole.overflows && whole.negative.is_none() {
        return Err(BadLengths::TooMany);
    }
    let (entries, padding) = offsets.split_at_mut(lengths.len() + 1);
    entries[0] = 0;
    blocks::fill(pool, &mut entries[1..], |start, entries| {
        let sum = starts.get(start / BLOCK).copied().unwrap_or(0);
        match whole.negative {
            None => running_sums(sum, &lengths[start..], entries),
            Some(_) => running_sums_of_positive(sum, &lengths[start..], entries),
        }
    });
    blocks::fill(pool, padding, |_, padding| padding.fill(whole.total));
    match whole.negative {
        Some(at) => Err(BadLengths::Negative { at, value: lengths[at].into() }),
        None => Ok(()),
    }
}

/// Writes running sums of lengths that are not negative and whose sum is an index. Four at a time, so that one addition in four waits for the one before.
fn running_sums<T: Copy + Into<i64>>(mut sum: i64, lengths: &[T], entries: &mut [i64]) {
    let (four, rest) = entries.as_chunks_mut::<4>();
    for (entries, lengths) in four.iter_mut().zip(lengths.as_chunks::<4>().0) {
        let [a, b, c, d] = lengths.map(Into::into);
        let within = [a, a + b, a + b + c, (a + b) + (c + d)];
        *entries = within.map(|within| sum + within);
        sum += within[3];
    }
    for (entry, &length) in rest.iter_mut().zip(&lengths[4 * four.len()..]) {
        sum += length.into();
        *entry = sum;
    }
}

/// The same for any lengths: negative ones count as 0.
#[cold]
fn running_sums_of_positive<T: Copy + Into<i64>>(mut sum: i64, lengths: &[T], entries: &mut [i64]) {
    for (entry, &length) in entries.iter_mut().zip(lengths) {
        sum = sum.saturating_add(length.into().max(0));
        *entry = sum;
    }
}

/// Computes lengths from offsets, which have one more entry.
pub(super) fn lengths(pool: &Pool, offsets: &[i64], lengths: &mut [i64]) {
    blocks::fill(pool, lengths, |start, lengths| {
        for (length, pair) in lengths.iter_mut().zip(offsets[start..].windows(2)) {
            *length = pair[1].wrapping_sub(pair[0]);
        }
    });
}

/// Writes the multiples of `step` up to `count · step`, and repeats the last.
pub(super) fn ramp(pool: &Pool, step: u64, count: u64, into: &mut [i64]) {
    blocks::fill(pool, into, |start, block| {
        for (at, entry) in block.iter_mut().enumerate() {
            *entry = ((start + at) as u64).min(count).saturating_mul(step) as i64;
        }
    });
}

/// Returns an entry of offsets that are conceptually padded with their total.
fn entry(offsets: &[i64], at: usize) -> i64 {
    offsets.get(at).or(offsets.last()).copied().unwrap_or(0)
}

/// True if two lists of offsets describe the same segments.
pub(super) fn same(pool: &Pool, left: &[i64], right: &[i64]) -> bool {
    let common = left.len().min(right.len());
    let heads = blocks::map(pool, common, |range| left[range.clone()] == right[range]);
    let last = entry(left, common.saturating_sub(1));
    let tail = |list: &[i64]| list[common..].iter().all(|&entry| entry == last);
    heads.into_iter().all(|same| same) && tail(left) && tail(right)
}

/// The lengths of rows.
#[derive(Clone, Copy)]
pub(super) enum RowLengths<'a> {
    /// The same for all.
    Regular(u64),
    /// Given by offsets, which are conceptually padded.
    Offsets(&'a [i64]),
}

impl RowLengths<'_> {
    /// Returns the length of a row.
    pub(super) fn of(self, at: usize) -> u64 {
        match self {
            RowLengths::Regular(length) => length,
            RowLengths::Offsets(offsets) => entry(offsets, at + 1).wrapping_sub(entry(offsets, at)) as u64,
        }
    }
}

/// Finds the first segment that is not inside `0..limit`.
pub(super) fn first_outside(
    pool: &Pool,
    starts: &[i64],
    lengths: RowLengths<'_>,
    limit: u64,
) -> Option<usize> {
    let is_outside = |at: usize| {
        let end = u64::try_from(starts[at]).ok().and_then(|start| start.checked_add(lengths.of(at)));
        end.is_none_or(|end| end > limit)
    };
    let firsts = blocks::map(pool, starts.len(), |mut range| range.find(|&at| is_outside(at)));
    firsts.into_iter().flatten().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pools() -> [Pool; 2] {
        [Pool::new(1), Pool::new(3)]
    }

    #[test]
    fn offsets_are_running_sums() {
        for pool in pools() {
            for count in [0, 1, 5, BLOCK, BLOCK + 1, 3 * BLOCK + 17] {
                let lengths: Vec<i32> = (0..count as i32).map(|at| at * 31 % 7).collect();
                let mut offsets = vec![-1; count + 1 + count % 3];
                from_lengths(&pool, &lengths, &mut offsets).unwrap();
                let mut sum = 0;
                for (at, &entry) in offsets.iter().enumerate() {
                    assert_eq!(entry, sum, "{at} of {count}");
                    sum += lengths.get(at).map_or(0, |&length| i64::from(length));
                }
                let mut back = vec![0; count];
                super::lengths(&pool, &offsets[..=count], &mut back);
                assert!(back.iter().zip(&lengths).all(|(&back, &length)| back == i64::from(length)));
            }
        }
    }

    #[test]
    fn the_first_negative_length_is_found() {
        for pool in pools() {
            let mut lengths = vec![i64::MAX / 2; 2 * BLOCK];
            let mut offsets = vec![0; 2 * BLOCK + 1];
            assert_eq!(from_lengths(&pool, &lengths, &mut offsets), Err(BadLengths::TooMany));
            lengths[BLOCK + 3] = -5;
            lengths[BLOCK + 9] = -6;
            let found = from_lengths(&pool, &lengths, &mut offsets);
            assert_eq!(found, Err(BadLengths::Negative { at: BLOCK + 3, value: -5 }));
            let lengths = [2u8, 3];
            assert_eq!(from_lengths(&pool, &lengths, &mut offsets), Ok(()));
            assert_eq!(offsets[..4], [0, 2, 5, 5]);
            assert!(from_lengths(&pool, &[i64::MAX, 0], &mut offsets).is_ok());
            assert_eq!(from_lengths(&pool, &[i64::MAX, 1], &mut offsets), Err(BadLengths::TooMany));
        }
    }

    #[test]
    fn padding_does_not_count() {
        for pool in pools() {
            assert!(same(&pool, &[0, 2, 5], &[0, 2, 5, 5, 5]));
            assert!(!same(&pool, &[0, 2, 5], &[0, 2, 5, 6]));
            assert!(!same(&pool, &[0, 2, 5], &[0, 3, 5]));
            let long: Vec<i64> = (0..3 * BLOCK as i64).collect();
            let mut other = long.clone();
            assert!(same(&pool, &long, &other));
            other[2 * BLOCK + 5] += 1;
            assert!(!same(&pool, &long, &other));
        }
    }

    #[test]
    fn the_first_segment_outside() {
        for pool in pools() {
            let mut starts = vec![5; 3 * BLOCK];
            assert_eq!(first_outside(&pool, &starts, RowLengths::Regular(5), 10), None);
            assert_eq!(first_outside(&pool, &starts, RowLengths::Regular(5), 9), Some(0));
            starts[BLOCK + 7] = -1;
            starts[2 * BLOCK] = i64::MAX;
            assert_eq!(first_outside(&pool, &starts, RowLengths::Regular(5), 10), Some(BLOCK + 7));
            assert_eq!(first_outside(&pool, &[3, 3, 0], RowLengths::Offsets(&[0, 1, 4, 4]), 5), Some(1));
        }
    }

    #[test]
    fn ramps_end() {
        let mut into = [0; 5];
        ramp(&Pool::new(1), 3, 2, &mut into);
        assert_eq!(into, [0, 3, 6, 6, 6]);
    }
}
