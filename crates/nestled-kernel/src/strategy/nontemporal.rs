//! Non-temporal stores: results larger than the caches bypass them.

use super::{Info, Site};

/// The description for `docs/plans.md` and tests.
pub const INFO: Info = Info {
    word: "nontemporal",
    summary: "interior vectors of results are stored with non-temporal (streaming) stores, which bypass the caches",
    condition: "results larger than the caches, as a launch finds, and a forward sweep of the whole in vectors",
    cost: "vectors begin at multiples of W in memory, so that more points are boundary; saves reading lines before they are written",
};

/// True if the results of the nest are stored non-temporally.
pub fn condition(site: &Site<'_>) -> bool {
    site.streaming && site.nest.streams()
}
