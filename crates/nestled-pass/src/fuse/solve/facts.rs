//! Facts about a fusion problem for all solvers, computed once: reachability, pairs apart, arrays.

use crate::fuse::bits::{self, Table};
use crate::fuse::problem::{Problem, unhidden};

/// A problem with transitive dependences.
pub struct GraphFacts {
    /// The number of runs.
    pub len: usize,
    /// The number of words in a set of runs.
    pub words: usize,
    /// For each run: its successors, the runs that need it, directly or not.
    pub after: Table,
    /// For each run: its predecessors, the runs that it needs, directly or not.
    pub before: Table,
    /// For each run: the runs that can never be in its cluster.
    pub apart: Table,
    /// For each run: the runs that make or read an array that it makes or reads; it may be among them.
    pub sharing: Table,
    /// All arrays.
    pub arrays: Vec<ArrayFacts>,
    /// For each run: the arrays that it makes or reads.
    pub touches: Vec<Vec<u32>>,
    /// For each run: the cost of its launch.
    pub launch: Vec<f64>,
    /// For each run: its work.
    pub work: Vec<f64>,
    /// The part of the lesser of memory and work that the greater does not hide.
    pub overlap: f64,
}

/// An array, with its readers as a bit set.
pub struct ArrayFacts {
    pub bytes: f64,
    pub producer: Option<usize>,
    pub readers: Vec<u64>,
    pub wanted: bool,
}

impl GraphFacts {
    /// Computes the facts of a problem.
    pub fn new(problem: &Problem) -> GraphFacts {
        let len = problem.runs.len();
        let words = bits::words(len);
        let mut facts = GraphFacts {
            len,
            words,
            after: Table::new(len),
            before: Table::new(len),
            apart: Table::new(len),
            sharing: Table::new(len),
            arrays: Vec::new(),
            touches: vec![Vec::new(); len],
            launch: problem.runs.iter().map(|run| run.launch).collect(),
            work: problem.runs.iter().map(|run| run.work).collect(),
            overlap: problem.overlap,
        };
        facts.paths(problem);
        for &(a, b) in &problem.apart {
            facts.apart.set_both(a.index(), b.index());
        }
        facts.close();
        for array in &problem.arrays {
            let mut readers = vec![0; words];
            array.readers.iter().for_each(|run| bits::set(&mut readers, run.index()));
            let id = facts.arrays.len() as u32;
            for run in array.readers.iter().chain(&array.producer) {
                facts.touches[run.index()].push(id);
                bits::join(facts.sharing.row_mut(run.index()), &readers);
                array.producer.iter().for_each(|producer| facts.sharing.set(run.index(), producer.index()));
            }
            let producer = array.producer.map(|run| run.index());
            facts.arrays.push(ArrayFacts { bytes: array.bytes, producer, readers, wanted: array.wanted });
        }
        facts
    }

    /// Computes `after` and `before` by transitive closure, and enters into `apart` the pairs that unfusable edges separate.
    fn paths(&mut self, problem: &Problem) {
        let mut edges: Vec<_> = problem.dependences().collect();
        // From the last run up, so that what follows the end of an edge is known.
        edges.sort_by_key(|edge| std::cmp::Reverse((edge.from, edge.to)));
        let mut beyond = Table::new(self.len);
        for edge in edges {
            let (from, to) = (edge.from.index(), edge.to.index());
            self.after.set(from, to);
            self.after.join_row(from, to);
            beyond.join_row(from, to);
            if !edge.fusable {
                bits::set(beyond.row_mut(from), to);
                bits::join(beyond.row_mut(from), self.after.row(to));
            }
        }
        for run in 0..self.len {
            bits::members(self.after.row(run)).for_each(|later| self.before.set(later, run));
            bits::members(beyond.row(run)).for_each(|later| self.apart.set_both(run, later));
        }
    }

    /// Propagates `apart`: runs on a path between two must be in their cluster; if one cannot, the two are apart.
    pub fn close(&mut self) {
        for to in 0..self.len {
            // Inner pairs come before outer ones.
            for from in (0..to).rev() {
                if self.after.has(from, to) && !self.apart.has(from, to) {
                    let rows = self.after.row(from).iter().zip(self.before.row(to));
                    let ends = self.apart.row(from).iter().zip(self.apart.row(to));
                    if rows.zip(ends).any(|((after, before), (a, b))| after & before & (a | b) != 0) {
                        self.apart.set_both(from, to);
                    }
                }
            }
        }
    }

    /// The set of one run.
    pub fn only(&self, run: usize) -> Vec<u64> {
        let mut set = vec![0; self.words];
        bits::set(&mut set, run);
        set
    }

    /// The runs that make or read an array.
    pub fn touching(&self, array: u32) -> impl Iterator<Item = usize> + '_ {
        let array = &self.arrays[array as usize];
        bits::members(&array.readers).chain(array.producer)
    }

    /// The launch cost of a cluster: the greatest of its members.
    pub fn launch_of(&self, cluster: &[u64]) -> f64 {
        bits::members(cluster).map(|run| self.launch[run]).fold(0.0, f64::max)
    }

    /// True if the cost can depend on whether two runs share a cluster.
    pub fn linked(&self, a: usize, b: usize) -> bool {
        !self.apart.has(a, b)
            && (self.sharing.has(a, b)
                || self.after.has(a, b)
                || self.before.has(a, b)
                || self.launch[a].min(self.launch[b]) > 0.0
                || self.overlap < 1.0 && self.work[a].max(self.work[b]) > 0.0)
    }

    /// The cost of a cluster, without the device's extra cost.
    pub fn cost(&self, cluster: &[u64]) -> f64 {
        let (bytes, work) = self.bytes_and_work(cluster);
        self.launch_of(cluster) + bytes + self.unhidden(work, bytes)
    }

    /// The work of a cluster that moves so many bytes, as far as they do not hide it.
    pub fn unhidden(&self, work: f64, bytes: f64) -> f64 {
        unhidden(self.overlap, work, bytes)
    }

    /// The bytes that a cluster moves, and its work.
    pub fn bytes_and_work(&self, cluster: &[u64]) -> (f64, f64) {
        let (mut bytes, mut work) = (0.0, 0.0);
        for run in bits::members(cluster) {
            work += self.work[run];
            for &id in &self.touches[run] {
                let array = &self.arrays[id as usize];
                if array.producer == Some(run) {
                    let outside =
                        array.readers.iter().zip(cluster).any(|(readers, inside)| readers & !inside != 0);
                    bytes += if array.wanted || outside { array.bytes } else { 0.0 };
                } else if !array.producer.is_some_and(|producer| bits::has(cluster, producer))
                    && first_common(&array.readers, cluster) == Some(run)
                {
                    bytes += array.bytes;
                }
            }
        }
        (bytes, work)
    }
}

/// The first member of both sets.
fn first_common(a: &[u64], b: &[u64]) -> Option<usize> {
    let (at, both) = a.iter().zip(b).map(|(a, b)| a & b).enumerate().find(|(_, both)| *both != 0)?;
    Some(at * u64::BITS as usize + both.trailing_zeros() as usize)
}
