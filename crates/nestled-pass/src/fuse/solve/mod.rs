//! Solvers: from a [`Problem`] to a [`Plan`].
//!
//! All are deterministic: effort is counted in steps, never in seconds, and random choices come from a generator with a fixed
//! seed.

mod anneal;
mod best_first;
mod bound;
mod claims;
mod clusters;
mod exact;
mod facts;
mod floor;
mod judge;
mod neighbourhood;
mod paper;
mod piece;
mod planner;
mod random;
mod search;
#[cfg(test)]
mod tests;
mod windows;

pub use best_first::BestFirst;
pub use paper::{BottomUp, TopDown};
pub use planner::Planner;
pub use search::Search;

use super::plan::Plan;
use super::problem::{Limits, Problem};
use clusters::Clusters;
use judge::Judge;

/// A way to answer.
pub trait Solver {
    /// A word for tables.
    fn name(&self) -> &'static str;

    /// A valid plan. The problem must have no [fault](Problem::fault).
    fn solve(&self, problem: &Problem, limits: &dyn Limits, effort: Effort) -> Solution;
}

/// How long a solver may search, in steps: about one for each cluster that it looks at, and a hundred for each that it asks the
/// device about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Effort {
    /// The most steps for one region.
    pub steps: u64,
}

impl Default for Effort {
    /// About 50 ms.
    fn default() -> Effort {
        Effort { steps: 250_000 }
    }
}

/// A plan, and how good it is known to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The plan, always valid.
    pub plan: Plan,
    /// What it costs, in bytes.
    pub cost: f64,
    /// No valid plan costs less than this.
    pub bound: f64,
    /// Whether no valid plan costs less than this one.
    pub optimal: bool,
    /// What it took.
    pub work: Work,
}

impl Solution {
    /// The solution with these clusters, of which nothing more is known.
    fn of(problem: &Problem, clusters: &Clusters, judge: &mut Judge, mut work: Work) -> Solution {
        work.judged = judge.asked;
        work.steps += judge.steps();
        let plan = Plan::from_labels(problem, &clusters.label).expect("clusters never wait in a circle");
        let cost = clusters.cost(judge);
        let bound = problem.least().min(cost);
        Solution { plan, cost, bound, optimal: bound >= cost, work }
    }
}

/// What a search took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Clusters looked at.
    pub steps: u64,
    /// Changes of a plan that were kept.
    pub moves: u64,
    /// Nodes of the search trees of exact solvers.
    pub nodes: u64,
    /// Clusters that the device was asked about.
    pub judged: u64,
}

impl Work {
    /// Adds other work.
    fn add(&mut self, other: Work) {
        self.steps += other.steps;
        self.moves += other.moves;
        self.nodes += other.nodes;
        self.judged += other.judged;
    }
}
