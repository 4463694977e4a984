//! Branch and bound: finds the best plan of a piece, or a lower bound for it.
//!
//! A node of the search tree has groups that stay together and pairs that stay apart; [`Groups`] propagates the consequences of both. The search branches on a pair that arrays
//! compete for.

use super::Work;
use super::bound::{Look, look};
use super::judge::LimitsMemo;
use super::piece::{Groups, MOST, Piece, each};

/// The result of the search.
pub struct Found {
    /// The clusters, as sets of nodes; `None` if nothing cheaper than the known plan was found.
    pub clusters: Option<Vec<u64>>,
    /// The cost of these clusters, or else of the known plan.
    pub cost: f64,
    /// The lower bound: no plan costs less.
    pub bound: f64,
    /// The work that the search took.
    pub work: Work,
}

struct Search<'s, 'l> {
    piece: &'s Piece,
    judge: &'s mut LimitsMemo<'l>,
    most: u64,
    found: Found,
}

/// Searches for a plan that costs less than `known`, in at most `most` steps.
pub fn search(piece: &Piece, judge: &mut LimitsMemo, known: f64, most: u64) -> Found {
    let found = Found { clusters: None, cost: known, bound: f64::INFINITY, work: Work::default() };
    let most = most.saturating_add(judge.steps());
    let mut search = Search { piece, judge, most, found };
    search.below(piece.start.clone(), 0.0);
    search.found.bound = search.found.bound.min(search.found.cost);
    search.found
}

impl Search<'_, '_> {
    /// Searches the subtree of all plans that agree with these groups. They cost at least `floor`.
    fn below(&mut self, mut groups: Groups, mut floor: f64) {
        loop {
            if self.found.work.steps + self.judge.steps() >= self.most {
                self.found.bound = self.found.bound.min(floor);
                return;
            }
            self.found.work.nodes += 1;
            // A node is dearer than a step of annealing by about this.
            self.found.work.steps += 3 * u64::from(groups.live.count_ones());
            let look = self.look(&groups);
            floor = floor.max(look.bound + self.final_extra(&groups));
            let fits = self.keep(&groups, &look);
            if !fits || !cheaper(floor, self.found.cost) {
                return;
            }
            let Some((a, b)) = look.pair.or_else(|| self.any_pair(&groups)) else { return };
            let mut together = groups.clone();
            if together.unite(a, b) {
                let home = usize::from(together.group[a]);
                if self.judge.plain() || self.extra(together.nodes[home]).is_some() {
                    together.close();
                    self.below(together, floor);
                }
            }
            groups.separate(a, b);
            groups.close();
        }
    }

    fn look(&mut self, groups: &Groups) -> Look {
        let mut fits = |nodes| self.judge.plain() || !self.judge.known_over(&self.piece.runs(nodes));
        look(self.piece, groups, self.found.cost, &mut fits)
    }

    fn extra(&mut self, nodes: u64) -> Option<f64> {
        let lone = nodes & (nodes - 1) == 0 && self.piece.lone & nodes != 0;
        if lone { Some(0.0) } else { self.judge.extra(&self.piece.runs(nodes)) }
    }

    /// The device's extra cost of groups that no other group can join any more.
    fn final_extra(&mut self, groups: &Groups) -> f64 {
        if self.judge.plain() {
            return 0.0;
        }
        let closed = |&group: &usize| groups.live & !groups.apart[group] & !(1 << group) == 0;
        each(groups.live).filter(closed).map(|group| self.extra(groups.nodes[group]).unwrap_or(0.0)).sum()
    }

    /// Records the groups as a plan, if it is the best so far; returns whether they can be a plan.
    fn keep(&mut self, groups: &Groups, look: &Look) -> bool {
        if !cheaper(look.cost, self.found.cost) {
            return true;
        }
        let mut cost = look.cost;
        for group in each(groups.live) {
            let Some(extra) = self.extra(groups.nodes[group]) else { return false };
            cost += extra;
        }
        if cheaper(cost, self.found.cost) {
            self.found.cost = cost;
            self.found.clusters = Some(each(groups.live).map(|group| groups.nodes[group]).collect());
        }
        true
    }

    /// Returns the pair with the greatest saving, for branching where no array claims anything.
    fn any_pair(&mut self, groups: &Groups) -> Option<(usize, usize)> {
        let mut best = None;
        let mut most = -1.0;
        let mut costs = [0.0; MOST];
        let mut has_extra = 0;
        for group in each(groups.live) {
            costs[group] = self.piece.cost(groups.nodes[group]);
            if !self.judge.plain() {
                has_extra |= u64::from(self.extra(groups.nodes[group]) != Some(0.0)) << group;
            }
        }
        for a in each(groups.live) {
            let open = groups.live & !groups.apart[a] & (u64::MAX << a << 1);
            for b in each(open) {
                self.found.work.steps += 1;
                let saving = costs[a] + costs[b] - self.piece.cost(groups.nodes[a] | groups.nodes[b]);
                let matters = saving > 0.0 || has_extra & (1 << a | 1 << b) != 0;
                if matters && saving > most {
                    (most, best) = (saving, Some((a, b)));
                }
            }
        }
        best
    }
}

/// True if cost `a` is less than cost `b` by more than rounding.
pub fn cheaper(a: f64, b: f64) -> bool {
    a + a.abs() * 1e-12 < b
}
