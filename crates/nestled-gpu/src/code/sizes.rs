//! How large something is, as a launch will know it.

/// A number of elements or points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// The points of a level.
    Level(usize),
    /// The tiles that groups at level `to` of the points of a level may need.
    Tiles {
        /// The level of the groups.
        to: usize,
        /// The level of the points.
        level: usize,
    },
    /// One for each so many points of a level, and one more.
    Share {
        /// The level.
        level: usize,
        /// How many points.
        points: u32,
    },
    /// So many for each point of a level, and as many more.
    Times {
        /// The level.
        level: usize,
        /// How many.
        by: u64,
    },
    /// The square tiles of the first two levels.
    Blocks {
        /// Rows and columns of a tile.
        side: u32,
    },
    /// The length of a result.
    Result(usize),
    /// One for each so many elements of a result, and one more.
    ShareOfResult {
        /// The result.
        at: usize,
        /// How many elements.
        elements: u32,
    },
    /// The points of a destination of which nothing leaves, by its position among those of the module.
    Destination(usize),
    /// Just so many.
    Exactly(u64),
}

/// How many workgroups are dispatched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grid {
    /// So many that there is a thread for each; `per` of them take one.
    Threads {
        /// Of what.
        of: Size,
        /// How many threads for one.
        per: u32,
    },
    /// As `Threads`, but no more workgroups than that, which then do the others' work too.
    Some {
        /// Of what.
        of: Size,
        /// How many threads for one.
        per: u32,
        /// So many workgroups.
        most: u32,
    },
    /// A workgroup for each.
    Groups(Size),
    /// As `Groups`, but nothing where the size is no more than 1.
    GroupsIfMany(Size),
    /// One workgroup, but nothing where the size is no more than 1.
    OneIfMany(Size),
}
