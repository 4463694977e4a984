//! Schedules: the loop structure and the strategies of a nest on a target.
//!
//! A schedule is data, and every combination that can be written down can run: a sweep has one [`Strategy`], a nest one [`Loops`]. Back ends look
//! schedules up and decide nothing.
//!
//! ```text
//! Once                                        level 0: no loop
//! Whole    main: Strategy                     positions of the whole, cut into pieces
//! Groups   sweeps: [GroupSweep]               one group after another
//!          batch, interleaved, lanes, split   alternatives, chosen at launch by the number and the lengths of groups
//! ```

use nestled_ir::ValueId;

/// The schedule of a nest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    /// W: the number of points computed at once.
    pub lanes: usize,
    /// The loop structure.
    pub loops: Loops,
    /// Whether vectors begin at multiples of W, counted from the first point of the row. Needed where the order of a reduction or scan, both phases
    /// of a scan, or non-temporal stores depend on it.
    pub aligned: bool,
    /// The array with whose vectors in memory vectors begin, where nothing else says so.
    pub aligned_to: Option<ValueId>,
    /// Whether interior vectors of results are stored non-temporally, bypassing the caches.
    pub nontemporal: bool,
}

/// The loop structure of a nest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Loops {
    /// No loop: the combinators run once.
    Once,
    /// A loop over positions of the whole, in pieces.
    Whole(Whole),
    /// A loop over groups.
    Groups(Groups),
}

/// Loops over positions of the whole. Each piece leaves a row of partial results, or of totals.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Whole {
    /// The strategy of a piece.
    pub main: Strategy,
    /// The strategy of the first phase of a two-phase scan over the whole, which computes the total of each piece. `main` then runs with the carry of
    /// each piece.
    pub totals: Option<Strategy>,
    /// Whether there is a version for at most [`SHORT`](nestled_ir::reduction_order::SHORT) positions, which reduces from left to right.
    pub short: bool,
}

/// Loops over groups.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Groups {
    /// The strategy of each sweep of a group by one thread.
    pub sweeps: Vec<GroupSweep>,
    /// Batches of short groups, if there are any.
    pub transposed: Option<Batches>,
    /// The number of groups that are reduced at the same time if they are long.
    pub interleaved: Option<usize>,
    /// The version that vectorises across groups, if there is one.
    pub across: Option<Across>,
    /// The strategy of a piece of one group, for groups so large that they are split by tiles.
    pub split: Option<Strategy>,
}

/// Batches of sixteen short groups, which are reduced by a transposition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Batches {
    /// Unrolling of the loop over the groups of a batch, so that their values stay in registers.
    pub unrolled: bool,
    /// Computation of the values along the elements of all groups, without regard to where a group ends; rows of the square are read from these.
    pub flat: bool,
}

/// Vectorisation across groups: each lane has a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Across {
    /// Whether all groups are so short that this pays even if many lanes are empty.
    pub short: bool,
    /// Whether memory is prefetched.
    pub prefetch: bool,
}

/// The strategy of one sweep of one group. Where a reduction's order is fixed, short groups are reduced from left to right, and others by tiles.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GroupSweep {
    /// The same for every length; no order is fixed.
    Any(Strategy),
    /// Groups of at most this number of positions run point by point, since the setup of a vector loop takes longer; others by the strategy.
    PointsUpTo(u64, Strategy),
    /// Reduced from left to right: all groups are known to be short.
    LeftToRight,
    /// Reduced by tiles: all groups are known to be longer.
    Tiles(Strategy),
    /// Both versions, chosen for each group.
    LeftToRightUpTo(u64, Strategy),
}

impl GroupSweep {
    /// Returns the strategy of groups that are not short.
    pub fn strategy(&self) -> Strategy {
        match self {
            GroupSweep::Any(strategy)
            | GroupSweep::PointsUpTo(_, strategy)
            | GroupSweep::Tiles(strategy)
            | GroupSweep::LeftToRightUpTo(_, strategy) => *strategy,
            GroupSweep::LeftToRight => Strategy::Points,
        }
    }
}

/// The strategy of a range of points. Where points go W at a time, each range of a row has an interior version, without index checks, and a
/// boundary version under a mask.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// One point after another.
    Points,
    /// One point after another, into the sixteen lanes of each tile: reductions by a monoid of the program.
    PointTiles,
    /// W points at a time, in a single loop.
    Vectors,
    /// W points at a time, tile by tile.
    Tiles,
    /// Several tiles interleaved, which hides the latency of their additions.
    InterleavedTiles(usize),
    /// Row by row. If a reduction's order is fixed, all rows are one tile.
    Rows(Rows),
    /// Row by row, each cut where tiles end.
    RowsInTiles,
}

/// The strategy for the rows of a range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rows {
    /// One after another.
    Each(Columns),
    /// Unroll-and-jam: this number of rows at a time, in their interior.
    Jammed(u64, Columns),
    /// Fully unrolled: each row is this number of vectors, without a loop.
    Unrolled(u64),
    /// Packed: a vector extends into the next rows, where a row ends within it.
    Packed,
}

/// The columns of the rows that are walked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Columns {
    /// All, or those of the piece.
    All,
    /// Those of a strip: a band of rows is processed strip by strip.
    Strip,
}

impl Strategy {
    /// True if points go W at a time.
    pub fn is_in_lanes(self) -> bool {
        match self {
            Strategy::Points | Strategy::PointTiles => false,
            Strategy::Vectors
            | Strategy::Tiles
            | Strategy::InterleavedTiles(_)
            | Strategy::Rows(_)
            | Strategy::RowsInTiles => true,
        }
    }

    /// True if a range of several tiles leaves a row of partial results for each tile.
    pub fn is_in_tiles(self) -> bool {
        match self {
            Strategy::PointTiles
            | Strategy::Tiles
            | Strategy::InterleavedTiles(_)
            | Strategy::RowsInTiles => true,
            Strategy::Points | Strategy::Vectors | Strategy::Rows(_) => false,
        }
    }
}

impl Schedule {
    /// Returns all strategies of its sweeps, including those for totals and for pieces of groups.
    pub fn strategies(&self) -> Vec<Strategy> {
        match &self.loops {
            Loops::Once => Vec::new(),
            Loops::Whole(whole) => [whole.main].into_iter().chain(whole.totals).collect(),
            Loops::Groups(groups) => {
                groups.sweeps.iter().map(GroupSweep::strategy).chain(groups.split).collect()
            }
        }
    }
}
