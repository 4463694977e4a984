//! Pauses: what a step that does not wait has to wait for, before it can go on.

use super::datum::Datum;
use crate::device::DeviceError;
use crate::error::Error;

/// An extent that has to be waited for: the host knows no bound of it.
#[derive(Debug)]
pub(super) struct Unknown(pub Datum);

/// Why an instruction did not come to its end at once.
#[derive(Debug)]
pub(super) enum Pause {
    /// It may have to wait, and has done nothing yet.
    Whole,
    /// The host has to know this extent first.
    Extent(Datum),
    /// There may be memory once everything before is done.
    Memory,
    /// It failed.
    Error(Error),
}

impl From<Error> for Pause {
    fn from(error: Error) -> Pause {
        Pause::Error(error)
    }
}

impl From<DeviceError> for Pause {
    fn from(error: DeviceError) -> Pause {
        Pause::Error(error.into())
    }
}

impl From<Unknown> for Pause {
    fn from(Unknown(extent): Unknown) -> Pause {
        Pause::Extent(extent)
    }
}
