//! Transposed batches: sixteen short groups at a time.
//!
//! The values of a short group are computed as one masked vector, which is a row of a square matrix. The square is then transposed, so that each
//! group has a lane, and the values of all groups are combined from left to right in all lanes at once. No branch depends on the length of a group.
//! If later sweeps read the results of the groups, all sixteen must be short: then sweeps that reduce are done in the same way, and sweeps that
//! only map run along the elements of all sixteen, to which the results of the groups are broadcast.
//!
//! In a nest of one sweep, values that take long to compute are computed along the elements of all sixteen as well, in full vectors, and wait in memory
//! of their own for the rows to be read: a row of its own has as many empty lanes as the group lacks elements. Groups that are not short are then reduced
//! from these values, too.

use super::{Info, Site};
use crate::axes::literal_length;
use crate::cost::READ;
use crate::nest::{At, Item, Order};
use crate::reduction;
use crate::schedule::Batches;
use nestled_ir::reduction_order::SHORT;
use nestled_ir::{CombinatorKind, Direction, StmtKind, are_own_coordinates};

/// Groups of a batch, and the maximum number of positions of a short group.
pub const SIDE: usize = 16;

/// Maximum number of components: each is transposed by itself.
const MAX_COMPONENTS: usize = 2;

/// Maximum number of instructions of a point for which the loop over the groups of a batch is unrolled.
const LIGHT: u64 = 8;

/// Maximum number of instructions of a point, without reads of its own elements, for which empty lanes of a row cost less than to write values and to read them
/// again.
const ROW_BY_ROW: u64 = 8;

/// The description for `docs/plans.md` and tests.
pub const INFO: Info = Info {
    word: "transposed-batches",
    summary: "sixteen short groups at a time, as rows of a square that is transposed; results are broadcast to elements; `flat`: values are computed along the elements of all, and rows are read from these, as are groups that are not short",
    condition: "groups at level 1 of points at level 2, 16 lanes, forward; one or two components reduced in a sweep, by monoids whose every component has an identity; thunks of operations on the group's own \
                elements; `flat`, in one sweep: with calls and branches too, with reads at computed places (AVX-512), or with more than 8 operations, if no short length of the groups is known",
    cost: "a transposition of 16 by 16 values for each component, but not of truth values, counts of them and integers of 64 bits, whose rows are combined one by one; sixteen copies of a body of at most 8 instructions; saves a loop and a mispredicted jump for each group of at most 16 elements",
};

/// Returns the batches in which short groups run, if they do.
pub fn condition(site: &Site<'_>) -> Option<Batches> {
    if !is_possible(site) {
        return None;
    }
    let costs = site.costs(site.nest.in_sweeps());
    let work = costs.iter().map(|cost| cost.work).sum::<u64>();
    let (loops, faults) = (costs.iter().any(|cost| cost.loops), costs.iter().any(|cost| cost.faults));
    // Groups of one short length, which is known, run across the lanes.
    let short =
        literal_length(site.kernel, site.nest.group, site.nest.level).is_some_and(|length| length <= SHORT);
    let flat = site.nest.sweeps() == 1 && !loops && !short;
    let (reads, own_reads) = reads(site);
    match reads {
        Reads::Own if flat && work > READ * own_reads + ROW_BY_ROW => Some(Batches { unrolled: true, flat }),
        Reads::Own => Some(Batches { unrolled: work <= LIGHT && !loops && !faults, flat: false }),
        Reads::Blocks if flat => Some(Batches { unrolled: true, flat }),
        // Without AVX-512 a gather under a mask is a branch and a load for each lane.
        Reads::Places if flat && site.target.avx512 => Some(Batches { unrolled: true, flat }),
        Reads::Blocks | Reads::Places | Reads::Memory => None,
    }
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
        && nest.flat
        && site.lanes == SIDE
        && components(0) > 0
        && (0..nest.sweeps()).all(|sweep| components(sweep) <= MAX_COMPONENTS)
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

/// What thunks read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reads {
    /// Elements of the group only, without blocks, so that a row may be computed under an empty mask.
    Own,
    /// The same in blocks, or by calls.
    Blocks,
    /// Elements at computed places, too. A row of its own reads them faster one by one than by a gather for a few lanes.
    Places,
    /// Memory of the lanes' own, or of the group.
    Memory,
}

/// What thunks read, and how many of their reads are of elements of the group.
fn reads(site: &Site<'_>) -> (Reads, u64) {
    let nest = site.nest;
    let (mut reads, mut own) = (Reads::Own, 0);
    for step in (0..nest.sweeps()).flat_map(|sweep| nest.in_sweep(sweep)) {
        site.kernel.steps[step].body.body.walk(&mut |stmt| {
            reads = reads.max(match &stmt.kind {
                StmtKind::Own { .. } | StmtKind::Op { .. } | StmtKind::Check { .. } => Reads::Own,
                StmtKind::Read { index, .. } if are_own_coordinates(index) => {
                    own += 1;
                    Reads::Own
                }
                StmtKind::Read { .. } => Reads::Places,
                StmtKind::Call { .. } | StmtKind::If { .. } | StmtKind::Threefry { .. } => Reads::Blocks,
                _ => Reads::Memory,
            });
        });
    }
    (reads, own)
}
