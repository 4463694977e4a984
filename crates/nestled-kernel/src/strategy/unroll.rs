//! Unrolled rows: rows that are known to be a few whole vectors, without loops.
//!
//! Finding the interior of a row takes longer than a vector or two. Mostly all of a row is interior, and mostly that is known before the rows of a group begin; so it is asked
//! once for a row, and a row for which it does not hold goes through the loops.

use super::{Info, Site};
use crate::axes::{Length, length};
use crate::nest::Order;
use nestled_ir::{CombinatorKind, Direction};

/// Vectors of a row, at most.
const VECTORS: u64 = 4;

/// What the thunks of a point may cost: the code for a row is written once more for each vector.
const LIGHT: u64 = 100;

/// For people and tests.
pub const INFO: Info = Info {
    word: "unrolled-rows",
    summary: "full unrolling: a row of a literal length is a few vectors without a loop",
    condition: "rows of a literal length that is 1 to 4 whole vectors; maps and reductions without loops and of at most 100 instructions a point; no stores past the caches",
    cost: "the body is written once for each vector, and once more in the loops; saves finding the interior of each row",
};

/// The vectors of a row, if rows are that short.
pub fn condition(site: &Site<'_>, sweep: usize) -> Option<u64> {
    let nest = site.nest;
    let Length::Literal(length) = length(site.kernel, nest.level - 1) else { return None };
    let lanes = site.lanes as u64;
    let simple = nest.order == Order::Vectors
        && nest.direction == Direction::Forward
        && !nest.chained
        && !(site.streaming && nest.streams());
    let fits = length > 0 && length.is_multiple_of(lanes) && length / lanes <= VECTORS;
    let kind = |step: usize| &site.kernel.steps[step].kind;
    let plain = |step: usize| matches!(kind(step), CombinatorKind::Map | CombinatorKind::Reduce { .. });
    let light = || site.costs(nest.in_sweep(sweep)).iter().all(|cost| !cost.loops && cost.work <= LIGHT);
    (simple && fits && nest.in_sweep(sweep).all(plain) && light()).then_some(length / lanes)
}
