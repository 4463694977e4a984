//! Serial radix sort in the cache, from the lowest digit.
//!
//! If keys differ in many bits, only as many of the highest are sorted by as tell most keys apart. Records that these bits leave equal lie
//! together afterwards, and are sorted by themselves; such runs are nearly always short.
//!
//! Keys that are neighbours among many more are divided into a few intervals for each of them: one pass leaves them nearly in order, and insertion
//! does the rest. The counts of the intervals tell beforehand how many records insertion may have to pass.

use super::digit::{Digit, begins};
use super::interval::Intervals;
use super::job::Job;
use super::partition::look;
use super::plan::{COUNTS, RadixPlan, before_insertion};

/// The longest input that is always sorted by comparing.
const SHORT: usize = 48;

/// Counts of digits. To make them costs more than to sort a few records, so they are made once for many rows.
pub(super) struct Counts(Vec<u32>);

impl Counts {
    pub(super) fn new() -> Counts {
        Counts(vec![0; COUNTS])
    }
}

/// Sorts `data`; `other` is as long. The result is in one of them: whether in `other`.
#[inline(always)]
pub(super) fn sort<J: Job>(data: &mut [J::Record], other: &mut [J::Record], counts: &mut Counts) -> bool {
    if data.len() <= SHORT {
        J::compare(data);
        return false;
    }
    sort_planned::<J>(data, other, look::<J>(data).differ(), counts)
}

/// As [`sort`], for neighbours among many more keys: most often they lie close together nowhere.
pub(super) fn sort_part<J: Job>(
    data: &mut [J::Record],
    other: &mut [J::Record],
    counts: &mut Counts,
) -> bool {
    if data.len() <= SHORT {
        return sort::<J>(data, other, counts);
    }
    let differ = look::<J>(data).differ();
    if differ == 0 {
        return false;
    }
    if let Some(bits) = before_insertion(data.len(), differ) {
        let (least, greatest) = bounds::<J>(data);
        if one_pass::<J>(Intervals::between(least, greatest, bits), data, other, counts) {
            return true;
        }
    }
    sort_planned::<J>(data, other, differ, counts)
}

/// As [`sort`], for more than a few records, whose keys differ in these bits.
fn sort_planned<J: Job>(
    data: &mut [J::Record],
    other: &mut [J::Record],
    differ: u64,
    counts: &mut Counts,
) -> bool {
    if differ == 0 {
        return false;
    }
    let Some(plan) = RadixPlan::new(data.len(), differ) else {
        J::compare(data);
        return false;
    };
    let is_in_other = run::<J>(&plan, data, other, counts);
    if plan.unseen > 0 {
        if is_in_other {
            finish::<J>(other, data, plan.unseen, counts);
        } else {
            finish::<J>(data, other, plan.unseen, counts);
        }
    }
    is_in_other
}

/// The least and the greatest key.
fn bounds<J: Job>(records: &[J::Record]) -> (u64, u64) {
    records.iter().fold((u64::MAX, 0), |(least, greatest), record| {
        let key = J::bits(*record);
        (least.min(key), greatest.max(key))
    })
}

/// Sorts into `other`, by intervals, in which all keys lie, and insertion; unless that leaves too many records together.
fn one_pass<J: Job>(
    intervals: Intervals,
    data: &[J::Record],
    other: &mut [J::Record],
    counts: &mut Counts,
) -> bool {
    /// The most records that a record finds in its interval, on average: random ones find less than two, themselves among them.
    const TOGETHER: u64 = 3;
    let next = &mut counts.0[..intervals.count()];
    next.fill(0);
    data.iter().for_each(|record| next[intervals.of_inner(J::bits(*record))] += 1);
    let found: u64 = next.iter().map(|count| u64::from(*count) * u64::from(*count)).sum();
    if found > TOGETHER * data.len() as u64 {
        return false;
    }
    begins(next, 0);
    scatter::<J>(data, other, |key| intervals.of_inner(key), next);
    insert::<J>(other);
    true
}

/// Insertion sort, for records that are nearly in order. Stable.
fn insert<J: Job>(records: &mut [J::Record]) {
    for at in 1..records.len() {
        let record = records[at];
        let key = J::bits(record);
        let mut to = at;
        while to > 0 && J::bits(records[to - 1]) > key {
            records[to] = records[to - 1];
            to -= 1;
        }
        if to < at {
            records[to] = record;
        }
    }
}

/// Finishes records that are in order but for the lowest bits.
fn finish<J: Job>(data: &mut [J::Record], other: &mut [J::Record], unseen: u32, counts: &mut Counts) {
    let len = data.len();
    let high = |record: J::Record| J::bits(record) >> unseen;
    let mut begin = 0;
    while let Some(more) = data[begin..].windows(2).position(|pair| high(pair[0]) == high(pair[1])) {
        begin += more;
        let same = high(data[begin]);
        let more = data[begin..].iter().position(|record| high(*record) != same);
        let end = more.map_or(len, |more| begin + more);
        let (run, other) = (&mut data[begin..end], &mut other[begin..end]);
        if sort::<J>(run, other, counts) {
            run.copy_from_slice(other);
        }
        begin = end;
    }
}

/// Sorts by the digits of a plan; true if the result is in `other`.
fn run<J: Job>(
    plan: &RadixPlan,
    data: &mut [J::Record],
    other: &mut [J::Record],
    counts: &mut Counts,
) -> bool {
    let digits = plan.digits();
    let (mut from, mut to) = (data, other);
    match *digits {
        [a] => passes::<J, 1>([a], &mut from, &mut to, counts),
        [a, b] => passes::<J, 2>([a, b], &mut from, &mut to, counts),
        [a, b, c] => passes::<J, 3>([a, b, c], &mut from, &mut to, counts),
        _ => digits.iter().for_each(|digit| passes::<J, 1>([*digit], &mut from, &mut to, counts)),
    }
    digits.len() % 2 == 1
}

/// Sorts by digits of the same number of bits, which are all counted first. The result is in `from` afterwards.
fn passes<'a, J: Job, const PASSES: usize>(
    digits: [Digit; PASSES],
    from: &mut &'a mut [J::Record],
    to: &mut &'a mut [J::Record],
    counts: &mut Counts,
) {
    let radix = digits[0].radix();
    let counts = &mut counts.0[..PASSES * radix];
    counts.fill(0);
    for record in &**from {
        let key = J::bits(*record);
        for (pass, digit) in digits.iter().enumerate() {
            counts[pass * radix + digit.of(key)] += 1;
        }
    }
    for (digit, next) in digits.iter().zip(counts.chunks_mut(radix)) {
        begins(next, 0);
        scatter::<J>(from, to, |key| digit.of(key), next);
        std::mem::swap(from, to);
    }
}

#[inline(always)]
fn scatter<J: Job>(from: &[J::Record], to: &mut [J::Record], digit: impl Fn(u64) -> usize, next: &mut [u32]) {
    for record in from {
        let next = &mut next[digit(J::bits(*record))];
        to[*next as usize] = *record;
        *next += 1;
    }
}
