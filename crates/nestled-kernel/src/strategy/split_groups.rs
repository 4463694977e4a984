//! Split groups: a large group is cut into pieces by tiles, for several threads. Each tile leaves a row of partial results, and the rows are combined
//! at the end.

use super::{Info, Site};
use crate::nest::{At, Order};
use nestled_ir::{CombinatorKind, Direction};

/// The description for `docs/plans.md` and tests.
pub const INFO: Info = Info {
    word: "split-groups",
    summary: "a version that cuts one group into pieces of whole tiles, for several threads",
    condition: "one forward sweep of maps and reductions in vectors, and no code for each group before the elements",
    cost: "a row of partial results for each tile; lets threads share a group",
};

/// True if the groups of a nest can be split.
pub fn condition(site: &Site<'_>) -> bool {
    let nest = site.nest;
    nest.group > 0
        && nest.sweeps() == 1
        && nest.order == Order::Vectors
        && nest.direction == Direction::Forward
        && nest.items.iter().all(|item| match (item.at, &site.kernel.steps[item.step].kind) {
            (At::Element(_), CombinatorKind::Map | CombinatorKind::Reduce { .. }) => true,
            // Group code before the elements would run once for each piece.
            (At::Group(before), _) => before == 1,
            (At::Element(_), _) => false,
        })
}
