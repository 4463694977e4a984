//! Point by point: short groups that are only mapped after a reduction.
//!
//! A vector loop takes longer to begin than a few points take.

use super::{Info, Site};
use nestled_ir::CombinatorKind;

/// Groups of so many positions or fewer are mapped one position after another.
pub const FEW: u64 = 4;

/// For people and tests.
pub const INFO: Info = Info {
    word: "points-up-to",
    summary: "versions by length: short groups point by point, others vectorised",
    condition: "a sweep after the first that only maps",
    cost: "one comparison for each group; saves the setup of a vector loop in groups of at most 4 points",
};

/// Whether a sweep has a version for few points.
pub fn condition(site: &Site<'_>, sweep: usize) -> bool {
    let is_map = |step: usize| matches!(site.kernel.steps[step].kind, CombinatorKind::Map);
    sweep > 0 && site.nest.in_sweep(sweep).all(is_map)
}
