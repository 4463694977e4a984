//! Sorting in the cache, by one thread: radix sort from the lowest digit.
//!
//! Only so many of the highest bits in which keys differ are looked at as will tell most keys apart. What they leave equal lies together
//! afterwards, and is sorted by itself: by insertion if short, as it nearly always is.

use super::digit::{Digit, Extremes, MOST_BITS, begins};
use super::job::Job;

/// The most counts for all passes together.
const COUNTS: usize = 4 << MOST_BITS;
/// The most passes at a time.
const PASSES: usize = 6;
/// What is not longer is sorted by insertion.
const SHORT: usize = 16;

/// What things cost, in tenths of a nanosecond (Zen 5).
mod cost {
    /// Counting and moving a record once.
    pub(super) const PASS: usize = 9;
    /// Making and using one count.
    pub(super) const COUNT: usize = 3;
    /// Comparing, for each record and each level.
    pub(super) const COMPARE: usize = 8;
    /// Looking which bits differ, and which records are still equal.
    pub(super) const LOOK: usize = 7;
}

/// Sorts `data`; `other` is as long. The result is in one of them: whether in `other`.
pub(super) fn sort<J: Job>(data: &mut [J::Record], other: &mut [J::Record]) -> bool {
    if data.len() <= SHORT {
        insert::<J>(data);
        return false;
    }
    let extremes = data.iter().fold(Extremes::NONE, |extremes, record| extremes.with(J::bits(*record)));
    let differ = extremes.differ();
    if differ == 0 {
        return false;
    }
    let Some(plan) = Plan::new(data.len(), differ) else {
        J::compare(data);
        return false;
    };
    let mut counts = [0; COUNTS];
    let is_in_other = plan.run::<J>(data, other, &mut counts);
    if plan.unseen > 0 {
        if is_in_other {
            finish::<J>(other, data, plan.unseen);
        } else {
            finish::<J>(data, other, plan.unseen);
        }
    }
    is_in_other
}

/// Sorts by insertion. Stable.
fn insert<J: Job>(data: &mut [J::Record]) {
    for end in 1..data.len() {
        let record = data[end];
        let mut at = end;
        while at > 0 && J::bits(data[at - 1]) > J::bits(record) {
            data[at] = data[at - 1];
            at -= 1;
        }
        data[at] = record;
    }
}

/// Sorts what is in order but for the lowest bits.
fn finish<J: Job>(data: &mut [J::Record], other: &mut [J::Record], unseen: u32) {
    let len = data.len();
    let mut begin = 0;
    while begin + 1 < len {
        let high = J::bits(data[begin]) >> unseen;
        if J::bits(data[begin + 1]) >> unseen != high {
            begin += 1;
            continue;
        }
        let more = data[begin + 2..].iter().position(|record| J::bits(*record) >> unseen != high);
        let end = more.map_or(len, |more| begin + 2 + more);
        let (run, other) = (&mut data[begin..end], &mut other[begin..end]);
        if sort::<J>(run, other) {
            run.copy_from_slice(other);
        }
        begin = end;
    }
}

/// Which digits to sort by, from the lowest.
struct Plan {
    digits: [Digit; PASSES],
    passes: usize,
    /// Bits below all digits, in which keys may differ.
    unseen: u32,
}

impl Plan {
    /// The cheapest for so many records that differ in these bits, unless comparing is cheaper.
    fn new(len: usize, differ: u64) -> Option<Plan> {
        let log = len.ilog2();
        let highest = u64::BITS - differ.leading_zeros();
        // With so many bits, of 100 random keys 2 meet another.
        let unseen =
            highest.saturating_sub(log + 6).min(differ.trailing_zeros().max(highest.saturating_sub(log + 6)));
        let seen = highest - unseen.max(differ.trailing_zeros());
        let passes = |bits: u32| seen.div_ceil(bits) as usize;
        let cost = |bits: u32| passes(bits) * (len * cost::PASS + (cost::COUNT << bits)) + len * cost::LOOK;
        let fits = |bits: &u32| passes(*bits) <= PASSES && passes(*bits) << bits <= COUNTS;
        let bits = (3..=MOST_BITS).filter(fits).min_by_key(|bits| cost(*bits))?;
        if cost(bits) > len * log as usize * cost::COMPARE {
            return None;
        }
        let mut plan = Plan { digits: Default::default(), passes: 0, unseen };
        let mut left = differ >> unseen << unseen;
        // Passes over fewer bits each, if as many passes are needed anyway.
        let bits = seen.div_ceil(passes(bits) as u32);
        while left != 0 {
            let digit = Digit { shift: left.trailing_zeros(), bits };
            plan.digits[plan.passes] = digit;
            plan.passes += 1;
            left &= !((digit.radix() as u64 - 1) << digit.shift);
        }
        Some(plan)
    }

    /// Sorts by these digits: whether the result is in `other`. `counts` are zero.
    fn run<J: Job>(
        &self,
        data: &mut [J::Record],
        other: &mut [J::Record],
        counts: &mut [u32; COUNTS],
    ) -> bool {
        match self.passes {
            1 => self.count::<J, 1>(data, counts),
            2 => self.count::<J, 2>(data, counts),
            3 => self.count::<J, 3>(data, counts),
            _ => self.count::<J, PASSES>(data, counts),
        }
        let (mut from, mut to) = (data, other);
        for (digit, counts) in
            self.digits[..self.passes].iter().zip(counts.chunks_mut(self.digits[0].radix()))
        {
            begins(counts, 0);
            scatter::<J>(from, to, *digit, counts);
            (from, to) = (to, from);
        }
        self.passes % 2 == 1
    }

    /// Counts all digits at once.
    fn count<J: Job, const PASSES: usize>(&self, data: &[J::Record], counts: &mut [u32; COUNTS]) {
        let mut digits = [Digit::default(); PASSES];
        let passes = PASSES.min(self.passes);
        digits[..passes].copy_from_slice(&self.digits[..passes]);
        let radix = digits[0].radix();
        for record in data {
            let key = J::bits(*record);
            for (pass, digit) in digits[..passes].iter().enumerate() {
                counts[pass * radix + digit.of(key)] += 1;
            }
        }
    }
}

fn scatter<J: Job>(from: &[J::Record], to: &mut [J::Record], digit: Digit, next: &mut [u32]) {
    for record in from {
        let next = &mut next[digit.of(J::bits(*record))];
        to[*next as usize] = *record;
        *next += 1;
    }
}
