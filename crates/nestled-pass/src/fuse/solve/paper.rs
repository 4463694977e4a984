//! The two greedy algorithms of the Nessie paper (its section 8.1), for comparison: they take every opportunity to fuse in the order in which they meet it, and skip those that
//! earlier choices have made impossible. They do not look at savings.

use super::clusters::Clusters;
use super::facts::GraphFacts;
use super::judge::LimitsMemo;
use super::{Effort, Solution, Solver, Work};
use crate::fuse::bits;
use crate::fuse::cost::NEVER;
use crate::fuse::problem::{Edge, Limits, Problem};
use std::cmp::Reverse;

/// Top-down greedy, breadth first: consumers into their producers, then siblings that read the same array.
#[derive(Clone, Copy, Debug, Default)]
pub struct TopDown;

/// Bottom-up greedy: producers into their consumers, then siblings that read the same array.
#[derive(Clone, Copy, Debug, Default)]
pub struct BottomUp;

impl Solver for TopDown {
    fn name(&self) -> &'static str {
        "greedy-down"
    }

    fn solve(&self, problem: &Problem, limits: &dyn Limits, _: Effort) -> Solution {
        alone(problem, limits, top_down)
    }
}

impl Solver for BottomUp {
    fn name(&self) -> &'static str {
        "greedy-up"
    }

    fn solve(&self, problem: &Problem, limits: &dyn Limits, _: Effort) -> Solution {
        alone(problem, limits, bottom_up)
    }
}

/// A function that makes a partition.
type Way = for<'f> fn(&Problem, &'f GraphFacts, &mut LimitsMemo, &mut Work) -> Clusters<'f>;

fn alone(problem: &Problem, limits: &dyn Limits, way: Way) -> Solution {
    let facts = GraphFacts::new(problem);
    let mut judge = LimitsMemo::new(limits);
    let mut work = Work::default();
    let clusters = way(problem, &facts, &mut judge, &mut work);
    Solution::of(problem, &clusters, &mut judge, work)
}

/// Makes the partition of [`TopDown`].
pub fn top_down<'f>(
    problem: &Problem,
    facts: &'f GraphFacts,
    judge: &mut LimitsMemo,
    work: &mut Work,
) -> Clusters<'f> {
    let depth = depths((0..facts.len).collect(), |run| facts.before.row(run));
    let mut order = opportunities(problem);
    order.sort_by_key(|&(a, b)| (depth[a], a, b));
    take(problem, facts, &order, judge, work)
}

/// Makes the partition of [`BottomUp`].
pub fn bottom_up<'f>(
    problem: &Problem,
    facts: &'f GraphFacts,
    judge: &mut LimitsMemo,
    work: &mut Work,
) -> Clusters<'f> {
    let height = depths((0..facts.len).rev().collect(), |run| facts.after.row(run));
    let mut order = opportunities(problem);
    order.sort_by_key(|&(a, b)| (height[b], Reverse(b), Reverse(a)));
    take(problem, facts, &order, judge, work)
}

/// For each run: the length of the longest path to it. In `order`, runs on a path come before its end.
fn depths<'f>(order: Vec<usize>, way: impl Fn(usize) -> &'f [u64]) -> Vec<usize> {
    let mut depths = vec![0; order.len()];
    for run in order {
        depths[run] = bits::members(way(run)).map(|other| depths[other] + 1).max().unwrap_or(0);
    }
    depths
}

/// The pairs of a producer and a consumer.
fn opportunities(problem: &Problem) -> Vec<(usize, usize)> {
    let ends = |edge: Edge| (edge.from.index(), edge.to.index());
    let mut pairs: Vec<_> = problem.dependences().map(ends).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// True if runs can be one kernel without further runs.
fn fits(judge: &mut LimitsMemo, cluster: &[u64]) -> bool {
    judge.extra(cluster).is_some_and(|extra| extra < NEVER)
}

/// Fuses the pairs that it can, in this order, then siblings in the order of their arrays.
fn take<'f>(
    problem: &Problem,
    facts: &'f GraphFacts,
    vertical: &[(usize, usize)],
    judge: &mut LimitsMemo,
    work: &mut Work,
) -> Clusters<'f> {
    let mut clusters = Clusters::unfused(facts);
    let siblings = problem
        .arrays
        .iter()
        .flat_map(|array| array.readers.windows(2).map(|pair| (pair[0].index(), pair[1].index())));
    for (a, b) in vertical.iter().copied().chain(siblings) {
        let (left, right) = (clusters.label[a], clusters.label[b]);
        if left == right {
            continue;
        }
        work.steps += 1;
        let mut both = clusters.sets[left].members.clone();
        bits::join(&mut both, &clusters.sets[right].members);
        // Only the two: what lies between them is another opportunity.
        if clusters.hull(&both) == both && clusters.compatible(&both) && fits(judge, &both) {
            clusters.join(both);
            work.moves += 1;
        }
    }
    clusters
}
