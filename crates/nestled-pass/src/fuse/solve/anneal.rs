//! Many small changes, worse ones too as long as it is warm: a run moves, two clusters are joined, a cluster is split.
//!
//! Where a device's limits bind, bounds say little and branch and bound is slow; small changes find their way all the same. A change
//! is kept if it costs less than a random part of the temperature, which falls to nothing.

use super::Work;
use super::clusters::Clusters;
use super::exact::cheaper;
use super::judge::Judge;
use super::random::Random;
use crate::fuse::bits;

/// Changes clusters of the runs `open` until `work` has so many steps, and leaves the best found. `heat` is the temperature at first, in
/// bytes.
pub fn anneal(
    clusters: &mut Clusters,
    open: &[usize],
    judge: &mut Judge,
    random: &mut Random,
    heat: f64,
    until: u64,
    work: &mut Work,
) {
    let begin = work.steps;
    let mut best = clusters.clone();
    // What the clusters cost now more than the best.
    let mut above = 0.0;
    while work.steps < until {
        let done = (work.steps - begin) as f64 / (until - begin) as f64;
        let heat = heat * (1.0 - done) * (1.0 - done);
        let Some(change) = propose(clusters, open, random, work) else { continue };
        let Some(rise) = change.rise(clusters, judge, work) else { continue };
        let patience = heat * (random.below(1 << 20) as f64 / (1 << 20) as f64);
        if rise > patience || !change.apply(clusters) {
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

/// Clusters that become others of the same runs.
struct Change {
    old: Vec<usize>,
    new: Vec<Vec<u64>>,
}

/// A random change near a random run.
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

/// A run leaves its cluster alone, or with all members that need it, or with all that it needs.
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
    /// How much more the new clusters cost, if they fit.
    fn rise(&self, clusters: &Clusters, judge: &mut Judge, work: &mut Work) -> Option<f64> {
        work.steps += self.new.len() as u64;
        let mut rise = 0.0;
        for new in &self.new {
            rise += judge.cost(clusters.facts, new)?;
        }
        for &old in &self.old {
            rise -= judge.cost(clusters.facts, &clusters.sets[old].members)?;
        }
        Some(rise)
    }

    /// Makes the change, unless clusters would wait for each other in a circle.
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
