//! Asking the device, each question once.

use super::facts::Facts;
use crate::fuse::bits;
use crate::fuse::problem::{Judgement, Limits, RunId};
use std::collections::HashMap;

/// What it takes to ask about a cluster: a device may have to put its kernel together.
const STEPS: u64 = 100;

/// The device's answers so far. Only looked up, never walked, so that the order of the table does not matter.
pub struct Judge<'l> {
    limits: &'l dyn Limits,
    answers: HashMap<Vec<u64>, Option<f64>>,
    cuts: Vec<Vec<u64>>,
    /// How often the device was asked.
    pub asked: u64,
    plain: bool,
    /// Only whether clusters fit is of interest: what they cost extra counts as nothing.
    pub for_bound: bool,
}

impl<'l> Judge<'l> {
    /// Nothing asked yet.
    pub fn new(limits: &'l dyn Limits) -> Judge<'l> {
        Judge { limits, answers: HashMap::new(), cuts: Vec::new(), asked: 0, plain: true, for_bound: false }
    }

    /// Whether all clusters that were asked about fit and cost nothing extra. As long as that is so, asking can wait.
    pub fn plain(&self) -> bool {
        self.plain
    }

    /// Whether a cluster is known not to fit, without asking.
    pub fn known_over(&self, cluster: &[u64]) -> bool {
        self.cuts.iter().any(|cut| contains(cluster, cut))
    }

    /// What the questions took, in steps.
    pub fn steps(&self) -> u64 {
        self.asked * STEPS
    }

    /// What a cluster costs extra, or none if it does not fit. A run by itself always fits.
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

    /// What a cluster costs in all.
    pub fn cost(&mut self, facts: &Facts, cluster: &[u64]) -> Option<f64> {
        Some(self.extra(cluster)? + facts.cost(cluster))
    }
}

fn contains(set: &[u64], part: &[u64]) -> bool {
    set.iter().zip(part).all(|(set, part)| part & !set == 0)
}
