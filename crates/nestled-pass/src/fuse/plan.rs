//! Fusion plan: a partition of runs into kernels, in launch order.

use super::cost::NEVER;
use super::problem::{ClusterId, Judgement, Limits, Problem, RunId};

/// A partition of the runs of a [`Problem`] into clusters, in an order in which they can be launched.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FusionPlan {
    /// The cluster of each run.
    pub cluster_of: Vec<ClusterId>,
    /// The runs of each cluster, in program order.
    pub clusters: Vec<Vec<RunId>>,
}

impl Problem {
    /// Returns the cost of a plan in bytes, if none of its clusters is over the limits whatever else is in it.
    pub fn cost(&self, limits: &dyn Limits, plan: &FusionPlan) -> Option<f64> {
        Some(self.costs(limits, plan)?.into_iter().sum())
    }

    /// Returns the cost of each cluster of a plan. A cluster pays for the arrays that it writes, and for those of others that it reads.
    pub fn costs(&self, limits: &dyn Limits, plan: &FusionPlan) -> Option<Vec<f64>> {
        let mut bytes = vec![0.0; plan.clusters.len()];
        for array in &self.arrays {
            let home = array.producer.map(|producer| plan.cluster_of[producer.index()]);
            let mut reading: Vec<_> = array.readers.iter().map(|run| plan.cluster_of[run.index()]).collect();
            reading.retain(|&cluster| Some(cluster) != home);
            reading.sort_unstable();
            reading.dedup();
            let written = home.is_some() && (array.wanted || !reading.is_empty());
            reading.extend(home.filter(|_| written));
            reading.iter().for_each(|cluster| bytes[cluster.index()] += array.bytes);
        }
        let cost = |(cluster, bytes): (&Vec<RunId>, f64)| {
            let extra = match cluster.len() {
                0 | 1 => 0.0,
                _ => match limits.judge(cluster) {
                    Judgement::Fits { extra } => extra,
                    Judgement::Unfit => NEVER,
                    Judgement::Over { .. } => return None,
                },
            };
            let launch = cluster.iter().map(|run| self.runs[run.index()].launch).fold(0.0, f64::max);
            let work = cluster.iter().map(|run| self.runs[run.index()].work).sum();
            Some(launch + extra + bytes + self.unhidden(work, bytes))
        };
        plan.clusters.iter().zip(bytes).map(cost).collect()
    }
}

impl FusionPlan {
    /// Makes the plan without fusion: every run is a cluster, in program order.
    pub fn unfused(problem: &Problem) -> FusionPlan {
        FusionPlan {
            cluster_of: (0..problem.runs.len()).map(ClusterId::from).collect(),
            clusters: problem.run_ids().map(|run| vec![run]).collect(),
        }
    }

    /// Makes the plan with one cluster for each label, in topological order; `None` if the clusters have a dependence cycle. Of the clusters that are ready, the one with the first
    /// run goes first.
    pub fn from_labels(problem: &Problem, labels: &[usize]) -> Option<FusionPlan> {
        let n_labels = labels.iter().max().map_or(0, |most| most + 1);
        let mut members = vec![Vec::new(); n_labels];
        for (run, &label) in labels.iter().enumerate() {
            members[label].push(RunId::from(run));
        }
        let mut later = vec![Vec::new(); n_labels];
        let mut waits_for = vec![0usize; n_labels];
        for edge in problem.dependences() {
            let (from, to) = (labels[edge.from.index()], labels[edge.to.index()]);
            if from != to {
                later[from].push(to);
                waits_for[to] += 1;
            }
        }
        let mut ready = std::collections::BTreeSet::new();
        let in_use = |label: &usize| !members[*label].is_empty();
        let start = |label: usize| (members[label][0], label);
        ready.extend((0..n_labels).filter(in_use).filter(|&label| waits_for[label] == 0).map(start));
        let mut plan = FusionPlan { cluster_of: vec![ClusterId(0); labels.len()], clusters: Vec::new() };
        while let Some((_, label)) = ready.pop_first() {
            for run in &members[label] {
                plan.cluster_of[run.index()] = ClusterId::from(plan.clusters.len());
            }
            plan.clusters.push(members[label].clone());
            for &next in &later[label] {
                waits_for[next] -= 1;
                if waits_for[next] == 0 {
                    ready.insert(start(next));
                }
            }
        }
        (plan.clusters.len() == (0..n_labels).filter(in_use).count()).then_some(plan)
    }

    /// A label for each run; equal labels mean one cluster.
    pub fn labels(&self) -> Vec<usize> {
        self.cluster_of.iter().map(|cluster| cluster.index()).collect()
    }
}
