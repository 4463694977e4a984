//! Memo of the device's answers: each cluster is asked about once.

use super::facts::GraphFacts;
use crate::fuse::bits;
use crate::fuse::cost::NEVER;
use crate::fuse::problem::{Judgement, Limits, RunId};
use std::collections::HashMap;

/// Cost of asking about a cluster, in steps of work: a device may have to merge the kernel.
const STEPS: u64 = 100;

/// The device's answers so far. The table is only looked up, never iterated, so that its order does not matter.
pub struct LimitsMemo<'l> {
    limits: &'l dyn Limits,
    answers: HashMap<Vec<u64>, Option<f64>>,
    cuts: Vec<Vec<u64>>,
    /// Number of questions to the device.
    pub asked: u64,
    plain: bool,
    /// Whether extra costs count as zero, and only whether clusters fit is of interest.
    pub for_bound: bool,
}

impl<'l> LimitsMemo<'l> {
    /// Starts without answers.
    pub fn new(limits: &'l dyn Limits) -> LimitsMemo<'l> {
        LimitsMemo {
            limits,
            answers: HashMap::new(),
            cuts: Vec::new(),
            asked: 0,
            plain: true,
            for_bound: false,
        }
    }

    /// True if all clusters asked about so far fit and cost nothing extra. As long as that is so, asking can wait.
    pub fn plain(&self) -> bool {
        self.plain
    }

    /// True if a cluster is known not to fit, without asking.
    pub fn known_over(&self, cluster: &[u64]) -> bool {
        self.cuts.iter().any(|cut| contains(cluster, cut))
    }

    /// The work of all questions, in steps.
    pub fn steps(&self) -> u64 {
        self.asked * STEPS
    }

    /// Returns the extra cost of a cluster; `None` if it does not fit. A run by itself always fits.
    pub fn extra(&mut self, cluster: &[u64]) -> Option<f64> {
        let extra = self.answer(cluster)?;
        Some(if self.for_bound { 0.0 } else { extra })
    }

    fn answer(&mut self, cluster: &[u64]) -> Option<f64> {
        if cluster.iter().map(|word| word.count_ones()).sum::<u32>() < 2 {
            return Some(0.0);
        }
        if let Some(&answer) = self.answers.get(cluster) {
            return answer;
        }
        let answer = if self.known_over(cluster) {
            None
        } else {
            self.asked += 1;
            let runs: Vec<RunId> = bits::members(cluster).map(RunId::from).collect();
            match self.limits.judge(&runs) {
                Judgement::Fits { extra } => Some(extra),
                // Clusters grow, and pass through such ones on the way; no plan ends there.
                Judgement::Unfit => Some(NEVER),
                Judgement::Over { cut } => {
                    let mut set = vec![0; cluster.len()];
                    cut.iter().for_each(|run| bits::set(&mut set, run.index()));
                    self.cuts.push(set);
                    None
                }
            }
        };
        self.plain &= answer == Some(0.0);
        self.answers.insert(cluster.to_vec(), answer);
        answer
    }

    /// Returns the total cost of a cluster; `None` if it does not fit.
    pub fn cost(&mut self, facts: &GraphFacts, cluster: &[u64]) -> Option<f64> {
        Some(self.extra(cluster)? + facts.cost(cluster))
    }
}

fn contains(set: &[u64], part: &[u64]) -> bool {
    set.iter().zip(part).all(|(set, part)| part & !set == 0)
}
