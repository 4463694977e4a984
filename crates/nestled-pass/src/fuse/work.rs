//! Work beside memory: the part of a kernel's computation that moving its data does not hide.
//!
//! A processor computes while memory moves, so that a kernel takes the greater of both and a part of the lesser. Fusing runs that compute longer than they move data therefore saves
//! less than their bytes. Reads at any place fill what a processor looks ahead, so that what is computed from them no longer overlaps with the next of them: a kernel with both takes
//! a quarter of the lesser of them more. All times are in bytes moved at the rate of the largest size.

use super::bits;
use super::cost::Sizes;
use super::graph::{Graph, RunNode};
use super::problem::{Array, Problem, RunId};
use crate::time::{Features, Rates, features};
use nestled_ir::ValueId;
use std::collections::{BTreeSet, HashMap};

/// The work of the runs of a region.
#[derive(Debug)]
pub struct RunWork {
    arrays: Vec<Array>,
    runs: Vec<OneRun>,
    /// Unhidden work of each run as a kernel of its own.
    alone: Vec<f64>,
    rates: Rates,
}

/// The work of a run as a kernel of its own, and the arrays that it makes or reads.
#[derive(Debug)]
struct OneRun {
    work: f64,
    /// The least time of reads at any place: what their instructions take where everything is near.
    gathers: f64,
    /// The same of writes that combine.
    combines: f64,
    arrays: Vec<usize>,
}

impl RunWork {
    /// Computes the work of each run.
    pub fn new(graph: &Graph<'_>, sizes: &Sizes<'_>, problem: &Problem, rates: &Rates) -> RunWork {
        let byte = rates.byte();
        let mut runs: Vec<OneRun> = graph
            .runs
            .iter()
            .map(|node| {
                let features = Features::of(graph.program, node.kernel, &RunSizes::new(node, sizes));
                OneRun {
                    work: rates.work(&features) / byte,
                    gathers: rates.gather_issue(&features) / byte,
                    combines: rates.combine_issue(&features) / byte,
                    arrays: Vec::new(),
                }
            })
            .collect();
        for (at, array) in problem.arrays.iter().enumerate() {
            for run in array.producer.iter().chain(&array.readers).copied().collect::<BTreeSet<_>>() {
                runs[run.index()].arrays.push(at);
            }
        }
        let mut work = RunWork { arrays: problem.arrays.clone(), runs, alone: Vec::new(), rates: *rates };
        work.alone = (0..graph.runs.len()).map(|run| work.unhidden(&[RunId::from(run)])).collect();
        work
    }

    /// Returns the unhidden work of one kernel of these runs, above that of kernels of their own.
    pub fn extra(&self, members: &[RunId]) -> f64 {
        let alone: f64 = members.iter().map(|run| self.alone[run.index()]).sum();
        (self.unhidden(members) - alone).max(0.0)
    }

    fn unhidden(&self, members: &[RunId]) -> f64 {
        let sum = |part: fn(&OneRun) -> f64| -> f64 {
            members.iter().map(|run| part(&self.runs[run.index()])).sum()
        };
        let (work, gathers, combines) =
            (sum(|run| run.work), sum(|run| run.gathers), sum(|run| run.combines));
        let memory = self.bytes(members);
        let unhidden = if memory >= work {
            self.rates.overlap * work
        } else {
            work - (1.0 - self.rates.overlap) * memory
        };
        unhidden + self.rates.stalls(work, gathers, combines)
    }

    /// Bytes that a kernel of these runs moves.
    fn bytes(&self, members: &[RunId]) -> f64 {
        let mut set = vec![0; bits::words(self.runs.len())];
        members.iter().for_each(|run| bits::set(&mut set, run.index()));
        let is_member = |run: &RunId| bits::has(&set, run.index());
        let moved = |&at: &usize| {
            let array = &self.arrays[at];
            let is_made = array.producer.as_ref().is_some_and(is_member);
            let is_moved = !is_made || array.wanted || !array.readers.iter().all(is_member);
            if is_moved { array.bytes } else { 0.0 }
        };
        let mut arrays: Vec<usize> =
            members.iter().flat_map(|run| &self.runs[run.index()].arrays).copied().collect();
        arrays.sort_unstable();
        arrays.dedup();
        arrays.iter().map(moved).sum()
    }
}

/// The estimated sizes of a run, by the symbols of its kernel.
struct RunSizes {
    extents: HashMap<ValueId, f64>,
}

impl RunSizes {
    fn new(node: &RunNode<'_>, sizes: &Sizes<'_>) -> RunSizes {
        let shapes = node
            .kernel
            .shapes
            .iter()
            .zip(node.shapes)
            .map(|(&symbol, &axis)| (symbol, sizes.points(&[axis])));
        let kept =
            node.kernel.ret.iter().zip(node.binds).filter_map(|(&ret, &bind)| Some((ret, sizes.kept(bind)?)));
        RunSizes { extents: shapes.chain(kept).collect() }
    }
}

impl features::Sizes for RunSizes {
    fn extent(&self, symbol: ValueId) -> f64 {
        self.extents.get(&symbol).copied().unwrap_or(1.0)
    }

    fn scalar(&self, param: ValueId) -> Option<f64> {
        self.extents.get(&param).copied()
    }
}
