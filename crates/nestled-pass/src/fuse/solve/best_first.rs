//! Best-first greedy clustering: joins the two clusters with the greatest saving, until no union saves anything.

use super::clusters::Clusters;
use super::facts::GraphFacts;
use super::judge::LimitsMemo;
use super::{Effort, Solution, Solver, Work};
use crate::fuse::bits;
use crate::fuse::problem::{Limits, Problem};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// The solver that joins the pair of clusters with the greatest saving first, together with all clusters on paths between them.
#[derive(Clone, Copy, Debug, Default)]
pub struct BestFirst;

impl Solver for BestFirst {
    fn name(&self) -> &'static str {
        "best first"
    }

    fn solve(&self, problem: &Problem, limits: &dyn Limits, _: Effort) -> Solution {
        let facts = GraphFacts::new(problem);
        let mut judge = LimitsMemo::new(limits);
        let mut work = Work::default();
        let mut clusters = Clusters::unfused(&facts);
        join_best(&mut clusters, &mut judge, &mut work);
        Solution::of(problem, &clusters, &mut judge, work)
    }
}

/// A candidate pair of clusters. Of equal savings, the earlier pair comes first.
struct Pair {
    saving: f64,
    left: usize,
    right: usize,
    /// For each of the two: the number of its changes when the pair was entered. A pair with outdated numbers is dropped.
    changes: (u32, u32),
}

impl Pair {
    fn key(&self) -> (f64, std::cmp::Reverse<(usize, usize)>) {
        (self.saving, std::cmp::Reverse((self.left, self.right)))
    }
}

impl Ord for Pair {
    fn cmp(&self, other: &Pair) -> Ordering {
        let ((saving, at), (other, other_at)) = (self.key(), other.key());
        saving.total_cmp(&other).then(at.cmp(&other_at))
    }
}

impl PartialOrd for Pair {
    fn partial_cmp(&self, other: &Pair) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Pair {
    fn eq(&self, other: &Pair) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Pair {}

/// Joins clusters as long as that saves cost.
pub fn join_best(clusters: &mut Clusters, judge: &mut LimitsMemo, work: &mut Work) {
    let facts = clusters.facts;
    let mut changes = vec![0u32; facts.len];
    let mut parts: Vec<(f64, f64)> =
        (0..facts.len).map(|run| facts.bytes_and_work(&clusters.sets[run].members)).collect();
    let mut pairs = BinaryHeap::new();
    for left in clusters.used() {
        enter(clusters, left, |other| other > left, (&changes, &parts), &mut pairs, work);
    }
    while let Some(pair) = pairs.pop() {
        if (changes[pair.left], changes[pair.right]) != pair.changes {
            continue;
        }
        // What a pair was entered with is a guess: the device was not asked, and nothing may lie between the two.
        let Some((saving, all)) = judged(clusters, pair.left, pair.right, judge, work) else { continue };
        if saving < pair.saving {
            if saving > 0.0 {
                pairs.push(Pair { saving, ..pair });
            }
            continue;
        }
        for run in bits::members(&all) {
            changes[clusters.label[run]] += 1;
        }
        let home = clusters.join(all);
        parts[home] = facts.bytes_and_work(&clusters.sets[home].members);
        work.moves += 1;
        enter(clusters, home, |other| other != home, (&changes, &parts), &mut pairs, work);
    }
}

/// Enters the pairs of a cluster with others into the priority queue. `parts` has the bytes and the work of each.
fn enter(
    clusters: &Clusters,
    one: usize,
    with: impl Fn(usize) -> bool,
    (changes, parts): (&[u32], &[(f64, f64)]),
    pairs: &mut BinaryHeap<Pair>,
    work: &mut Work,
) {
    let facts = clusters.facts;
    let set = &clusters.sets[one];
    let mut sharing = vec![0; facts.words];
    bits::members(&set.members).for_each(|run| bits::join(&mut sharing, facts.sharing.row(run)));
    let (cost, launch) = (facts.cost(&set.members), facts.launch_of(&set.members));
    for other in clusters.used().filter(|&other| with(other)) {
        let second = &clusters.sets[other];
        if bits::meets(&set.apart, &second.members) {
            continue;
        }
        let saving = if bits::meets(&sharing, &second.members) {
            work.steps += 1;
            let mut both = set.members.clone();
            bits::join(&mut both, &second.members);
            cost + facts.cost(&second.members) - facts.cost(&both)
        } else {
            let (one, two) = (parts[one], parts[other]);
            let apart = facts.unhidden(one.1, one.0) + facts.unhidden(two.1, two.0);
            launch.min(facts.launch_of(&second.members)) + apart
                - facts.unhidden(one.1 + two.1, one.0 + two.0)
        };
        if saving > 0.0 {
            let (left, right) = (one.min(other), one.max(other));
            pairs.push(Pair { saving, left, right, changes: (changes[left], changes[right]) });
        }
    }
}

/// Returns the exact saving of joining two clusters and all between them, if that is possible, and the runs of the union.
fn judged(
    clusters: &Clusters,
    left: usize,
    right: usize,
    judge: &mut LimitsMemo,
    work: &mut Work,
) -> Option<(f64, Vec<u64>)> {
    work.steps += 1;
    let facts = clusters.facts;
    let mut both = clusters.sets[left].members.clone();
    bits::join(&mut both, &clusters.sets[right].members);
    let all = clusters.hull(&both);
    if !clusters.compatible(&all) {
        return None;
    }
    let after = judge.cost(facts, &all)?;
    let parts = bits::members(&all).filter(|&run| clusters.label[run] == run);
    let before: f64 =
        parts.map(|part| judge.cost(facts, &clusters.sets[part].members).expect("clusters fit")).sum();
    Some((before - after, all))
}
