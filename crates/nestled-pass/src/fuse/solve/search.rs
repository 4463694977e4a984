//! The default solver: greedy start, branch and bound on components, simulated annealing, large neighbourhood search.
//!
//! It starts from the best of three greedy plans. Runs whose placement can affect each other form *components*; the small ones are solved by branch and bound. If that runs out of
//! steps, or a component is large, [annealing](super::anneal) comes next, and then one [neighbourhood](super::neighbourhood) after another is solved by branch and bound.

use super::anneal::anneal;
use super::best_first::join_best;
use super::clusters::Clusters;
use super::exact::{self, cheaper};
use super::facts::GraphFacts;
use super::floor::floor;
use super::judge::LimitsMemo;
use super::neighbourhood::{MOST_FREE, around};
use super::paper::{bottom_up, top_down};
use super::piece::{MOST, Piece};
use super::random::Random;
use super::windows::in_windows;
use super::{Effort, Solution, Solver, Work};
use crate::fuse::bits;
use crate::fuse::problem::{Limits, Problem};

/// Greatest number of runs of a problem that is solved as a whole.
const WINDOW: usize = 512;

/// The solver: greedy, branch and bound, annealing, and large neighbourhoods.
#[derive(Clone, Copy, Debug, Default)]
pub struct Search;

impl Solver for Search {
    fn name(&self) -> &'static str {
        "search"
    }

    fn solve(&self, problem: &Problem, limits: &dyn Limits, effort: Effort) -> Solution {
        if problem.runs.len() > WINDOW {
            return in_windows(self, WINDOW, problem, limits, effort);
        }
        let facts = GraphFacts::new(problem);
        let mut judge = LimitsMemo::new(limits);
        let mut work = Work::default();
        let start = greedy(problem, &facts, &mut judge, &mut work);
        // Small regions are not worth the whole effort.
        let most = effort.steps.min(effort.steps / 64 * facts.len as u64);
        let mut state = State { facts: &facts, judge, work, most, clusters: start, bound: 0.0 };
        let open = state.components();
        if open.len() > 1 {
            let mut random = Random::seeded(1);
            let heat = state.heat(&open);
            let share = state.left() / 5 * 3;
            anneal(&mut state.clusters, &open, &mut state.judge, &mut random, heat, share, &mut state.work);
            state.neighbourhoods(&open);
        }
        let mut solution = Solution::of(problem, &state.clusters, &mut state.judge, state.work);
        let bound = state.bound.max(solution.bound);
        solution.bound = bound.min(solution.cost);
        solution.optimal = !cheaper(bound, solution.cost);
        solution
    }
}

/// Returns the best of three greedy partitions.
fn greedy<'f>(
    problem: &Problem,
    facts: &'f GraphFacts,
    judge: &mut LimitsMemo,
    work: &mut Work,
) -> Clusters<'f> {
    let mut best = Clusters::unfused(facts);
    join_best(&mut best, judge, work);
    let mut cost = best.cost(judge);
    for other in [top_down(problem, facts, judge, work), bottom_up(problem, facts, judge, work)] {
        let other_cost = other.cost(judge);
        if cheaper(other_cost, cost) {
            (best, cost) = (other, other_cost);
        }
    }
    best
}

struct State<'f, 'l> {
    facts: &'f GraphFacts,
    judge: LimitsMemo<'l>,
    work: Work,
    /// Greatest number of steps in all.
    most: u64,
    clusters: Clusters<'f>,
    bound: f64,
}

impl State<'_, '_> {
    fn left(&self) -> u64 {
        self.most.saturating_sub(self.work.steps + self.judge.steps())
    }

    /// Solves the small components, and computes the bound. Returns the runs of components without a proven optimum.
    fn components(&mut self) -> Vec<usize> {
        let components = components(self.facts);
        let start = self.clusters.clone();
        let mut open = Vec::new();
        for component in &components {
            let bound = self.component(component, &mut open);
            self.bound += bound;
        }
        if self.clusters.in_order() {
            return open;
        }
        // Each component has an order, and all of them together have none.
        self.clusters = start;
        open.clear();
        let joined: Vec<Vec<usize>> =
            components.into_iter().filter(|component| component.len() > 1).collect();
        let mut joined = joined.concat();
        joined.sort_unstable();
        let bound = self.component(&joined, &mut open);
        // What stands alone pays in any case.
        let lone = (0..self.facts.len).filter(|run| joined.binary_search(run).is_err());
        let lone: f64 = lone.map(|run| self.facts.cost(&self.facts.only(run))).sum();
        self.bound = self.bound.max(bound + lone);
        open
    }

    /// Solves a component, or enters its runs as open; returns a lower bound.
    fn component(&mut self, component: &[usize], open: &mut Vec<usize>) -> f64 {
        if component.len() > MOST {
            let share = self.left() / 8;
            open.extend(component);
            return floor(self.facts, component, &mut self.judge, share, &mut self.work);
        }
        let alone = Clusters::unfused(self.facts);
        let nodes = component.iter().map(|&run| self.facts.only(run)).collect();
        let piece = Piece::new(&alone, nodes).expect("runs have an order");
        let known = self.cost_of(component.iter().map(|&run| self.clusters.label[run]).collect());
        let share = self.left() / 4;
        let found = exact::search(&piece, &mut self.judge, known, share);
        let bound = found.bound;
        if cheaper(bound, found.cost) {
            open.extend(component);
        }
        self.take(&piece, found);
        bound
    }

    /// The cost of these clusters; a label may occur several times.
    fn cost_of(&mut self, mut labels: Vec<usize>) -> f64 {
        labels.sort_unstable();
        labels.dedup();
        let sets = &self.clusters.sets;
        labels
            .iter()
            .map(|&label| self.judge.cost(self.facts, &sets[label].members).expect("clusters fit"))
            .sum()
    }

    /// Applies the clusters that a search found; returns whether there were any.
    fn take(&mut self, piece: &Piece, found: exact::Found) -> bool {
        self.work.add(found.work);
        let Some(better) = found.clusters else { return false };
        self.work.moves += 1;
        self.clusters.replace(better.into_iter().map(|nodes| piece.runs(nodes)).collect());
        true
    }

    /// The initial temperature, at which most changes are kept: the mean bytes of the arrays of these runs.
    fn heat(&self, open: &[usize]) -> f64 {
        let touched = open.iter().flat_map(|&run| &self.facts.touches[run]);
        let (sum, count) = touched
            .fold((0.0, 0), |(sum, count), &id| (sum + self.facts.arrays[id as usize].bytes, count + 1));
        sum / f64::from(count.max(1))
    }

    /// Solves neighbourhoods of `open` until the steps are spent or many in a row brought nothing.
    fn neighbourhoods(&mut self, open: &[usize]) {
        let mut set = vec![0; self.facts.words];
        open.iter().for_each(|&run| bits::set(&mut set, run));
        let mut random = Random::seeded(0);
        let mut size = 10;
        let mut idle = 0;
        while open.len() > 1 && self.left() > 0 && idle < 4 * open.len() / size + 16 {
            let seed = open[random.below(open.len())];
            let (piece, labels) = around(&self.clusters, &set, seed, size.min(open.len()), &mut random);
            let known = self.cost_of(labels);
            let share = self.left().min(self.most / 64);
            let found = exact::search(&piece, &mut self.judge, known, share);
            // As large as can be solved.
            size =
                if cheaper(found.bound, found.cost) { (size - 1).max(4) } else { (size + 1).min(MOST_FREE) };
            idle = if self.take(&piece, found) { 0 } else { idle + 1 };
        }
    }
}

/// Connected components of the runs: two runs are linked if the cost can depend on whether they share a cluster.
fn components(facts: &GraphFacts) -> Vec<Vec<usize>> {
    let mut components = Vec::new();
    let mut rest: Vec<usize> = (0..facts.len).collect();
    while let Some(&first) = rest.first() {
        let mut component = vec![first];
        rest.remove(0);
        let mut next = 0;
        while next < component.len() {
            let here = component[next];
            let (linked, others) = rest.into_iter().partition(|&other| facts.linked(here, other));
            component.extend::<Vec<usize>>(linked);
            rest = others;
            next += 1;
        }
        component.sort_unstable();
        components.push(component);
    }
    components
}
