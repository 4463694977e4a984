//! Strategy of filters and partitions: how the points of each class are counted, and moved.

use super::view::View;

/// Maximum number of classes that are counted. With more, the points are sorted.
const MOST_CLASSES: u64 = 16;

/// How points are packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pack {
    /// One sweep: each tile waits for the counts of those before it, by decoupled look-back.
    SinglePass,
    /// Two sweeps, which count and move, with one workgroup in between that adds the counts of tiles.
    CountAndMove,
    /// A stable sort by class (`code/sort_partition.rs`).
    Sort,
}

impl View<'_> {
    pub fn filter(&self) -> Pack {
        if self.has_warps() { Pack::SinglePass } else { Pack::CountAndMove }
    }

    pub fn partition(&self, classes: u64) -> Pack {
        if classes <= MOST_CLASSES { self.filter() } else { Pack::Sort }
    }
}
