//! Cuts: constraints that the program has not yet, found from the clusters of a solution.
//!
//! The device judges whole clusters, and its extra cost need neither grow nor shrink with a cluster: a cut about the cost of a cluster holds for exactly this cluster. So that
//! the next solution is not a cluster that differs by a run, the neighbours of a cluster are judged with it.

use super::relations::Relations;
use crate::fuse::plan::FusionPlan;
use crate::fuse::problem::{Judgement, Limits, Problem, RunId};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;

/// Greatest number of clusters that are judged because of one cluster of a solution.
const MOST_ASKED: usize = 200;

/// A constraint on clusters.
#[derive(Clone, Debug, PartialEq)]
pub enum Cut {
    /// No cluster holds all of these.
    NotTogether(Vec<RunId>),
    /// No cluster consists of exactly these, in order: it would cost more than the whole region without fusion.
    Never(Vec<RunId>),
    /// A cluster of exactly these, in order, costs so much extra.
    Costs {
        /// The runs.
        cluster: Vec<RunId>,
        /// The device's extra cost.
        extra: f64,
    },
    /// If each of these pairs shares a cluster, there is a dependence cycle through their clusters; so the last pair shares one, too.
    Cycle {
        /// Where the cycle enters and leaves a cluster.
        joined: Vec<(RunId, RunId)>,
        /// Runs of two of the clusters.
        apart: (RunId, RunId),
    },
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list =
            |runs: &[RunId]| runs.iter().map(|run| (run.0 + 1).to_string()).collect::<Vec<_>>().join(" ");
        match self {
            Cut::NotTogether(runs) => write!(f, "cut: the device does not take all of {}", list(runs)),
            Cut::Never(cluster) => write!(f, "cut: exactly {} costs more than no fusion", list(cluster)),
            Cut::Costs { cluster, extra } => write!(f, "cut: exactly {} costs {extra} extra", list(cluster)),
            Cut::Cycle { joined, apart: (a, b) } => {
                let pairs: Vec<String> = joined.iter().map(|&(a, b)| list(&[a, b])).collect();
                write!(f, "cut: {} are a cycle, unless {} are together", pairs.join(", "), list(&[*a, *b]))
            }
        }
    }
}

/// Finds cuts, each once.
pub struct Finder<'a> {
    problem: &'a Problem,
    limits: &'a dyn Limits,
    relations: Relations,
    /// The cost of the region without fusion.
    ceiling: f64,
    /// Clusters that were judged; true if there is a cut.
    judged: BTreeMap<Vec<RunId>, bool>,
    /// Sets that do not fit together.
    over: BTreeSet<Vec<RunId>>,
    cycles: BTreeSet<Vec<(RunId, RunId)>>,
    found: Vec<Cut>,
}

impl<'a> Finder<'a> {
    /// Starts without any cut.
    pub fn new(problem: &'a Problem, limits: &'a dyn Limits) -> Finder<'a> {
        let unfused = problem.cost(limits, &FusionPlan::unfused(problem));
        Finder {
            problem,
            limits,
            relations: Relations::new(problem),
            ceiling: unfused.unwrap_or(f64::INFINITY),
            judged: BTreeMap::new(),
            over: BTreeSet::new(),
            cycles: BTreeSet::new(),
            found: Vec::new(),
        }
    }

    /// The number of clusters that the device was asked about.
    pub fn asked(&self) -> u64 {
        self.judged.len() as u64
    }

    /// Returns the cuts that a partition runs into and that were not returned before, with those of neighbouring clusters. A partition without any, old or new, is a valid plan
    /// whose cost the program knows.
    pub fn cuts(&mut self, labels: &[usize]) -> Vec<Cut> {
        let mut clusters: BTreeMap<usize, Vec<RunId>> = BTreeMap::new();
        for (run, &label) in labels.iter().enumerate() {
            clusters.entry(label).or_default().push(RunId::from(run));
        }
        for cluster in clusters.into_values() {
            self.judge_around(&cluster);
        }
        if FusionPlan::from_labels(self.problem, labels).is_none() {
            self.find_cycles(labels);
        }
        std::mem::take(&mut self.found)
    }

    /// Judges a cluster; if there is a cut, also the clusters with a run less or more, and those within clusters that do not fit.
    fn judge_around(&mut self, cluster: &[RunId]) {
        let mut open = VecDeque::from([cluster.to_vec()]);
        let before = self.judged.len();
        while let Some(next) = open.pop_front().filter(|_| self.judged.len() < before + MOST_ASKED) {
            let is_known = self.judged.contains_key(&next);
            let has_cut = self.judge(&next);
            if next == cluster && has_cut {
                open.extend(self.with_one_more(cluster));
            }
            if has_cut && !is_known && (next == cluster || self.is_over(&next)) {
                open.extend((0..next.len()).map(|at| [&next[..at], &next[at + 1..]].concat()));
            }
        }
    }

    fn with_one_more(&self, cluster: &[RunId]) -> Vec<Vec<RunId>> {
        let fits = |run: &RunId| {
            !cluster.contains(run) && cluster.iter().all(|&with| self.relations.may_share(*run, with))
        };
        let larger = self.problem.run_ids().filter(fits).map(|run| {
            let mut larger = [cluster, &[run]].concat();
            larger.sort_unstable();
            larger
        });
        larger.collect()
    }

    fn is_over(&self, cluster: &[RunId]) -> bool {
        self.over.iter().any(|cut| cut.iter().all(|run| cluster.contains(run)))
    }

    /// Judges a cluster; returns whether the program needs a cut for it.
    fn judge(&mut self, cluster: &[RunId]) -> bool {
        if cluster.len() < 2 {
            return false;
        }
        if let Some(&has_cut) = self.judged.get(cluster) {
            return has_cut;
        }
        let is_over = self.is_over(cluster);
        let cut = if is_over { None } else { self.ask(cluster) };
        let has_cut = is_over || cut.is_some();
        self.judged.insert(cluster.to_vec(), has_cut);
        self.found.extend(cut);
        has_cut
    }

    fn ask(&mut self, cluster: &[RunId]) -> Option<Cut> {
        match self.limits.judge(cluster) {
            Judgement::Fits { extra } if extra >= self.ceiling => Some(Cut::Never(cluster.to_vec())),
            Judgement::Fits { extra } => {
                (extra > 0.0).then(|| Cut::Costs { cluster: cluster.to_vec(), extra })
            }
            Judgement::Unfit => Some(Cut::Never(cluster.to_vec())),
            Judgement::Over { mut cut } => {
                cut.sort_unstable();
                self.over.insert(cut.clone());
                Some(Cut::NotTogether(cut))
            }
        }
    }

    /// Finds a shortest dependence cycle through each cluster that is on one.
    fn find_cycles(&mut self, labels: &[usize]) {
        for start in labels.iter().copied().collect::<BTreeSet<_>>() {
            let Some(cycle) = self.cycle(labels, start) else { continue };
            // A dependence comes in at the one run of a cluster, and the next goes out from the other.
            let entries = cycle.iter().map(|edge| edge.1);
            let leaves = cycle.iter().cycle().skip(1).map(|edge| edge.0);
            let mut joined: Vec<(RunId, RunId)> =
                entries.zip(leaves).filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b))).collect();
            joined.sort_unstable();
            if self.cycles.insert(joined.clone()) {
                self.found.push(Cut::Cycle { joined, apart: (cycle[0].0, cycle[0].1) });
            }
        }
    }

    /// The dependences of a shortest cycle of clusters from and to this one.
    fn cycle(&self, labels: &[usize], start: usize) -> Option<Vec<(RunId, RunId)>> {
        let label = |run: RunId| labels[run.index()];
        let mut way: BTreeMap<usize, Vec<(RunId, RunId)>> = BTreeMap::new();
        let mut open = VecDeque::from([(start, Vec::new())]);
        while let Some((here, so_far)) = open.pop_front() {
            for edge in
                self.problem.dependences().filter(|edge| label(edge.from) == here && label(edge.to) != here)
            {
                let longer = [&so_far[..], &[(edge.from, edge.to)]].concat();
                if label(edge.to) == start {
                    return Some(longer);
                }
                way.entry(label(edge.to)).or_insert_with(|| {
                    open.push_back((label(edge.to), longer.clone()));
                    longer
                });
            }
        }
        None
    }
}
