//! Vectorisation across groups (loop interchange): reductions down the columns of arrays, with one group in each lane.
//!
//! If neighbouring groups are adjacent in memory and the points of a group are far apart, vectors run across the groups, and the loop over the
//! points of a group is the outer one. Reductions keep their order: a block of groups has sixteen rows of accumulators in memory, and point i is
//! combined into row i mod 16. At the end of a tile the rows are combined pairwise, in the order in which lanes are combined elsewhere.

use super::{Info, Site, prefetch, transpose};
use crate::axes::{is_even, literal_length};
use crate::combinator::level_of;
use crate::nest::{At, Item, Order};
use crate::schedule::Across;
use nestled_ir::reduction_order::SHORT;
use nestled_ir::{Atom, CombinatorKind, Direction, Index, StmtKind};

/// Rows of accumulators of a tile. They take the part of the lanes of other strategies.
pub const ROWS: u64 = 16;

/// The description for `docs/plans.md` and tests.
pub const INFO: Info = Info {
    word: "across-groups",
    summary: "loop interchange: groups in the lanes, the points of a group one after another",
    condition: "one forward sweep of maps and of reductions with identities, over axes whose segments all have the same length (no ragged axis), 16 lanes; all groups of a literal length of at most 32, or everything read lies along \
                the groups' axis and nothing across it",
    cost: "16 rows of accumulators in memory for a block of groups; saves gathers, or masked vectors, for each group",
};

/// Returns the version that vectorises across groups, if it is possible and pays.
pub fn condition(site: &Site<'_>) -> Option<Across> {
    let (nest, kernel) = (site.nest, site.kernel);
    let plain = nest.group > 0
        && site.lanes as u64 == ROWS
        && nest.sweeps() == 1
        && nest.order == Order::Vectors
        && nest.direction == Direction::Forward
        && (nest.group - 1..nest.level).all(|axis| is_even(kernel, axis));
    // Groups this short are reduced from left to right, which is scalar code unless groups are in the lanes. So even gathers from anywhere pay.
    let short = literal_length(kernel, nest.group, nest.level).is_some_and(|length| length <= SHORT);
    let suits = plain
        && nest.items.iter().all(|item| can_run(site, item))
        && (short && transpose::condition(site).is_none()
            || nest.level == nest.group + 1 && lies_along(site));
    suits.then(|| Across { short, prefetch: prefetch::condition(site, nest.group - 1) })
}

/// True if a combinator can run with groups in the lanes.
fn can_run(site: &Site<'_>, item: &Item) -> bool {
    let (nest, kernel) = (site.nest, site.kernel);
    let combinator = &kernel.steps[item.step];
    let (own, windows) = combinator.reads();
    let here = |bind| nest.in_sweep(0).any(|step| kernel.steps[step].binds.contains(&bind));
    let known = own.iter().all(|&bind| here(bind) || level_of(kernel, bind, nest.level) <= nest.group);
    let suits = match (item.at, &combinator.kind) {
        (At::Group(1), CombinatorKind::Map) => true,
        (At::Element(_), CombinatorKind::Map) => {
            combinator.binds.iter().all(|&bind| site.memory.home(bind).is_none())
        }
        (At::Element(_), CombinatorKind::Reduce { .. }) => transpose::reduces_in_lanes(site, item.step),
        _ => false,
    };
    windows.is_empty() && known && suits
}

/// True if array reads run along the groups' axis, and none across it.
fn lies_along(site: &Site<'_>) -> bool {
    let lanes = site.nest.group - 1;
    let is_lane = |index: &Index| matches!(index.at, Atom::Local(local) if local.index() == lanes);
    let (mut along, mut across) = (0, 0);
    for step in site.nest.in_sweep(0) {
        site.kernel.steps[step].body.body.walk(&mut |stmt| {
            if let StmtKind::Read { index, .. } = &stmt.kind {
                if index.last().is_some_and(is_lane) {
                    along += 1;
                } else if index.iter().any(is_lane) {
                    across += 1;
                }
            }
        });
    }
    along > 0 && across == 0
}
