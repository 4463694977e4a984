//! Instances of the fusion problem: from the graph of a region to the solvers' problem and the limits of the device.

use super::bits::{self, Table};
use super::cost::{self, Sizes};
use super::graph::Graph;
use super::merge::Merging;
use super::outline::{Estimate, Outline, estimate};
use super::problem::{Array, Edge, Judgement, Limits, Obstacle, Problem, Run, RunId};
use super::work::work;
use crate::pass::PassOptions;
use crate::time::Rates;
use nestled_ir::verify::kernel_shape;
use nestled_ir::{Axis, HostAtom, HostOp, Kernel, ValueId};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the fusion problem of a region, and for each of its arrays the value. `is_used_outside` says whether other regions need a value.
pub fn problem(
    graph: &Graph<'_>,
    sizes: &Sizes<'_>,
    is_used_outside: &dyn Fn(ValueId) -> bool,
    rates: &Rates,
) -> (Problem, Vec<ValueId>) {
    let mut arrays: BTreeMap<ValueId, Array> = BTreeMap::new();
    for (run, node) in graph.runs.iter().enumerate() {
        let args = node.args.iter().filter_map(|arg| match arg {
            HostAtom::Value(value) => Some(*value),
            HostAtom::Const(_) => None,
        });
        let shapes = node.shapes.iter().filter_map(|axis| match axis {
            Axis::Sym(symbol) => Some(*symbol),
            Axis::Const(_) => None,
        });
        for value in args.chain(shapes).collect::<BTreeSet<_>>() {
            array(&mut arrays, graph, sizes, is_used_outside, value).readers.push(RunId::from(run));
        }
        for &bind in node.binds {
            array(&mut arrays, graph, sizes, is_used_outside, bind);
        }
    }
    for (at, stmt) in graph.stmts.iter().enumerate() {
        if graph.run_at[at].is_none() && !matches!(stmt.op, HostOp::Scalar { .. }) {
            stmt.op.for_each_use(&mut |value| {
                if let Some(array) = arrays.get_mut(&value) {
                    array.wanted = true;
                }
            });
        }
    }
    let edges = graph.flows.iter().map(|flow| Edge {
        from: RunId::from(flow.from),
        to: RunId::from(flow.to),
        fusable: flow.verdict.is_ok(),
    });
    arrays.retain(|_, array| array.bytes > 0.0);
    let values = arrays.keys().copied().collect();
    let problem = Problem {
        runs: (0..graph.runs.len())
            .map(|run| Run { launch: rates.launch_bytes(), work: work(graph, sizes, rates, run) })
            .collect(),
        arrays: arrays.into_values().collect(),
        edges: edges.collect(),
        apart: graph
            .apart
            .iter()
            .map(|apart| (RunId::from(apart.first), RunId::from(apart.second)))
            .collect(),
        overlap: rates.overlap,
    };
    (problem, values)
}

fn array<'m>(
    arrays: &'m mut BTreeMap<ValueId, Array>,
    graph: &Graph<'_>,
    sizes: &Sizes<'_>,
    is_used_outside: &dyn Fn(ValueId) -> bool,
    value: ValueId,
) -> &'m mut Array {
    arrays.entry(value).or_insert_with(|| Array {
        bytes: sizes.bytes(value),
        producer: graph.bound.get(&value).and_then(|&at| graph.run_at[at]).map(RunId::from),
        readers: Vec::new(),
        wanted: is_used_outside(value),
    })
}

/// The limits of a device for clusters of a region.
#[derive(Debug)]
pub struct DeviceLimits<'a> {
    graph: &'a Graph<'a>,
    outlines: Vec<Outline>,
    /// What each run takes as a kernel of its own.
    alone: Vec<Estimate>,
    /// For each run: the later runs that go over points that it keeps or moves.
    over_kept: Table,
    /// A launch, in bytes.
    launch: f64,
    limits: crate::limits::Limits,
}

impl<'a> DeviceLimits<'a> {
    /// Makes the limits of a device for a region.
    pub fn new(graph: &'a Graph<'a>, sizes: &Sizes<'_>, options: &PassOptions) -> DeviceLimits<'a> {
        let outlines: Vec<Outline> =
            (0..graph.runs.len()).map(|run| Outline::of(graph, sizes, run)).collect();
        let alone = outlines.iter().map(|outline| estimate(&[(0, outline)])).collect();
        DeviceLimits {
            graph,
            over_kept: over_kept(&outlines),
            outlines,
            alone,
            launch: options.rates.launch_bytes(),
            limits: options.limits,
        }
    }

    /// Estimates the resources of a fused kernel; `None` if the runs cannot be one kernel. Where a member runs over points that another one filters or moves, the kernel is merged
    /// to find its sweeps and stages.
    fn estimate(&self, members: &[usize]) -> Option<Estimate> {
        let outlines: Vec<(usize, &Outline)> =
            members.iter().map(|&member| (member, &self.outlines[member])).collect();
        let mut one = estimate(&outlines);
        if self.is_kept(members) {
            let merging = Merging::new(self.graph, members);
            let shape = kernel_shape(self.graph.program, merging.kernel());
            (one.sweeps, one.stages) = (shape.n_sweeps(), shape.n_stages());
            return merging.fits().then_some(one);
        }
        self.graph.share_a_space(members).then_some(one)
    }

    /// The limit that runs are over in a way that no further run in their kernel could change.
    fn over(&self, members: &[usize], one: &Estimate) -> Option<Obstacle> {
        let n_results: usize = members.iter().map(|&run| self.graph.runs[run].binds.len()).sum();
        let limits = &self.limits;
        let all = [
            ("combinators", one.combinators, limits.combinators),
            ("sweeps", one.sweeps, limits.sweeps),
            ("stages", one.stages, limits.stages),
            ("values", n_results, limits.values),
        ];
        all.into_iter().find_map(|(name, takes, limit)| over(name, takes, limit))
    }

    /// Shrinks a cluster over a limit to a minimal one that is still over it. The smaller the conflict, the more other clusters it rules out without asking.
    fn conflict(&self, mut members: Vec<usize>) -> Vec<RunId> {
        for at in (0..members.len()).rev() {
            let mut fewer = members.clone();
            fewer.remove(at);
            let is_plain = fewer.len() > 1 && !self.is_kept(&fewer);
            if is_plain && self.estimate(&fewer).is_some_and(|one| self.over(&fewer, &one).is_some()) {
                members = fewer;
            }
        }
        members.into_iter().map(RunId::from).collect()
    }

    fn is_kept(&self, members: &[usize]) -> bool {
        let mut set = vec![0; bits::words(self.outlines.len())];
        members.iter().for_each(|&member| bits::set(&mut set, member));
        members.iter().any(|&member| bits::meets(self.over_kept.row(member), &set))
    }

    /// True if a merged kernel has as many sweeps and stages as estimated.
    pub fn agrees(&self, members: &[usize], kernel: &Kernel) -> bool {
        let shape = kernel_shape(self.graph.program, kernel);
        let one = self.estimate(members);
        one.is_some_and(|one| (one.sweeps, one.stages) == (shape.n_sweeps().max(1), shape.n_stages().max(1)))
    }
}

impl Limits for DeviceLimits<'_> {
    fn judge(&self, cluster: &[RunId]) -> Judgement {
        let members: Vec<usize> = cluster.iter().map(|run| run.index()).collect();
        let Some(one) = self.estimate(&members) else {
            // Not for ever: with the filter that keeps their points, runs over different spaces may fit.
            return Judgement::Unfit;
        };
        if self.over(&members, &one).is_some() {
            return Judgement::Over { cut: self.conflict(members) };
        }
        if one.args > self.limits.arguments {
            // Not for ever either: what another run makes is no argument.
            return Judgement::Unfit;
        }
        let (mut rounds, mut stages, mut again) = (1, 1, 0.0);
        for alone in members.iter().map(|&member| &self.alone[member]) {
            rounds = rounds.max(alone.rounds);
            stages = stages.max(alone.stages);
            again += alone.again;
        }
        let again = (one.again - again).max(0.0);
        let extra = if one.sweeps_the_whole {
            let more = one.rounds.saturating_sub(rounds) as f64;
            again * cost::WHOLE_ROUND + more * 2.0 * self.launch
        } else {
            again * cost::ROW_ROUND
        };
        let more_stages = one.stages.saturating_sub(stages) as f64;
        Judgement::Fits { extra: extra + more_stages * one.bytes * cost::STAGE }
    }

    fn obstacle(&self, cluster: &[RunId]) -> Option<Obstacle> {
        let members: Vec<usize> = cluster.iter().map(|run| run.index()).collect();
        let Some(one) = self.estimate(&members) else { return Some(Obstacle::Space) };
        self.over(&members, &one).or_else(|| over("arguments", one.args, self.limits.arguments))
    }

    fn again(&self, cluster: &[RunId]) -> f64 {
        let members: Vec<usize> = cluster.iter().map(|run| run.index()).collect();
        self.estimate(&members).map_or(0.0, |one| one.again)
    }
}

/// For each run: the later runs that go over points that it keeps or moves.
fn over_kept(outlines: &[Outline]) -> Table {
    let mut table = Table::new(outlines.len());
    for (run, outline) in outlines.iter().enumerate() {
        let later = outlines.iter().enumerate().skip(run + 1);
        later.filter(|(_, other)| other.runs_over(outline)).for_each(|(other, _)| table.set(run, other));
    }
    table
}

fn over(name: &'static str, takes: usize, limit: usize) -> Option<Obstacle> {
    (takes > limit).then_some(Obstacle::Limit { name, takes, limit })
}
