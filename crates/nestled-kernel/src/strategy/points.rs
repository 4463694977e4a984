//! Scalar versions for short groups, in sweeps that only map after a reduction.
//!
//! The setup of a vector loop takes longer than a few points.

use super::{Info, Site};
use nestled_ir::CombinatorKind;

/// Groups of at most this number of positions are mapped one position after another.
pub const FEW: u64 = 4;

/// The description for `docs/plans.md` and tests.
pub const INFO: Info = Info {
    word: "points-up-to",
    summary: "versions by length: short groups point by point, others vectorised",
    condition: "a sweep after the first that only maps",
    cost: "one comparison for each group; saves the setup of a vector loop in groups of at most 4 points",
};

/// True if a sweep has a version for few points.
pub fn condition(site: &Site<'_>, sweep: usize) -> bool {
    let is_map = |step: usize| matches!(site.kernel.steps[step].kind, CombinatorKind::Map);
    sweep > 0 && site.nest.in_sweep(sweep).all(is_map)
}
