//! Joining of regions of host code: the condition under which the reported fault stays the same.
//!
//! At the end of a region the fault with the least site is reported. So a statement that ends a region may be removed only if all sites before it are less than those after it:
//! then the fault that was reported first is still reported. A statement that may run forever on operands that a fault has left keeps its regions apart ([`Facts::order`]).

use crate::facts::{Facts, SiteRange};
use nestled_ir::HostStmt;

/// The sites of a list of statements, without those in calls and blocks, which have regions of their own.
pub fn direct_sites(stmts: &[HostStmt], facts: &Facts) -> Option<SiteRange> {
    stmts.iter().map(|stmt| facts.order(&stmt.op)).fold(None, SiteRange::join)
}

/// The sites on both sides of a statement that ends a region. All statements of the block count, as other ends of regions may be removed as well.
#[derive(Clone, Copy, Debug)]
pub struct Regions {
    /// The sites before it.
    pub before: Option<SiteRange>,
    /// The sites after it.
    pub after: Option<SiteRange>,
}

impl Regions {
    /// True if the same fault is reported without the statement: code that comes first in the program has the lesser sites.
    pub fn may_join(self) -> bool {
        in_order(self.before, self.after)
    }

    /// True if the same fault is reported with statements with these sites in its place.
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
