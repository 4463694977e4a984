//! Non-temporal stores: results that are larger than the caches go past them.

use super::{Info, Site};

/// For people and tests.
pub const INFO: Info = Info {
    word: "nontemporal",
    summary: "interior vectors of results are stored past the caches",
    condition: "results larger than the caches, as a launch finds, and a forward sweep of the whole in vectors",
    cost: "vectors begin at multiples of W in memory, so that more points are boundary; saves reading lines before they are written",
};

/// Whether results of a nest go past the caches.
pub fn condition(site: &Site<'_>) -> bool {
    site.streaming && site.nest.streams()
}
