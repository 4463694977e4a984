//! Schedules: how the loops of a nest run on a target.
//!
//! A schedule is data, and every combination that can be written down can run: a sweep has one [`Strategy`], a nest one [`Loops`]. Whoever writes code looks it up
//! and decides nothing.
//!
//! ```text
//! Once                                        level 0: no loop
//! Whole    main: Strategy                     positions of the whole, cut into pieces
//! Groups   sweeps: [GroupSweep]               one group after another
//!          batch, lanes, split                other ways to run groups, chosen for each launch by how many and how long they are
//! ```

/// How the loops of a nest run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    /// W: the points that are computed at once.
    pub lanes: usize,
    /// Its loops.
    pub loops: Loops,
    /// Whether vectors begin at multiples of W, counted from the first point of the row: where the order of a reduction, both phases of a scan, or stores past
    /// the caches hang on it.
    pub aligned: bool,
    /// Whether interior vectors of results are stored past the caches.
    pub nontemporal: bool,
    /// Whether memory is asked for ahead of the processor's own prefetching.
    pub prefetch: bool,
}

/// The loop structure of a nest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Loops {
    /// No loop: the combinators run once.
    Once,
    /// Over positions of the whole, in pieces.
    Whole(Whole),
    /// Over groups.
    Groups(Groups),
}

/// Loops over positions of the whole. Each piece leaves a row of partial results, or of totals.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Whole {
    /// How a piece is swept.
    pub main: Strategy,
    /// Of a scan over the whole: how the sweep goes that finds what each piece comes to, before `main` runs with what comes before each. A scan in two phases.
    pub totals: Option<Strategy>,
    /// Whether there is a version for the whole in [`SHORT`] positions, which reduces from left to right.
    pub short: bool,
}

/// So many positions or fewer are reduced from left to right, not in lanes: part of what λcu says about the order of reductions.
pub const SHORT: u64 = 32;

/// Positions of a tile, where a reduction's order is fixed.
pub const TILE: u64 = 4096;

/// Loops over groups.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Groups {
    /// How each sweep of a group goes, by one thread.
    pub sweeps: Vec<GroupSweep>,
    /// Whether sixteen short groups are reduced at a time, by a transposition.
    pub transposed: bool,
    /// A version with groups in the lanes.
    pub across: Option<Across>,
    /// How a piece of one group is swept, where groups may be so large that they are cut: tile by tile.
    pub split: Option<Strategy>,
}

/// Groups in the lanes: vectors run across them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Across {
    /// Whether all groups are so short that this pays even if many lanes are empty.
    pub short: bool,
    /// Whether memory is asked for ahead.
    pub prefetch: bool,
}

/// How one sweep of one group goes. Where a reduction's order is fixed, short groups are reduced from left to right, and others by tiles.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GroupSweep {
    /// The same for every length; no order is fixed.
    Any(Strategy),
    /// Groups of at most so many positions go point by point, for a vector takes longer to begin; others by the strategy.
    PointsUpTo(u64, Strategy),
    /// Reduced from left to right: all groups are known to be short.
    LeftToRight,
    /// Reduced by tiles: all groups are known to be longer.
    Tiles(Strategy),
    /// Both versions, chosen for each group.
    LeftToRightUpTo(u64, Strategy),
}

impl GroupSweep {
    /// The strategy, but for short groups.
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

/// How a stretch of points is swept. Where points go W at a time, each stretch of a row has an interior version, without checks of indices, and a boundary
/// version under a mask.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// One point after another.
    Points,
    /// One point after another, into the sixteen lanes of each tile: reductions by a monoid of the program.
    PointTiles,
    /// W points at a time, all in one loop.
    Vectors,
    /// W points at a time, tile by tile.
    Tiles,
    /// Several tiles at the same time, so that their additions need not wait for each other.
    InterleavedTiles(usize),
    /// Row by row. If a reduction's order is fixed, all rows are one tile.
    Rows(Rows),
    /// Row by row, each cut where tiles end.
    RowsInTiles,
}

/// How the rows of a stretch go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rows {
    /// One after another.
    Each(Columns),
    /// Unroll-and-jam: so many at a time, where they are interior.
    Jammed(u64, Columns),
    /// Each is so many vectors, without a loop.
    Unrolled(u64),
    /// A vector goes on into the next rows, where a row ends within it.
    Packed,
}

/// Which columns of the rows are walked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Columns {
    /// All, or those of the piece.
    All,
    /// Those of a strip: a band of rows is gone through a strip at a time.
    Strip,
}

impl Strategy {
    /// Whether points go W at a time.
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

    /// Whether a stretch of several tiles leaves a row of partial results for each.
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
    /// Every strategy of its sweeps, with those for pieces of groups and for totals.
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
