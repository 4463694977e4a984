//! Windows of very large regions: consecutive runs are solved in windows of a fixed number, each by itself.

use super::{Effort, Solution, Solver, Work};
use crate::fuse::plan::FusionPlan;
use crate::fuse::problem::{Array, Edge, Judgement, Limits, Problem, RunId};
use std::ops::Range;

/// Returns the plan of all windows together. Its bound is the trivial one, [`Problem::least`].
pub fn in_windows(
    solver: &dyn Solver,
    window: usize,
    problem: &Problem,
    limits: &dyn Limits,
    effort: Effort,
) -> Solution {
    let len = problem.runs.len();
    let share = Effort { steps: effort.steps / len.div_ceil(window) as u64 };
    let mut labels = Vec::with_capacity(len);
    let mut work = Work::default();
    for start in (0..len).step_by(window) {
        let range = start..len.min(start + window);
        let solution = solver.solve(&part(problem, &range), &Shifted { limits, start }, share);
        labels.extend(solution.plan.labels().into_iter().map(|label| start + label));
        work.add(solution.work);
    }
    let plan = FusionPlan::from_labels(problem, &labels).expect("windows are in order");
    let cost = problem.cost(limits, &plan).expect("clusters of a window fit");
    Solution { plan, cost, bound: problem.least().min(cost), optimal: false, work, cuts: Vec::new() }
}

/// Makes the problem of some consecutive runs; arrays that other runs read are wanted.
fn part(problem: &Problem, range: &Range<usize>) -> Problem {
    let inside = |run: &RunId| range.contains(&run.index());
    let shift = |run: RunId| RunId::from(run.index() - range.start);
    let runs = problem.runs[range.clone()].to_vec();
    let mut part = Problem { runs, overlap: problem.overlap, ..Problem::default() };
    for array in &problem.arrays {
        let producer = array.producer.filter(inside).map(shift);
        let readers: Vec<RunId> = array.readers.iter().copied().filter(inside).map(shift).collect();
        if producer.is_some() || !readers.is_empty() {
            let wanted = array.wanted || readers.len() < array.readers.len();
            part.arrays.push(Array { bytes: array.bytes, producer, readers, wanted });
        }
    }
    let edges = problem.edges.iter().filter(|edge| inside(&edge.from) && inside(&edge.to));
    part.edges.extend(edges.map(|edge| Edge { from: shift(edge.from), to: shift(edge.to), ..*edge }));
    let apart = problem.apart.iter().filter(|(a, b)| inside(a) && inside(b));
    part.apart.extend(apart.map(|&(a, b)| (shift(a), shift(b))));
    part
}

/// The limits for the runs of a window.
struct Shifted<'l> {
    limits: &'l dyn Limits,
    start: usize,
}

impl Limits for Shifted<'_> {
    fn judge(&self, cluster: &[RunId]) -> Judgement {
        let there: Vec<RunId> = cluster.iter().map(|run| RunId::from(run.index() + self.start)).collect();
        match self.limits.judge(&there) {
            Judgement::Over { cut } => {
                let here = |run: RunId| RunId::from(run.index() - self.start);
                Judgement::Over { cut: cut.into_iter().map(here).collect() }
            }
            other @ (Judgement::Fits { .. } | Judgement::Unfit) => other,
        }
    }
}
