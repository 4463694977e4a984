//! Fusion as an integer program, solved exactly by a solver outside: the judge of the default search.
//!
//! What the [program](Program) cannot say beforehand is added in rounds: solve, look for [cuts](Cut) that the solution runs into, add them, solve again. Each round's bound is a
//! lower bound of the cost of all plans; a solution without cuts is a plan of least cost.

mod cuts;
mod program;
mod relations;
mod text;

pub use cuts::{Cut, Finder};
pub use program::{Program, Variable};

use super::{Effort, Search, Solution, Solver};
use crate::fuse::check::check;
use crate::fuse::plan::FusionPlan;
use crate::fuse::problem::{Limits, Problem};
use std::collections::HashMap;

/// Greatest number of runs of a region whose program is solved; larger ones have millions of constraints, and the plan of the search is kept.
pub const MOST_RUNS: usize = 100;
/// Greatest number of rounds.
const MOST_ROUNDS: u64 = 500;
/// Costs that differ by less than this part are equal: solvers compute with floats.
const ACCURACY: f64 = 1e-6;

/// A solver of mixed integer programs, which is no part of this crate.
pub trait Mip {
    /// Solves a program in LP format. Rounds count from 0 for each region; a time limit for a region counts from its first round.
    ///
    /// # Errors
    /// The solver did not answer; whoever started it has told the user.
    fn solve(&self, program: &str, round: u64) -> Result<Answer, MipFailed>;
}

/// The outside solver did not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MipFailed;

/// The answer of a solver.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// The variables of the best solution by name; those that are missing are 0. Empty if none was found.
    pub values: HashMap<String, f64>,
    /// The lower bound of the objective.
    pub bound: f64,
}

/// The exact solver. It starts from the plan of [`Search`], and returns the best plan found if time runs out.
#[derive(Clone, Copy)]
pub struct Ilp<'m> {
    mip: &'m dyn Mip,
}

impl<'m> Ilp<'m> {
    /// Makes the exact solver of a solver of integer programs.
    pub fn new(mip: &'m dyn Mip) -> Ilp<'m> {
        Ilp { mip }
    }
}

impl Solver for Ilp<'_> {
    fn name(&self) -> &'static str {
        "ilp"
    }

    fn solve(&self, problem: &Problem, limits: &dyn Limits, effort: Effort) -> Solution {
        let start = Search.solve(problem, limits, effort);
        if problem.runs.len() > MOST_RUNS {
            return start;
        }
        let solution = Solution { bound: problem.least().min(start.cost), optimal: false, ..start };
        let finder = Finder::new(problem, limits);
        let mut rounds = Rounds { problem, limits, finder, program: Program::new(problem), solution };
        while rounds.solution.work.rounds < MOST_ROUNDS && rounds.round(self.mip) == Some(Outcome::Cut) {}
        rounds.finish()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// There were new cuts.
    Cut,
    /// The program says nothing new.
    Done,
}

struct Rounds<'a> {
    problem: &'a Problem,
    limits: &'a dyn Limits,
    finder: Finder<'a>,
    program: Program,
    /// The best plan so far, and the best bound.
    solution: Solution,
}

impl Rounds<'_> {
    /// Solves the program once; `None` if there is no answer.
    fn round(&mut self, mip: &dyn Mip) -> Option<Outcome> {
        let answer = mip.solve(&self.program.to_string(), self.solution.work.rounds).ok()?;
        self.solution.work.rounds += 1;
        self.solution.bound = self.solution.bound.max(answer.bound);
        if answer.values.is_empty() {
            return None;
        }
        let labels = self.labels(&answer);
        self.take(&labels);
        let cuts = self.finder.cuts(&labels);
        cuts.iter().for_each(|cut| self.program.add(cut));
        let is_done = cuts.is_empty() || self.is_optimal();
        self.solution.cuts.extend(cuts);
        Some(if is_done { Outcome::Done } else { Outcome::Cut })
    }

    /// The cluster of each run in an answer.
    fn labels(&self, answer: &Answer) -> Vec<usize> {
        let mut labels: Vec<usize> = (0..self.problem.runs.len()).collect();
        for (run, cluster, variable) in self.program.placements() {
            if answer.values.get(&variable.to_string()).is_some_and(|&value| value > 0.5) {
                labels[run.index()] = cluster.index();
            }
        }
        labels
    }

    /// Keeps a plan that is valid and costs less than the best so far.
    fn take(&mut self, labels: &[usize]) {
        let Some(plan) = FusionPlan::from_labels(self.problem, labels) else { return };
        match check(self.problem, self.limits, &plan) {
            Ok(cost) if cost < self.solution.cost => (self.solution.plan, self.solution.cost) = (plan, cost),
            _ => {}
        }
    }

    fn is_optimal(&self) -> bool {
        self.solution.cost <= self.solution.bound + self.solution.cost * ACCURACY
    }

    fn finish(mut self) -> Solution {
        self.solution.optimal = self.is_optimal();
        self.solution.bound = self.solution.bound.min(self.solution.cost);
        self.solution.work.judged += self.finder.asked();
        self.solution
    }
}
