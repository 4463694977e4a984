//! The strategies: each in a file that says its condition and its cost.
//!
//! A condition looks at the kernel, the nest and the target, and at no code. Costs are in words where a condition weighs them: constants beside it are the measure.
//! [`ALL`] lists every strategy; `tests/plans/` has files for and against each, and a test goes through the list.

pub mod across_groups;
pub mod interleave;
pub mod jam;
pub mod nontemporal;
pub mod pack;
pub mod points;
pub mod prefetch;
pub mod slide;
pub mod split_groups;
pub mod sweep;
pub mod transpose;
pub mod unroll;

use crate::cost::{Cost, Costs};
use crate::memory::Memory;
use crate::nest::Nest;
use crate::target::Target;
use crate::{rolling, scan, stream};
use nestled_ir::{Kernel, Program};

/// A strategy, for people and tests.
#[derive(Clone, Copy, Debug)]
pub struct Info {
    /// The words that stand for it in the text of a plan.
    pub word: &'static str,
    /// The field's term, and what it does.
    pub summary: &'static str,
    /// When it is chosen.
    pub condition: &'static str,
    /// What it costs, and what it saves.
    pub cost: &'static str,
}

/// All strategies that a condition chooses.
pub const ALL: &[Info] = &[
    points::INFO,
    interleave::INFO,
    pack::INFO,
    unroll::INFO,
    jam::INFO,
    transpose::INFO,
    across_groups::INFO,
    split_groups::INFO,
    prefetch::INFO,
    slide::INFO,
    nontemporal::INFO,
    rolling::INFO,
    scan::INFO,
    stream::PLACE,
    stream::TABLES,
    stream::APPEND,
];

/// What a condition may look at: a nest, and what is around it.
#[derive(Clone, Copy, Debug)]
pub struct Site<'a> {
    /// The program.
    pub program: &'a Program,
    /// The kernel, legalised.
    pub kernel: &'a Kernel,
    /// Where values lie.
    pub memory: &'a Memory,
    /// The machine.
    pub target: &'a Target,
    /// Whether results are larger than the caches.
    pub streaming: bool,
    /// The nest.
    pub nest: &'a Nest,
    /// W.
    pub lanes: usize,
}

impl Site<'_> {
    /// What the thunks of some combinators cost.
    fn costs(&self, steps: impl Iterator<Item = usize>) -> Vec<Cost> {
        let mut costs = Costs::default();
        steps.map(|step| costs.block(self.program, &self.kernel.steps[step].body.body)).collect()
    }

    /// The steps of all items of the nest.
    fn steps(&self) -> impl Iterator<Item = usize> {
        self.nest.items.iter().map(|item| item.step)
    }
}
