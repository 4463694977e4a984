//! Relations between runs, from the definitions: paths, and pairs that no cluster can hold. Shares no code with the solvers that it judges.

use crate::fuse::check::beyond_unfusable;
use crate::fuse::problem::{Problem, RunId};
use std::collections::BTreeSet;

/// The relations between the runs of a problem.
#[derive(Clone, Debug)]
pub struct Relations {
    /// For each run: the runs that depend on it directly.
    pub next: Vec<BTreeSet<usize>>,
    /// For each run: the runs that depend on it, directly or not.
    pub after: Vec<BTreeSet<usize>>,
    apart: BTreeSet<(usize, usize)>,
}

impl Relations {
    /// Collects the relations of a problem.
    pub fn new(problem: &Problem) -> Relations {
        let len = problem.runs.len();
        let mut next = vec![BTreeSet::new(); len];
        for edge in problem.dependences() {
            next[edge.from.index()].insert(edge.to.index());
        }
        let mut after: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); len];
        for run in (0..len).rev() {
            let beyond = next[run].iter().flat_map(|&to| after[to].iter().copied().chain([to]));
            after[run] = beyond.collect();
        }
        let mut relations = Relations { next, after, apart: BTreeSet::new() };
        for &(a, b) in &problem.apart {
            relations.separate(a.index(), b.index());
        }
        for run in problem.run_ids() {
            for other in beyond_unfusable(problem, run) {
                relations.separate(run.index(), other.index());
            }
        }
        relations.close();
        relations
    }

    fn separate(&mut self, a: usize, b: usize) {
        self.apart.insert((a.min(b), a.max(b)));
    }

    /// Two runs need all runs between them in their cluster: if one of those cannot be there, the two are apart.
    fn close(&mut self) {
        for to in 0..self.next.len() {
            // Inner pairs come before outer ones.
            for from in (0..to).rev().filter(|&from| self.after[from].contains(&to)).collect::<Vec<_>>() {
                let mut between = (from + 1..to).filter(|&run| self.is_between(from, run, to));
                if between.any(|run| !self.fit(from, run) || !self.fit(run, to)) {
                    self.separate(from, to);
                }
            }
        }
    }

    fn is_between(&self, from: usize, run: usize, to: usize) -> bool {
        self.after[from].contains(&run) && self.after[run].contains(&to)
    }

    fn fit(&self, a: usize, b: usize) -> bool {
        !self.apart.contains(&(a.min(b), a.max(b)))
    }

    /// True if two runs may be in one cluster, as far as the problem itself says.
    pub fn may_share(&self, a: RunId, b: RunId) -> bool {
        self.fit(a.index(), b.index())
    }

    /// All pairs that are apart, the earlier run first.
    pub fn apart(&self) -> impl Iterator<Item = (RunId, RunId)> + '_ {
        self.apart.iter().map(|&(a, b)| (RunId::from(a), RunId::from(b)))
    }
}
