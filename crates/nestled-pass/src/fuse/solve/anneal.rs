//! Simulated annealing: random local changes of a partition. A run moves, two clusters are joined, or a cluster is split.
//!
//! If the limits of a device are tight, bounds are weak and branch and bound is slow; local changes work all the same. A change is kept if it raises the cost by at most a random
//! part of the temperature, which falls to zero.

use super::Work;
use super::clusters::Clusters;
use super::exact::cheaper;
use super::judge::LimitsMemo;
use super::random::Random;
use crate::fuse::bits;

/// Anneals the clusters of the runs `open` for `share` steps, and leaves the best partition found. `heat` is the initial temperature, in bytes.
pub fn anneal(
    clusters: &mut Clusters,
    open: &[usize],
    judge: &mut LimitsMemo,
    random: &mut Random,
    heat: f64,
    share: u64,
    work: &mut Work,
) {
    let begin = work.steps + judge.steps();
    let mut best = clusters.clone();
    // What the clusters cost now more than the best.
    let mut above = 0.0;
    loop {
        let done = (work.steps + judge.steps() - begin) as f64 / share as f64;
        if done >= 1.0 || share == 0 {
            break;
        }
        let heat = heat * (1.0 - done) * (1.0 - done);
        let Some(change) = propose(clusters, open, random, work) else { continue };
        let patience = heat * (random.below(1 << 20) as f64 / (1 << 20) as f64);
        let Some(rise) = change.rise(clusters, patience, judge, work) else { continue };
        if !change.apply(clusters) {
            continue;
        }
        work.moves += 1;
        above += rise;
        if cheaper(above, 0.0) && above < -1e-6 {
            best.clone_from(clusters);
            above = 0.0;
        }
    }
    clusters.clone_from(&best);
}

/// A local change: the clusters `old` are replaced by `new`, of the same runs.
struct Change {
    old: Vec<usize>,
    new: Vec<Vec<u64>>,
}

/// Proposes a random change near a random run.
fn propose(clusters: &Clusters, open: &[usize], random: &mut Random, work: &mut Work) -> Option<Change> {
    work.steps += 1;
    let facts = clusters.facts;
    let run = open[random.below(open.len())];
    let home = clusters.label[run];
    let members = &clusters.sets[home].members;
    let kind = random.below(16);
    if kind < 3 {
        return split(clusters, run, kind);
    }
    let sharing: Vec<usize> = bits::members(facts.sharing.row(run)).collect();
    let near = if sharing.is_empty() || kind == 3 {
        open[random.below(open.len())]
    } else {
        sharing[random.below(sharing.len())]
    };
    let other = clusters.label[near];
    let target = &clusters.sets[other];
    if other == home {
        return None;
    }
    if kind < 7 {
        let mut both = members.clone();
        bits::join(&mut both, &target.members);
        let both = clusters.hull(&both);
        let old = bits::members(&both).filter(|&run| clusters.label[run] == run).collect();
        return clusters.compatible(&both).then(|| Change { old, new: vec![both] });
    }
    if bits::has(&target.apart, run) {
        return None;
    }
    let mut rest = members.clone();
    bits::clear(&mut rest, run);
    let mut more = target.members.clone();
    bits::set(&mut more, run);
    let mut new = vec![more];
    if bits::first(&rest).is_some() {
        new.push(rest);
    }
    // Places change hands.
    if kind < 10 && bits::has(&target.members, near) && !bits::meets(facts.apart.row(near), new.get(1)?) {
        bits::clear(&mut new[0], near);
        bits::set(&mut new[1], near);
        if bits::members(&new[0]).any(|other| facts.apart.has(other, run)) {
            return None;
        }
    }
    Some(Change { old: vec![home, other], new })
}

/// Proposes a split: a run leaves its cluster, alone, with all members that need it, or with all that it needs.
fn split(clusters: &Clusters, run: usize, kind: usize) -> Option<Change> {
    let facts = clusters.facts;
    let home = clusters.label[run];
    let members = &clusters.sets[home].members;
    let mut part = facts.only(run);
    match kind {
        0 => {}
        1 => bits::join(&mut part, facts.after.row(run)),
        _ => bits::join(&mut part, facts.before.row(run)),
    }
    part.iter_mut().zip(members).for_each(|(part, member)| *part &= member);
    let rest: Vec<u64> = members.iter().zip(&part).map(|(member, part)| member & !part).collect();
    bits::first(&rest).is_some().then(|| Change { old: vec![home], new: vec![part, rest] })
}

impl Change {
    /// Returns the rise of the cost, if it is at most `patience` and the new clusters fit.
    fn rise(
        &self,
        clusters: &Clusters,
        patience: f64,
        judge: &mut LimitsMemo,
        work: &mut Work,
    ) -> Option<f64> {
        work.steps += self.new.len() as u64;
        let facts = clusters.facts;
        let mut rise: f64 = self.new.iter().map(|new| facts.cost(new)).sum();
        for &old in &self.old {
            rise -= judge.cost(facts, &clusters.sets[old].members)?;
        }
        // The device is asked only about what seems to be worth it.
        for new in &self.new {
            if rise > patience {
                return None;
            }
            rise += judge.extra(new)?;
        }
        (rise <= patience).then_some(rise)
    }

    /// Makes the change, unless the clusters would have a dependence cycle; returns whether it was made.
    fn apply(self, clusters: &mut Clusters) -> bool {
        let old: Vec<Vec<u64>> = self.old.iter().map(|&label| clusters.sets[label].members.clone()).collect();
        let new: Vec<usize> = self.new.iter().filter_map(|new| bits::first(new)).collect();
        clusters.replace(self.new);
        let whole = |&label: &usize| {
            let members = &clusters.sets[label].members;
            clusters.hull(members) == *members
        };
        let valid = new.iter().all(whole);
        if !valid {
            clusters.replace(old);
        }
        valid
    }
}
