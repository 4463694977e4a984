//! A partition under construction: for each cluster its members, the runs it can never hold, its predecessors and its successors.

use super::facts::GraphFacts;
use super::judge::LimitsMemo;
use crate::fuse::bits;

/// A partition of the runs into clusters.
#[derive(Clone)]
pub struct Clusters<'f> {
    pub facts: &'f GraphFacts,
    /// For each run: its cluster, named by the cluster's first run.
    pub label: Vec<usize>,
    /// For each run: its cluster, if it is the first run of one; otherwise the empty set.
    pub sets: Vec<Set>,
}

/// One cluster.
#[derive(Clone)]
pub struct Set {
    /// Its runs.
    pub members: Vec<u64>,
    /// Runs that are apart from a member.
    pub apart: Vec<u64>,
    /// Successors: runs that need a member.
    pub after: Vec<u64>,
    /// Predecessors: runs that a member needs.
    pub before: Vec<u64>,
}

impl Set {
    /// Makes the cluster of these runs.
    pub fn new(facts: &GraphFacts, members: Vec<u64>) -> Set {
        let mut set = Set {
            apart: vec![0; facts.words],
            after: vec![0; facts.words],
            before: vec![0; facts.words],
            members: Vec::new(),
        };
        for run in bits::members(&members) {
            bits::join(&mut set.apart, facts.apart.row(run));
            bits::join(&mut set.after, facts.after.row(run));
            bits::join(&mut set.before, facts.before.row(run));
        }
        set.members = members;
        set
    }
}

impl<'f> Clusters<'f> {
    /// Makes the partition without fusion: every run is a cluster.
    pub fn unfused(facts: &'f GraphFacts) -> Clusters<'f> {
        let alone = |run| Set::new(facts, facts.only(run));
        Clusters { facts, label: (0..facts.len).collect(), sets: (0..facts.len).map(alone).collect() }
    }

    /// The clusters that are not empty.
    pub fn used(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.sets.len()).filter(|&label| bits::first(&self.sets[label].members).is_some())
    }

    /// The cost of the partition.
    pub fn cost(&self, judge: &mut LimitsMemo) -> f64 {
        self.used()
            .map(|label| judge.cost(self.facts, &self.sets[label].members).expect("clusters fit"))
            .sum()
    }

    /// Convex hull: the runs of all clusters that must be joined if `members` are, because a path leads from `members` through them and back. `members` must be made of whole
    /// clusters.
    pub fn hull(&self, members: &[u64]) -> Vec<u64> {
        let later = self.closure(members, |set| &set.after);
        let earlier = self.closure(members, |set| &set.before);
        let both = later.iter().zip(&earlier).map(|(later, earlier)| later & earlier);
        both.zip(members).map(|(between, member)| between | member).collect()
    }

    /// Transitive closure: the runs of all clusters that `members` reach one way, without `members`.
    fn closure(&self, members: &[u64], way: impl Fn(&Set) -> &Vec<u64>) -> Vec<u64> {
        let mut done = members.to_vec();
        let mut open = vec![0; self.facts.words];
        let reach = |set: &Set, open: &mut Vec<u64>, done: &[u64]| {
            bits::join(open, way(set));
            open.iter_mut().zip(done).for_each(|(open, done)| *open &= !done);
        };
        let mut labels: Vec<usize> = bits::members(members).map(|run| self.label[run]).collect();
        labels.dedup();
        labels.iter().for_each(|&label| reach(&self.sets[label], &mut open, &done));
        while let Some(run) = bits::first(&open) {
            let set = &self.sets[self.label[run]];
            bits::join(&mut done, &set.members);
            reach(set, &mut open, &done);
        }
        done.iter().zip(members).map(|(done, member)| done & !member).collect()
    }

    /// Of the runs `inside`: those that need one of `from`, and those that do so through a cluster that is not `inside`.
    pub fn reach(&self, from: &[u64], inside: &[u64]) -> (Vec<u64>, Vec<u64>) {
        let mut near = vec![0; self.facts.words];
        bits::members(from).for_each(|run| bits::join(&mut near, self.facts.after.row(run)));
        let mut open: Vec<u64> = near.iter().zip(inside).map(|(near, inside)| near & !inside).collect();
        let mut done = inside.to_vec();
        let mut beyond = vec![0; self.facts.words];
        while let Some(run) = bits::first(&open) {
            let set = &self.sets[self.label[run]];
            bits::join(&mut done, &set.members);
            bits::join(&mut beyond, &set.after);
            bits::join(&mut open, &set.after);
            open.iter_mut().zip(&done).for_each(|(open, done)| *open &= !done);
        }
        beyond.iter_mut().zip(inside).for_each(|(beyond, inside)| *beyond &= inside);
        near.iter_mut().zip(inside).for_each(|(near, inside)| *near &= inside);
        bits::join(&mut near, &beyond);
        (near, beyond)
    }

    /// True if no two of these runs are apart.
    pub fn compatible(&self, members: &[u64]) -> bool {
        bits::members(members).all(|run| !bits::meets(self.facts.apart.row(run), members))
    }

    /// Joins all clusters of `members`, which are whole clusters; returns the label of the union.
    pub fn join(&mut self, members: Vec<u64>) -> usize {
        let home = bits::first(&members).expect("clusters have runs");
        self.replace(vec![members]);
        home
    }

    /// Replaces clusters by others of the same runs.
    pub fn replace(&mut self, clusters: Vec<Vec<u64>>) {
        for run in clusters.iter().flat_map(|cluster| bits::members(cluster)) {
            self.sets[self.label[run]].members.fill(0);
        }
        for cluster in clusters {
            let home = bits::first(&cluster).expect("clusters have runs");
            bits::members(&cluster).for_each(|run| self.label[run] = home);
            self.sets[home] = Set::new(self.facts, cluster);
        }
    }

    /// True if the clusters have no dependence cycle.
    pub fn in_order(&self) -> bool {
        self.used().all(|label| self.hull(&self.sets[label].members) == self.sets[label].members)
    }
}
