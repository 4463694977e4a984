//! Interleaved tiles: several tiles of a reduction run at once to hide the latency of dependent additions.
//!
//! Sixteen lanes of `f32` are one register of 512 bits, and each addition waits for the one before it. While memory is fast, that latency bounds the
//! loop. The order within a tile is fixed, but tiles are independent: so the interior loop interleaves several of them, each with accumulators of its
//! own, and writes their rows of partial results in order afterwards.

use super::{Info, Site};
use crate::reduction;
use nestled_ir::Direction;

/// Number of accumulator registers that hide the latency of an addition.
const CHAINS: usize = 4;

/// Bodies with more instructions than this hide the latency of an addition themselves.
const LIGHT: u64 = 40;

/// The description for `docs/plans.md` and tests.
pub const INFO: Info = Info {
    word: "interleaved-tiles",
    summary: "several tiles of a reduction at the same time, each with accumulators of its own",
    condition: "reductions in tiles over one long row, forward, by monoids whose every component has an identity (`add`, `min` …), no loops in thunks and at most 40 instructions a point; as many tiles \
                as make 4 registers of accumulators",
    cost: "the body is written once more for each tile; saves waiting for the latency of an addition",
};

/// Returns the number of tiles to interleave, at least two, if that pays.
pub fn condition(site: &Site<'_>, sweep: usize) -> Option<usize> {
    let nest = site.nest;
    let parts = reduction::parts(site.program, site.kernel, nest.in_sweep(sweep));
    let plain = nest.direction == Direction::Forward && nest.only_reduces(site.kernel);
    if !plain || parts.iter().any(|part| part.identity.is_none()) {
        return None;
    }
    let costs = site.costs(site.steps());
    if costs.iter().any(|cost| cost.loops) || costs.iter().map(|cost| cost.work).sum::<u64>() > LIGHT {
        return None;
    }
    let bytes: usize = parts.iter().flat_map(|part| &part.types).map(|ty| ty.size()).sum();
    let registers = (8 * bytes * site.lanes).div_ceil(site.target.vector_bits as usize);
    Some(CHAINS / registers.max(1)).filter(|&tiles| tiles >= 2)
}
