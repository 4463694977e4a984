//! Resource use of a group of combinators, and the bytes that cross its borders.

use super::graph::{Graph, Places};
use crate::limits::Limits;
use nestled_ir::ValueId;
use nestled_ir::verify::Counting;
use std::collections::{HashMap, HashSet};

/// A limit that a group is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Over {
    /// The name of the limit.
    pub name: &'static str,
    /// What the group takes.
    pub takes: u64,
    /// What the limit allows.
    pub limit: u64,
}

/// A growing group: consecutive combinators of an order.
pub struct Load<'a> {
    graph: &'a Graph<'a>,
    places: &'a Places,
    /// The place of the first combinator.
    from: usize,
    /// One past the place of the last combinator.
    to: usize,
    counting: Counting,
    sweeps: usize,
    stages: usize,
    /// Guards that the group reads from outside and has to bind again.
    guards: HashSet<ValueId>,
    /// Inputs: parameters, and values that earlier groups bind.
    inputs: HashSet<ValueId>,
    /// Number of values bound here that leave the group.
    results: usize,
    /// Live ranges of the values bound here that the group itself reads, as places.
    held: HashMap<ValueId, (usize, usize)>,
    private: u64,
    /// Bytes read from outside.
    read: u128,
    /// Bytes written for later groups only.
    written: u128,
}

impl<'a> Load<'a> {
    /// Starts an empty group at a place; the parameters `kept` are inputs in any case.
    pub fn new(graph: &'a Graph<'a>, places: &'a Places, kept: &[ValueId], from: usize) -> Load<'a> {
        Load {
            graph,
            places,
            from,
            to: from,
            counting: Counting::new(graph.kernel),
            sweeps: 0,
            stages: 0,
            guards: HashSet::new(),
            inputs: kept.iter().copied().collect(),
            results: 0,
            held: HashMap::new(),
            private: 0,
            read: 0,
            written: 0,
        }
    }

    /// Adds the next combinator of the order.
    pub fn add(&mut self, step: usize) {
        let (graph, place) = (self.graph, self.to);
        self.to += 1;
        let combinator = &graph.kernel.steps[step];
        self.counting.add(combinator);
        let last = |counts: &[usize]| counts.last().map_or(0, |count| count + 1);
        self.sweeps = self.sweeps.max(last(&self.counting.shape.sweeps));
        self.stages = self.stages.max(last(&self.counting.shape.stages));
        let reads = &graph.reads[step];
        self.private = self.private.saturating_add(reads.private);
        reads.params.iter().for_each(|&param| self.take(param));
        for &value in &combinator.binds {
            let wanted = self.is_wanted(value);
            self.results += graph.n_results(value, wanted);
            if wanted && !graph.leaves[value.index()] {
                self.written += graph.bytes(value);
            }
        }
        let mut bound: Vec<ValueId> = reads.bound().collect();
        bound.sort_unstable();
        bound.dedup();
        for value in bound {
            if !self.binds(value) {
                self.take(value);
                continue;
            }
            let born = graph.binder[value.index()].map_or(place, |binder| self.places.place[binder]);
            self.held.insert(value, (born, place));
            if !self.is_wanted(value) && !graph.leaves[value.index()] {
                self.results -= 1;
                self.written -= graph.bytes(value);
            }
        }
        self.guards.extend(reads.guard.filter(|&guard| !self.binds(guard)));
    }

    fn take(&mut self, value: ValueId) {
        if self.inputs.insert(value) {
            self.read += self.graph.bytes(value);
        }
    }

    /// True if the group binds a value.
    fn binds(&self, value: ValueId) -> bool {
        let binder = self.graph.binder[value.index()];
        binder.is_some_and(|binder| (self.from..self.to).contains(&self.places.place[binder]))
    }

    /// True if a combinator after the group reads a value.
    fn is_wanted(&self, value: ValueId) -> bool {
        self.places.last[value.index()].is_some_and(|last| last >= self.to)
    }

    /// True if the group is within the limits.
    pub fn fits(&self, limits: &Limits) -> bool {
        self.may_fit(limits) && self.inputs.len() + self.results <= limits.arguments
    }

    /// True if the group is within the monotonic limits. (The number of arguments is not monotonic: more combinators may leave fewer results.)
    pub fn may_fit(&self, limits: &Limits) -> bool {
        self.sweeps <= limits.sweeps
            && self.stages <= limits.stages
            && self.to - self.from + self.guards.len() <= limits.combinators
            && self.private <= limits.private
            && (self.held.len() <= limits.values || self.most_held() <= limits.values)
    }

    /// The limits that the group is over.
    pub fn over(&self, limits: &Limits) -> Vec<Over> {
        let count = |count: usize| count as u64;
        let all = [
            ("sweeps", count(self.sweeps), count(limits.sweeps)),
            ("stages", count(self.stages), count(limits.stages)),
            ("combinators", count(self.to - self.from + self.guards.len()), count(limits.combinators)),
            ("arguments", count(self.inputs.len() + self.results), count(limits.arguments)),
            ("values", count(self.most_held()), count(limits.values)),
            ("private", self.private, limits.private),
        ];
        let over = all.into_iter().filter(|(_, takes, limit)| takes > limit);
        over.map(|(name, takes, limit)| Over { name, takes, limit }).collect()
    }

    /// Greatest number of values live at once.
    fn most_held(&self) -> usize {
        let mut changes = vec![0isize; self.to - self.from + 1];
        for &(born, dead) in self.held.values() {
            changes[born - self.from] += 1;
            changes[dead - self.from] -= 1;
        }
        let mut now = 0;
        let held = changes.into_iter().map(|change| {
            now += change;
            now
        });
        held.max().map_or(0, isize::unsigned_abs)
    }

    /// Estimated bytes that the group moves.
    pub fn bytes(&self) -> u128 {
        self.read.saturating_add(self.written)
    }
}
