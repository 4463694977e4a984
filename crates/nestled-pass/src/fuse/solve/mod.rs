//! Solvers of the fusion problem: from a [`Problem`] to a [`FusionPlan`].
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
pub mod ilp;
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

use super::plan::FusionPlan;
use super::problem::{Limits, Problem};
use clusters::Clusters;
use ilp::Cut;
use judge::LimitsMemo;

/// A solver of the fusion problem.
pub trait Solver {
    /// Its name, for tables.
    fn name(&self) -> &'static str;

    /// Returns a valid plan. The problem must have no [fault](Problem::fault).
    fn solve(&self, problem: &Problem, limits: &dyn Limits, effort: Effort) -> Solution;
}

/// Limit of the search, in steps: about one for each cluster that the solver looks at, and a hundred for each that it asks the device about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Effort {
    /// Greatest number of steps for one region.
    pub steps: u64,
}

impl Default for Effort {
    /// About 50 ms.
    fn default() -> Effort {
        Effort { steps: 250_000 }
    }
}

/// A plan, its cost and a lower bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The plan, always valid.
    pub plan: FusionPlan,
    /// Its cost, in bytes.
    pub cost: f64,
    /// The lower bound: no valid plan costs less.
    pub bound: f64,
    /// Whether the plan is proved optimal.
    pub optimal: bool,
    /// The work that the search took.
    pub work: Work,
    /// What the integer program of the problem had to be told in rounds, if that was solved.
    pub cuts: Vec<Cut>,
}

impl Solution {
    /// Makes the solution with these clusters, with the trivial bound.
    fn of(problem: &Problem, clusters: &Clusters, judge: &mut LimitsMemo, mut work: Work) -> Solution {
        work.judged = judge.asked;
        work.steps += judge.steps();
        let plan =
            FusionPlan::from_labels(problem, &clusters.label).expect("clusters never wait in a circle");
        let cost = clusters.cost(judge);
        let bound = problem.least().min(cost);
        Solution { plan, cost, bound, optimal: bound >= cost, work, cuts: Vec::new() }
    }
}

/// The work of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Number of steps: about one for each cluster looked at, and a hundred for each question to the device.
    pub steps: u64,
    /// Number of changes of a plan that were kept.
    pub moves: u64,
    /// Number of nodes of the search trees of exact solvers.
    pub nodes: u64,
    /// Number of clusters that the device was asked about.
    pub judged: u64,
    /// Number of integer programs that a solver outside has solved.
    pub rounds: u64,
}

impl Work {
    /// Adds other work.
    fn add(&mut self, other: Work) {
        self.steps += other.steps;
        self.moves += other.moves;
        self.nodes += other.nodes;
        self.judged += other.judged;
        self.rounds += other.rounds;
    }
}
