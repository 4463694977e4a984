//! Fusion problems with limits that only numbers know.

use nestled_pass::fuse::problem::{Judgement, Limits, Problem, RunId};

/// Limits of a device that only numbers know.
#[derive(Clone, Debug, Default)]
pub struct Made {
    /// The most runs of a cluster.
    pub most: Option<usize>,
    /// Runs that do not fit together.
    pub never: Vec<Vec<RunId>>,
    /// Two runs that together cost so much more, unless a third is with them.
    pub extra: Vec<(RunId, RunId, Option<RunId>, f64)>,
}

impl Limits for Made {
    fn judge(&self, cluster: &[RunId]) -> Judgement {
        if let Some(most) = self.most.filter(|&most| cluster.len() > most) {
            return Judgement::Over { cut: cluster[..most + 1].to_vec() };
        }
        if let Some(cut) = self.never.iter().find(|set| set.iter().all(|run| cluster.contains(run))) {
            return Judgement::Over { cut: cut.clone() };
        }
        let has = |run| cluster.contains(&run);
        let applies = |&&(a, b, unless, _): &&(RunId, RunId, Option<RunId>, f64)| {
            has(a) && has(b) && !unless.is_some_and(has)
        };
        Judgement::Fits { extra: self.extra.iter().filter(applies).map(|extra| extra.3).sum() }
    }
}

/// A problem and the limits of its device.
#[derive(Clone, Debug)]
pub struct Case {
    pub problem: Problem,
    pub limits: Made,
}
