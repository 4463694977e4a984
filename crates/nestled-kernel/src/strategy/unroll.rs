//! Unrolled rows: rows whose length is known to be a few whole vectors are emitted without a loop.
//!
//! Computing the interior of a row takes longer than a vector or two. Mostly all of a row is interior, and mostly this is known before the rows of a
//! group begin. So one test per row decides: either the whole row is interior, or it goes through the loops.

use super::{Info, Site};
use crate::axes::{Length, length};
use crate::nest::Order;
use nestled_ir::{CombinatorKind, Direction};

/// Maximum number of vectors of a row.
const VECTORS: u64 = 4;

/// Maximum work of the thunks of a point: the code of a row is repeated for each vector.
const LIGHT: u64 = 100;

/// The description for `docs/plans.md` and tests.
pub const INFO: Info = Info {
    word: "unrolled-rows",
    summary: "full unrolling: a row of a literal length is a few vectors without a loop",
    condition: "rows of a literal length that is 1 to 4 whole vectors; maps and reductions without loops and of at most 100 instructions a point; no non-temporal stores",
    cost: "the body is written once for each vector, and once more in the loops; saves finding the interior of each row, and for a group of a literal size also its ends: one test decides for all rows",
};

/// Returns the number of vectors of a row, if rows are short enough.
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
