//! Transposed batches: sixteen short groups at a time.
//!
//! The values of a short group are computed as one masked vector, which is a row of a square matrix. The square is then transposed, so that each
//! group has a lane, and the values of all groups are combined from left to right in all lanes at once. No branch depends on the length of a group.
//! If later sweeps read the results of the groups, all sixteen must be short: then sweeps that reduce are done in the same way, and sweeps that
//! only map run along the elements of all sixteen, to which the results of the groups are broadcast.

use super::{Info, Site};
use crate::nest::{At, Item, Order};
use crate::reduction;
use crate::schedule::Batches;
use nestled_ir::{CombinatorKind, Direction, StmtKind, are_own_coordinates};

/// Groups of a batch, and the maximum number of positions of a short group.
pub const SIDE: usize = 16;

/// Maximum number of components: each is transposed by itself.
const MAX_COMPONENTS: usize = 2;

/// Maximum number of instructions of a point for which the loop over the groups of a batch is unrolled.
const LIGHT: u64 = 8;

/// The description for `docs/plans.md` and tests.
pub const INFO: Info = Info {
    word: "transposed-batches",
    summary: "sixteen short groups at a time, as rows of a square that is transposed; results are broadcast to elements",
    condition: "groups at level 1 of points at level 2, 16 lanes, forward; one or two components reduced in a sweep, by monoids whose every component has an identity; thunks of operations on the group's own \
                elements only",
    cost: "a transposition of 16 by 16 values for each component, but not of truth values, counts of them and integers of 64 bits, whose rows are combined one by one; sixteen copies of a body of at most 8 instructions; saves a loop and a mispredicted jump for each group of at most 16 elements",
};

/// Returns the batches in which short groups run, if they do.
pub fn condition(site: &Site<'_>) -> Option<Batches> {
    let costs = site.costs(site.nest.in_sweeps());
    let light = costs.iter().all(|cost| !cost.loops && !cost.faults)
        && costs.iter().map(|cost| cost.work).sum::<u64>() <= LIGHT;
    is_possible(site).then_some(Batches { unrolled: light })
}

fn is_possible(site: &Site<'_>) -> bool {
    let nest = site.nest;
    let components = |sweep| -> usize {
        let parts = reduction::parts(site.program, site.kernel, nest.in_sweep(sweep));
        parts.iter().map(|part| part.types.len()).sum()
    };
    nest.group == 1
        && nest.level == 2
        && nest.order == Order::Vectors
        && nest.direction == Direction::Forward
        && site.lanes == SIDE
        && components(0) > 0
        && (0..nest.sweeps()).all(|sweep| components(sweep) <= MAX_COMPONENTS)
        && reads_own(site)
        && nest.items.iter().all(|item| can_run(site, item))
}

fn can_run(site: &Site<'_>, item: &Item) -> bool {
    let combinator = &site.kernel.steps[item.step];
    let suits = match (item.at, &combinator.kind) {
        (At::Group(0), _) => false,
        (At::Group(_) | At::Element(_), CombinatorKind::Map) => true,
        (At::Element(_), CombinatorKind::Reduce { .. }) => reduces_in_lanes(site, item.step),
        _ => false,
    };
    suits && combinator.reads().1.is_empty()
}

/// True if the reduction has a neutral value for inactive lanes, and its result does not depend on whether a guarded point took part.
pub(super) fn reduces_in_lanes(site: &Site<'_>, step: usize) -> bool {
    let guarded = site.kernel.steps[step].guard.is_some();
    let parts = reduction::parts(site.program, site.kernel, [step].into_iter());
    parts.iter().all(|part| part.identity.is_some() && !(guarded && part.counts()))
}

/// True if thunks consist only of operations on elements of the group, which may run under an empty mask. A loop might not terminate there. Reads of
/// other arrays are valid only if the group has a point, and scalar loads are cheaper than gathers for a few lanes.
fn reads_own(site: &Site<'_>) -> bool {
    let nest = site.nest;
    let mut own = nest.flat;
    for step in (0..nest.sweeps()).flat_map(|sweep| nest.in_sweep(sweep)) {
        site.kernel.steps[step].body.body.walk(&mut |stmt| match &stmt.kind {
            StmtKind::Own { .. } | StmtKind::Op { .. } | StmtKind::Check { .. } => {}
            StmtKind::Read { index, .. } => {
                own &= are_own_coordinates(index);
            }
            _ => own = false,
        });
    }
    own
}
