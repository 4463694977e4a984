//! What those who write a scatter know of it.

use nestled_ir::{Base, Combinator};

/// A scatter that is being written, and of which something leaves.
pub(super) struct Scatter<'s, 'k> {
    /// The pass.
    pub number: usize,
    /// The level of its points.
    pub level: usize,
    /// How many of a point's values say where it goes.
    pub rank: usize,
    /// The first of its results.
    pub result: usize,
    /// The combinator.
    pub step: &'s Combinator,
    /// What places hold before anything is written.
    pub base: &'k Base,
}
