//! From the graph of a region to the question that solvers answer, and what a device takes.

use super::cost::{self, Sizes};
use super::graph::Graph;
use super::merge::Merging;
use super::problem::{Array, Edge, Judgement, Limits, Problem, Run, RunId};
use crate::operands;
use nestled_ir::verify::kernel_shape;
use nestled_ir::{Axis, HostAtom, HostOp, StmtKind, ValueId};
use std::collections::{BTreeMap, BTreeSet};

/// The question for a region, and which value each of its arrays is. `is_used_outside` says whether other regions need a value.
pub fn problem(
    graph: &Graph<'_>,
    sizes: &Sizes<'_>,
    is_used_outside: &dyn Fn(ValueId) -> bool,
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
            operands::uses(&stmt.op, &mut |value| {
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
        runs: vec![Run { launch: cost::LAUNCH }; graph.runs.len()],
        arrays: arrays.into_values().collect(),
        edges: edges.collect(),
        apart: graph
            .apart
            .iter()
            .map(|apart| (RunId::from(apart.first), RunId::from(apart.second)))
            .collect(),
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

/// What a device takes, asked for clusters of a region.
#[derive(Debug)]
pub struct DeviceLimits<'a> {
    /// The region.
    pub graph: &'a Graph<'a>,
    /// The sizes of its arrays.
    pub sizes: &'a Sizes<'a>,
    /// The limits.
    pub limits: crate::limits::Limits,
}

impl Limits for DeviceLimits<'_> {
    fn judge(&self, cluster: &[RunId]) -> Judgement {
        let over = Judgement::Over { cut: cluster.to_vec() };
        let members: Vec<usize> = cluster.iter().map(|run| run.index()).collect();
        let n_steps: usize = members.iter().map(|&run| self.graph.runs[run].kernel.steps.len()).sum();
        if n_steps > self.limits.combinators {
            return over;
        }
        let merging = Merging::new(self.graph, &members);
        if !merging.fits() {
            // Not for ever: with the filter that keeps their points, runs over different spaces may fit.
            return Judgement::Fits { extra: cost::NEVER };
        }
        let n_binds: usize = members.iter().map(|&run| self.graph.runs[run].binds.len()).sum();
        if merging.args().len() > self.limits.arguments || n_binds > self.limits.values {
            return over;
        }
        let kernel = merging.kernel();
        let shape = kernel_shape(self.graph.program, kernel);
        if shape.n_sweeps() > self.limits.sweeps || shape.n_stages() > self.limits.stages {
            return over;
        }
        let alone = members.iter().map(|&run| {
            let shape = kernel_shape(self.graph.program, self.graph.runs[run].kernel);
            (shape.n_sweeps(), shape.n_stages())
        });
        let (sweeps, stages) = alone.fold((1, 1), |most, one| (most.0.max(one.0), most.1.max(one.1)));
        let read: f64 = merging
            .args()
            .iter()
            .map(|arg| match arg {
                HostAtom::Value(value) => self.sizes.bytes(*value),
                HostAtom::Const(_) => 0.0,
            })
            .sum();
        let more_sweeps = shape.n_sweeps().saturating_sub(sweeps) as f64;
        let more_stages = shape.n_stages().saturating_sub(stages) as f64;
        let sweep = if sweeps_the_whole(kernel, &shape) {
            read * cost::WHOLE_SWEEP + 2.0 * cost::LAUNCH
        } else {
            read * cost::ROW_SWEEP
        };
        Judgement::Fits { extra: more_sweeps * sweep + more_stages * read * cost::STAGE }
    }
}

/// Whether a sweep begins because something needs a value of the whole.
fn sweeps_the_whole(kernel: &nestled_ir::Kernel, shape: &nestled_ir::verify::KernelShape) -> bool {
    let mut of_whole = BTreeMap::new();
    for (position, step) in kernel.steps.iter().enumerate() {
        let mut found = false;
        step.body.body.walk(&mut |stmt| {
            if let StmtKind::Own { bind, .. } = &stmt.kind
                && let Some(&sweep) = of_whole.get(bind)
            {
                found |= shape.sweeps[position] > sweep;
            }
        });
        if found {
            return true;
        }
        for &bind in &step.binds {
            if kernel.values[bind.index()].ty.as_scalar().is_some() {
                of_whole.insert(bind, shape.sweeps[position]);
            }
        }
    }
    false
}
