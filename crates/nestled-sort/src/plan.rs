//! Plans of radix sort: a cost model chooses the digits to sort by.

use super::digit::{Digit, MOST_BITS};

/// The most intervals, as bits, of a single pass before insertion: its counts and the records fit the nearest caches.
const ONE_PASS_BITS: u32 = 13;
/// The most counts for all passes together.
pub(super) const COUNTS: usize =
    if 3 << MOST_BITS > 1 << ONE_PASS_BITS { 3 << MOST_BITS } else { 1 << ONE_PASS_BITS };
/// The most passes.
const PASSES: usize = 8;

// What things cost, in tenths of a nanosecond (measured on Zen 5; insertion was compared with passes on Zen 1).

/// Counting and moving a record once.
const PASS: usize = 12;
/// Making and using one count.
const COUNT: usize = 4;
/// Checking whether records are still equal.
const FINISH: usize = 10;
/// Insertion of a record next to which few others were left out of order.
const INSERT: usize = 14;
/// Comparing, for each record and each level.
const COMPARE: usize = 8;
/// Fixed cost of a sort.
const BEGIN: usize = 1500;

/// The records for which the nearest caches have room.
pub(super) const NEAR: usize = 6000;

/// The digits to sort by, from the lowest.
pub(super) struct RadixPlan {
    digits: [Digit; PASSES],
    passes: usize,
    /// Bits below all digits, in which keys may differ.
    pub(super) unseen: u32,
}

/// Passes over digits of so many bits each, and their cost.
#[derive(Clone, Copy)]
struct Passes {
    bits: u32,
    cost: usize,
}

/// The cheapest passes for so many records that see so many bits.
fn passes(len: usize, seen: u32) -> Passes {
    let least = seen.div_ceil(MOST_BITS).max(1);
    let of = |passes: u32| {
        let bits = seen.div_ceil(passes);
        Passes { bits, cost: passes as usize * (len * PASS + (COUNT << bits)) }
    };
    let mut best = of(least);
    // With each more the counts get fewer, until that does not pay any more.
    for passes in least + 1..=PASSES as u32 {
        let next = of(passes);
        if next.cost >= best.cost {
            break;
        }
        best = next;
    }
    best
}

/// Number of highest bits that tell nearly all of so many random keys apart.
fn telling(len: usize) -> u32 {
    len.ilog2() + 5
}

/// Number of intervals, as bits: a few for each record, which leaves so few random keys in a wrong order that insertion is cheap. None where the
/// counts would not fit, or keys have no further bits.
fn one_pass(len: usize, span: u32) -> Option<u32> {
    let bits = (len.ilog2() + 2).min(ONE_PASS_BITS);
    (len < 1 << ONE_PASS_BITS && bits < span).then_some(bits)
}

/// The cost of a single pass by so many intervals, and of insertion.
fn one_pass_cost(len: usize, bits: u32) -> usize {
    len * (PASS + INSERT) + (COUNT << bits)
}

/// The cost of comparing.
fn compare_cost(len: usize) -> usize {
    len * len.ilog2() as usize * COMPARE
}

/// The cost of sorting so many records that differ in so many neighbouring bits.
pub(super) fn cost(len: usize, span: u32) -> usize {
    if len < 2 || span == 0 {
        return len;
    }
    let all = passes(len, span).cost;
    let most = passes(len, span.min(telling(len))).cost + len * FINISH;
    let one = one_pass(len, span).map_or(usize::MAX, |bits| one_pass_cost(len, bits));
    (all.min(most).min(one) + BEGIN).min(compare_cost(len))
}

/// Number of intervals, as bits, of a single pass before insertion, if that is the cheapest for so many random keys that differ in these bits. It has to be
/// seen from its counts whether they are.
pub(super) fn before_insertion(len: usize, differ: u64) -> Option<u32> {
    let span = span(differ);
    one_pass(len, span).filter(|bits| one_pass_cost(len, *bits) + BEGIN <= cost(len, span))
}

/// Number of bits from the lowest in which keys differ to the highest.
pub(super) fn span(differ: u64) -> u32 {
    u64::BITS - differ.leading_zeros() - differ.trailing_zeros()
}

impl RadixPlan {
    /// The cheapest for so many records that differ in these bits, unless comparing is cheaper.
    pub(super) fn new(len: usize, differ: u64) -> Option<RadixPlan> {
        let (highest, lowest) = (u64::BITS - differ.leading_zeros(), differ.trailing_zeros());
        let all = passes(len, highest - lowest);
        let most = passes(len, (highest - lowest).min(telling(len)));
        let (passes, lowest, unseen) = if all.cost <= most.cost + len * FINISH {
            (all, lowest, 0)
        } else {
            let unseen = highest - telling(len);
            (most, unseen, unseen)
        };
        let least = passes.cost + if unseen > 0 { len * FINISH } else { 0 } + BEGIN;
        if least > compare_cost(len) {
            return None;
        }
        let mut plan = RadixPlan { digits: Default::default(), passes: 0, unseen };
        let mut left = differ >> lowest << lowest;
        while left != 0 {
            // Where keys are equal no pass is needed.
            let digit = Digit { shift: left.trailing_zeros(), bits: passes.bits };
            plan.digits[plan.passes] = digit;
            plan.passes += 1;
            left &= !((digit.radix() as u64 - 1) << digit.shift);
        }
        Some(plan)
    }

    /// The digits, from the lowest.
    pub(super) fn digits(&self) -> &[Digit] {
        &self.digits[..self.passes]
    }
}

/// The bits of the digit by which so many records are partitioned that differ in `span` neighbouring bits.
pub(super) fn partition_bits(len: usize, span: u32) -> u32 {
    /// The fewest records that a digit should leave.
    const FEWEST: usize = 256;
    let most = (len / FEWEST).max(16).ilog2().min(MOST_BITS);
    let least = (len >> 16).max(16).ilog2().min(most);
    let cost = |bits: &u32| {
        let part = len >> bits;
        let far = if part > NEAR { part * PASS / 2 } else { 0 };
        (cost(part.max(1), span.saturating_sub(*bits)) + far) << bits
    };
    (least..=most).min_by_key(cost).unwrap_or(most)
}
