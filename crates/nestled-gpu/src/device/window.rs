//! Windows: the whole words of memory that cover some bytes.

use super::machine::Place;

/// Bytes of a word.
pub(super) const WORD: u64 = 4;

/// A range of whole words that covers some bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Window {
    /// The first word.
    pub place: Place,
    /// Number of bytes of the first word before the range.
    pub skip: u64,
    /// Number of words.
    pub words: u64,
}

impl Window {
    /// Returns the words that cover some bytes at a place.
    pub fn of(place: Place, bytes: u64) -> Window {
        let skip = place.address % WORD;
        let place = Place { address: place.address - skip, ..place };
        Window { place, skip, words: (skip + bytes).div_ceil(WORD) }
    }
}
