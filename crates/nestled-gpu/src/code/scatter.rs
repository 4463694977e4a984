//! The parameters of a scatter during emission.

use nestled_ir::{Base, Combinator};

/// A scatter that has a used result.
pub(super) struct Scatter<'s, 'k> {
    /// The number of the pass.
    pub number: usize,
    /// The level of its points.
    pub level: usize,
    /// Number of leading values of a point that are destination indices.
    pub rank: usize,
    /// The first of its results.
    pub result: usize,
    /// The combinator.
    pub step: &'s Combinator,
    /// The values of places before anything is written.
    pub base: &'k Base,
}
