//! The strategies: each file has the condition and the cost of one.
//!
//! A condition depends on the kernel, the nest and the target, and on no generated code. Costs are given in words; the constants beside a condition
//! measure them. [`ALL`] lists every strategy; `tests/plans/` has files for and against each, and a test goes through the list.

pub mod across_groups;
pub mod align;
pub mod info;
pub mod interleave;
pub mod interleave_groups;
pub mod jam;
pub mod nontemporal;
pub mod pack;
pub mod points;
pub mod prefetch;
pub mod row_totals;
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
use info::Info;
use nestled_ir::{Kernel, Program};

/// All strategies that are chosen by a condition.
pub const ALL: &[Info] = &[
    points::INFO,
    interleave::INFO,
    interleave_groups::INFO,
    pack::INFO,
    unroll::INFO,
    jam::INFO,
    transpose::INFO,
    across_groups::INFO,
    split_groups::INFO,
    prefetch::INFO,
    slide::INFO,
    nontemporal::INFO,
    align::INFO,
    rolling::INFO,
    scan::INFO,
    stream::PLACE,
    stream::TABLES,
    stream::APPEND,
];

/// The input of a condition: a nest and its context.
#[derive(Clone, Copy, Debug)]
pub struct Site<'a> {
    /// The program.
    pub program: &'a Program,
    /// The kernel, legalised.
    pub kernel: &'a Kernel,
    /// The storage of values.
    pub memory: &'a Memory,
    /// The target machine.
    pub target: &'a Target,
    /// Whether results are larger than the caches.
    pub streaming: bool,
    /// The nest.
    pub nest: &'a Nest,
    /// W.
    pub lanes: usize,
}

impl Site<'_> {
    /// Returns the costs of the thunks of some combinators.
    fn costs(&self, steps: impl Iterator<Item = usize>) -> Vec<Cost> {
        let mut costs = Costs::default();
        steps.map(|step| costs.block(self.program, &self.kernel.steps[step].body.body)).collect()
    }

    /// Iterates over the steps of all items of the nest.
    fn steps(&self) -> impl Iterator<Item = usize> {
        self.nest.items.iter().map(|item| item.step)
    }
}
