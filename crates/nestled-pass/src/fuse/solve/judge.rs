//! Asking the device, each question once.

use super::facts::Facts;
use crate::fuse::bits;
use crate::fuse::problem::{Judgement, Limits, RunId};
use std::collections::HashMap;

/// The device's answers so far. Only looked up, never walked, so that the order of the table does not matter.
pub struct Judge<'l> {
    limits: &'l dyn Limits,
    answers: HashMap<Vec<u64>, Option<f64>>,
    cuts: Vec<Vec<u64>>,
    /// How often the device was asked.
    pub asked: u64,
    /// Only whether clusters fit is of interest: what they cost extra counts as nothing.
    pub for_bound: bool,
}

impl<'l> Judge<'l> {
    /// Nothing asked yet.
    pub fn new(limits: &'l dyn Limits) -> Judge<'l> {
        Judge { limits, answers: HashMap::new(), cuts: Vec::new(), asked: 0, for_bound: false }
    }

    /// Whether something did not fit so far.
    pub fn limited(&self) -> bool {
        !self.cuts.is_empty()
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
        let answer = if self.cuts.iter().any(|cut| contains(cluster, cut)) {
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
