//! Plan checker: validity and cost of a fusion plan, from the definitions, sharing no code with the solvers.

use super::plan::FusionPlan;
use super::problem::{Judgement, Limits, Problem, RunId};
use std::collections::BTreeSet;
use std::fmt;

/// A reason why a plan is not valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Invalid {
    /// The tables of the plan disagree with each other or with the problem: a run is missing or in two clusters.
    NotAPartition,
    /// A pair that must be apart is in one cluster.
    Apart(RunId, RunId),
    /// A path through an unfusable edge connects two runs of one cluster.
    Separated(RunId, RunId),
    /// The second run depends on the first, but its cluster comes earlier.
    TooEarly(RunId, RunId),
    /// These runs form one cluster that is over the limits of the device.
    Over(Vec<RunId>),
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Invalid::NotAPartition => write!(f, "the plan does not put every run into one cluster"),
            Invalid::Apart(a, b) => write!(f, "{a:?} and {b:?} must be apart"),
            Invalid::Separated(a, b) => write!(f, "an edge that is not fusable lies between {a:?} and {b:?}"),
            Invalid::TooEarly(a, b) => write!(f, "{b:?} needs {a:?} and comes earlier"),
            Invalid::Over(cluster) => write!(f, "{cluster:?} do not fit together"),
        }
    }
}

/// Returns the cost of a plan, or the reason why it is not valid.
pub fn check(problem: &Problem, limits: &dyn Limits, plan: &FusionPlan) -> Result<f64, Invalid> {
    partition(problem, plan)?;
    let cluster = |run: RunId| plan.cluster_of[run.index()];
    if let Some(&(a, b)) = problem.apart.iter().find(|&&(a, b)| cluster(a) == cluster(b)) {
        return Err(Invalid::Apart(a, b));
    }
    for edge in problem.dependences() {
        if cluster(edge.from) > cluster(edge.to) {
            return Err(Invalid::TooEarly(edge.from, edge.to));
        }
    }
    for run in problem.run_ids() {
        let separated = beyond_unfusable(problem, run);
        if let Some(&other) = separated.iter().find(|&&other| cluster(other) == cluster(run)) {
            return Err(Invalid::Separated(run, other));
        }
    }
    let mut cost = 0.0;
    for members in &plan.clusters {
        cost += members.iter().map(|run| problem.runs[run.index()].launch).fold(0.0, f64::max);
        if members.len() > 1 {
            match limits.judge(members) {
                Judgement::Fits { extra } => cost += extra,
                Judgement::Unfit | Judgement::Over { .. } => return Err(Invalid::Over(members.clone())),
            }
        }
    }
    let mut bytes = vec![0.0; plan.clusters.len()];
    for array in &problem.arrays {
        let home = array.producer.map(cluster);
        let reading: BTreeSet<_> =
            array.readers.iter().map(|&run| cluster(run)).filter(|&reader| Some(reader) != home).collect();
        let written = home.is_some() && (array.wanted || !reading.is_empty());
        home.iter().filter(|_| written).chain(&reading).for_each(|at| bytes[at.index()] += array.bytes);
    }
    for (members, bytes) in plan.clusters.iter().zip(bytes) {
        let work: f64 = members.iter().map(|run| problem.runs[run.index()].work).sum();
        cost += bytes.max(work) + problem.overlap * bytes.min(work);
    }
    Ok(cost)
}

fn partition(problem: &Problem, plan: &FusionPlan) -> Result<(), Invalid> {
    let mut seen = vec![false; problem.runs.len()];
    if plan.cluster_of.len() != seen.len() {
        return Err(Invalid::NotAPartition);
    }
    for (at, members) in plan.clusters.iter().enumerate() {
        if members.is_empty() || !members.is_sorted_by(|a, b| a < b) {
            return Err(Invalid::NotAPartition);
        }
        for run in members {
            match (seen.get_mut(run.index()), plan.cluster_of.get(run.index())) {
                (Some(seen), Some(cluster)) if !*seen && cluster.index() == at => *seen = true,
                _ => return Err(Invalid::NotAPartition),
            }
        }
    }
    if seen.iter().all(|&seen| seen) { Ok(()) } else { Err(Invalid::NotAPartition) }
}

/// Returns the runs that a path through an unfusable edge reaches from an earlier run.
pub(super) fn beyond_unfusable(problem: &Problem, start: RunId) -> BTreeSet<RunId> {
    let mut near = BTreeSet::from([start]);
    let mut beyond = BTreeSet::new();
    // Edges lead to higher numbers, so that one walk in order of their ends sees all paths.
    let mut edges: Vec<_> = problem.dependences().collect();
    edges.sort_by_key(|edge| edge.to);
    for edge in edges {
        if beyond.contains(&edge.from) || (near.contains(&edge.from) && !edge.fusable) {
            beyond.insert(edge.to);
        } else if near.contains(&edge.from) {
            near.insert(edge.to);
        }
    }
    beyond
}
