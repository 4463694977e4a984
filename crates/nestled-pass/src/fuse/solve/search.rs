//! Our own solver: greedy, then better and better; exact where that is possible.

use super::best_first::join_best;
use super::clusters::Clusters;
use super::exact::{self, cheaper};
use super::facts::Facts;
use super::judge::Judge;
use super::piece::{MOST, Piece};
use super::{Effort, Solution, Solver, Work};
use crate::fuse::bits;
use crate::fuse::problem::{Limits, Problem};

/// Greedy, local search, and branch and bound.
#[derive(Clone, Copy, Debug, Default)]
pub struct Search;

impl Solver for Search {
    fn name(&self) -> &'static str {
        "search"
    }

    fn solve(&self, problem: &Problem, limits: &dyn Limits, effort: Effort) -> Solution {
        let facts = Facts::new(problem);
        let mut judge = Judge::new(limits);
        let mut work = Work::default();
        let mut clusters = Clusters::unfused(&facts);
        join_best(&mut clusters, &mut judge, &mut work);
        let mut bound = 0.0;
        if facts.len <= MOST && facts.len > 0 {
            let alone = |run| {
                let mut node = vec![0; facts.words];
                bits::set(&mut node, run);
                node
            };
            let piece = Piece::new(&clusters, (0..facts.len).map(alone).collect()).expect("runs have an order");
            let known = clusters.cost(&mut judge);
            let found = exact::search(&piece, &mut judge, known, effort.steps);
            work.nodes = found.nodes;
            bound = found.bound;
            if let Some(better) = found.clusters {
                let mut labels = vec![0; facts.len];
                for (label, &nodes) in better.iter().enumerate() {
                    bits::members(&piece.runs(nodes)).for_each(|run| labels[run] = label);
                }
                clusters = Clusters::from_labels(&facts, &labels).expect("valid");
            }
        }
        let mut solution = Solution::of(problem, &clusters, &mut judge, work);
        solution.bound = bound;
        solution.optimal = !cheaper(bound, solution.cost);
        solution
    }
}
