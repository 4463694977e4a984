//! Greedy by saving: joins the two clusters whose union saves most, until no union saves anything.

use super::clusters::Clusters;
use super::facts::Facts;
use super::judge::Judge;
use super::{Effort, Solution, Solver, Work};
use crate::fuse::problem::{Limits, Problem};

/// Joins the pair of clusters that saves most first.
#[derive(Clone, Copy, Debug, Default)]
pub struct BestFirst;

impl Solver for BestFirst {
    fn name(&self) -> &'static str {
        "best first"
    }

    fn solve(&self, problem: &Problem, limits: &dyn Limits, _: Effort) -> Solution {
        let facts = Facts::new(problem);
        let mut judge = Judge::new(limits);
        let mut work = Work::default();
        let mut clusters = Clusters::unfused(&facts);
        join_best(&mut clusters, &mut judge, &mut work);
        Solution::of(problem, &clusters, &mut judge, work)
    }
}

/// Joins clusters as long as that saves something.
pub fn join_best(clusters: &mut Clusters, judge: &mut Judge, work: &mut Work) {
    let facts = clusters.facts;
    let mut live: Vec<usize> = clusters.used().collect();
    loop {
        let mut best: Option<(f64, Vec<u64>)> = None;
        for (at, &a) in live.iter().enumerate() {
            for &b in &live[at + 1..] {
                let (left, right) = (&clusters.sets[a], &clusters.sets[b]);
                if crate::fuse::bits::meets(&left.apart, &right.members) {
                    continue;
                }
                work.steps += 1;
                let both: Vec<u64> = left.members.iter().zip(&right.members).map(|(a, b)| a | b).collect();
                let hull = clusters.hull(&both);
                if !clusters.compatible(&hull) {
                    continue;
                }
                let parts = live.iter().map(|&c| &clusters.sets[c].members);
                let parts = parts.filter(|part| crate::fuse::bits::meets(part, &hull));
                let before: f64 = parts.map(|part| judge.cost(facts, part).expect("it fits")).sum();
                let Some(after) = judge.cost(facts, &hull) else { continue };
                if before - after > best.as_ref().map_or(0.0, |(saving, _)| *saving) {
                    best = Some((before - after, hull));
                }
            }
        }
        let Some((_, hull)) = best else { return };
        work.moves += 1;
        let home = clusters.join(hull);
        live.retain(|&c| c == home || clusters.sets[c].members.iter().any(|word| *word != 0));
    }
}
