//! Ends of a tile before its results.

use crate::interp::error::Error;

/// Why a tile is not finished.
#[derive(Debug)]
pub(super) enum Unusual {
    /// A lane faults, or a proof does not hold: the tile runs again, point by point.
    Lane,
    /// The whole run ends.
    Error(Error),
}

impl From<Error> for Unusual {
    fn from(error: Error) -> Unusual {
        Unusual::Error(error)
    }
}
