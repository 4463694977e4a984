//! Symbolic sizes, which are evaluated at launch.

/// A symbolic number of elements or points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// Number of points of a level.
    Level(usize),
    /// Upper bound of the number of tiles of the groups at level `to`, over points of a level.
    Tiles {
        /// The level of the groups.
        to: usize,
        /// The level of the points.
        level: usize,
        /// Number of points of a tile.
        points: u32,
    },
    /// Number of points of a level divided by `points`, rounded down, plus one.
    Share {
        /// The level.
        level: usize,
        /// Number of points for one element.
        points: u32,
    },
    /// Number of points of a level plus one, times `by`.
    Times {
        /// The level.
        level: usize,
        /// The factor.
        by: u64,
    },
    /// Number of square tiles of the first two levels.
    Blocks {
        /// Rows and columns of a tile.
        side: u32,
    },
    /// The length of a result.
    Result(usize),
    /// The length of a result divided by `elements`, rounded down, plus one.
    ShareOfResult {
        /// The result.
        at: usize,
        /// Number of elements for one.
        elements: u32,
    },
    /// Number of points of a destination without used results, by its position among those of the module.
    Destination(usize),
    /// A literal.
    Exactly(u64),
}

/// A symbolic number of workgroups.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grid {
    /// Enough workgroups for `per` threads for each element of `of`.
    Threads {
        /// The number of elements.
        of: Size,
        /// Number of threads for one element.
        per: u32,
    },
    /// As `Threads`, but at most `most` workgroups, which then share the work.
    Some {
        /// The number of elements.
        of: Size,
        /// Number of threads for one element.
        per: u32,
        /// Maximum number of workgroups.
        most: u32,
    },
    /// One workgroup for each.
    Groups(Size),
    /// As `Groups`, but none if the size is at most 1.
    GroupsIfMany(Size),
    /// One workgroup, but none if the size is at most 1.
    OneIfMany(Size),
}

/// A condition on a launch, which the host evaluates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// All launches.
    Always,
    /// Launches where the size is at least so much.
    AtLeast(Size, u64),
    /// Launches where the size is less.
    Below(Size, u64),
}
