//! Cache of fusion plans, keyed by the structure of the problem.
//!
//! Programs are compiled again with other sizes, and a loop may meet the same region many times. In the key, bytes count only by their *class*: sizes within a factor of four of
//! each other need no new plan.

use super::problem::{Limits, Problem};
use super::solve::{Effort, Solution, Solver};
use std::collections::HashMap;

/// Greatest number of plans kept; one more, and the cache is emptied.
const MOST: usize = 4096;

/// Plans by the structure of their problems.
#[derive(Clone, Debug, Default)]
pub struct PlanCache {
    known: HashMap<Key, Known>,
    hits: u64,
    misses: u64,
}

/// Everything that a plan may depend on, except the limits of the device: those are checked again on a hit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    solver: &'static str,
    effort: Effort,
    launches: Vec<(u32, u32)>,
    arrays: Vec<(Option<u32>, Vec<u32>, bool, u32)>,
    edges: Vec<(u32, u32, bool)>,
    apart: Vec<(u32, u32)>,
}

#[derive(Clone, Debug)]
struct Known {
    problem: Problem,
    solution: Solution,
}

impl PlanCache {
    /// Returns the plan of a problem with the same key, if its clusters still fit and its extra cost is of the same class; otherwise asks the solver.
    pub fn solve(
        &mut self,
        solver: &dyn Solver,
        problem: &Problem,
        limits: &dyn Limits,
        effort: Effort,
    ) -> Solution {
        let key = Key::new(solver, problem, effort);
        if let Some(solution) = self.known.get(&key).and_then(|known| known.solution_of(problem, limits)) {
            self.hits += 1;
            return solution;
        }
        self.misses += 1;
        let solution = solver.solve(problem, limits, effort);
        if self.known.len() >= MOST {
            self.known.clear();
        }
        self.known.insert(key, Known { problem: problem.clone(), solution: solution.clone() });
        solution
    }

    /// Numbers of hits and misses.
    pub fn counts(&self) -> (u64, u64) {
        (self.hits, self.misses)
    }
}

impl Key {
    fn new(solver: &dyn Solver, problem: &Problem, effort: Effort) -> Key {
        let mut arrays: Vec<_> = problem
            .arrays
            .iter()
            .map(|array| {
                let readers = array.readers.iter().map(|run| run.0).collect();
                (array.producer.map(|run| run.0), readers, array.wanted, class(array.bytes))
            })
            .collect();
        arrays.sort_unstable();
        let mut edges: Vec<_> =
            problem.edges.iter().map(|edge| (edge.from.0, edge.to.0, edge.fusable)).collect();
        edges.sort_unstable();
        edges.dedup();
        let mut apart: Vec<_> = problem.apart.iter().map(|(a, b)| (a.0.min(b.0), a.0.max(b.0))).collect();
        apart.sort_unstable();
        apart.dedup();
        let launches = problem.runs.iter().map(|run| (class(run.launch), class(run.work))).collect();
        Key { solver: solver.name(), effort, launches, arrays, edges, apart }
    }
}

/// Size class: powers of four.
fn class(bytes: f64) -> u32 {
    if bytes < 1.0 { 0 } else { 1 + (bytes as u64).ilog2() / 2 }
}

impl Known {
    /// Returns the solution for a problem with the same key, unless its plan does not fit or its extra cost is of another class.
    fn solution_of(&self, problem: &Problem, limits: &dyn Limits) -> Option<Solution> {
        let extra = |problem: &Problem, cost: f64| {
            cost - problem.cost(&super::problem::Unlimited, &self.solution.plan).unwrap_or(0.0)
        };
        let cost = problem.cost(limits, &self.solution.plan)?;
        let (before, now) = (extra(&self.problem, self.solution.cost), extra(problem, cost));
        if class(before.max(0.0)) != class(now.max(0.0)) {
            return None;
        }
        let mut solution = self.solution.clone();
        let is_same = *problem == self.problem && cost == solution.cost;
        // An exact plan is exact for the very problem only.
        if !is_same && solution.work.rounds > 0 {
            return None;
        }
        if !is_same {
            (solution.cost, solution.bound) = (cost, problem.least().min(cost));
            solution.optimal = solution.bound >= cost;
        }
        Some(solution)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuse::problem::{Array, Judgement, Run, RunId, Unlimited};
    use crate::fuse::solve::Search;
    use std::cell::Cell;

    /// A solver that counts how often it is asked.
    struct Counting(Cell<u32>);

    impl Solver for Counting {
        fn name(&self) -> &'static str {
            "counting"
        }

        fn solve(&self, problem: &Problem, limits: &dyn Limits, effort: Effort) -> Solution {
            self.0.set(self.0.get() + 1);
            Search.solve(problem, limits, effort)
        }
    }

    /// Nothing fits.
    struct Full;

    impl Limits for Full {
        fn judge(&self, cluster: &[RunId]) -> Judgement {
            Judgement::Over { cut: cluster[..2].to_vec() }
        }
    }

    fn chain(bytes: f64) -> Problem {
        let array = |producer, reader| Array {
            bytes,
            producer,
            readers: Option::into_iter(reader).collect(),
            wanted: reader.is_none(),
        };
        let (a, b) = (RunId(0), RunId(1));
        Problem {
            runs: vec![Run { launch: 100.0, work: 0.0 }; 2],
            arrays: vec![array(None, Some(a)), array(Some(a), Some(b)), array(Some(b), None)],
            ..Problem::default()
        }
    }

    #[test]
    fn a_like_problem_is_not_solved_again() {
        let (solver, effort) = (Counting(Cell::new(0)), Effort::default());
        let mut cache = PlanCache::default();
        let first = cache.solve(&solver, &chain(1024.0), &Unlimited, effort);
        assert_eq!(cache.solve(&solver, &chain(1024.0), &Unlimited, effort), first);
        // Of the same class: the same plan, its own cost.
        let larger = cache.solve(&solver, &chain(2000.0), &Unlimited, effort);
        assert_eq!((larger.plan, larger.cost), (first.plan, 4100.0));
        assert_eq!((solver.0.get(), cache.counts()), (1, (2, 1)));
        // Of another class.
        cache.solve(&solver, &chain(1e9), &Unlimited, effort);
        assert_eq!(solver.0.get(), 2);
    }

    #[test]
    fn a_plan_that_does_not_fit_is_not_used() {
        let (solver, effort) = (Counting(Cell::new(0)), Effort::default());
        let mut cache = PlanCache::default();
        assert_eq!(cache.solve(&solver, &chain(1024.0), &Unlimited, effort).plan.clusters.len(), 1);
        assert_eq!(cache.solve(&solver, &chain(1024.0), &Full, effort).plan.clusters.len(), 2);
        assert_eq!(solver.0.get(), 2);
    }
}
