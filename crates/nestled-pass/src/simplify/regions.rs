//! Regions of host code, and what happens to faults when two of them come together.
//!
//! At the end of a region the fault with the least site is reported. So what ends a region may only go away if the sites before it are
//! less than those after it: then the fault that was reported first is still the one. What may run for ever on what a fault has left is asked to wait
//! ([`Facts::order`]).

use crate::facts::{Facts, SiteRange};
use nestled_ir::HostStmt;

/// The sites of a list of statements, without those in calls and blocks, which have regions of their own.
pub fn direct_sites(stmts: &[HostStmt], facts: &Facts) -> Option<SiteRange> {
    stmts.iter().map(|stmt| facts.order(&stmt.op)).fold(None, SiteRange::join)
}

/// The sites on both sides of a statement that ends a region. All of the block counts, as other ends of regions may go away as well.
#[derive(Clone, Copy, Debug)]
pub struct Regions {
    /// The sites before it.
    pub before: Option<SiteRange>,
    /// The sites after it.
    pub after: Option<SiteRange>,
}

impl Regions {
    /// Whether the same fault is reported when the statement is gone: whatever comes first in the program has the lesser sites.
    pub fn may_join(self) -> bool {
        in_order(self.before, self.after)
    }

    /// The same with other statements in its place.
    pub fn may_join_with(self, inside: Option<SiteRange>) -> bool {
        self.may_join() && in_order(self.before, inside) && in_order(inside, self.after)
    }
}

fn in_order(first: Option<SiteRange>, second: Option<SiteRange>) -> bool {
    match (first, second) {
        // Not the same site either: of its faults the one at the least point would be reported.
        (Some(first), Some(second)) => first.max < second.min,
        (None, _) | (_, None) => true,
    }
}
