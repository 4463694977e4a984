//! The description of a strategy: its words, its condition and its cost.

/// The description of a strategy, for `docs/plans.md` and tests.
#[derive(Clone, Copy, Debug)]
pub struct Info {
    /// Its words in the text of a plan.
    pub word: &'static str,
    /// The field's term and a summary.
    pub summary: &'static str,
    /// The condition under which it is chosen.
    pub condition: &'static str,
    /// Its cost and its benefit.
    pub cost: &'static str,
}
