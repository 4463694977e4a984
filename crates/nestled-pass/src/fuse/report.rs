//! Fusion reports, for users: the decisions of fusion, and their reasons.

use super::check::check;
use super::declined::Declined;
use super::graph::Graph;
use super::plan::FusionPlan;
use super::problem::{Limits, Problem, RunId};
use super::reason::Reason;
use super::solve::{BottomUp, Effort, Search, Solution, Solver, TopDown};
use crate::report_names::{ReportNames, ReportValue};
use crate::time::Rates;
use nestled_ir::{Name, Span, ValueId};
use std::time::Duration;

/// The report on a region with two runs or more: what could be fused, what was fused, and the estimated costs.
#[derive(Clone, Debug)]
pub struct RegionReport {
    /// The function around it.
    pub function: Name,
    /// Its first run.
    pub span: Span,
    /// The runs, numbered as in the problem and the plans.
    pub runs: Vec<RunReport>,
    /// The data flow between runs, in order of the readers.
    pub flows: Vec<FlowReport>,
    /// Pairs that can never be one kernel, whatever flows between them: earlier run, later run, reason.
    pub apart: Vec<(usize, usize, Reason)>,
    /// The arrays of the problem.
    pub arrays: Vec<ReportValue>,
    /// The problem that was solved, with the estimated sizes.
    pub problem: Problem,
    /// The plan, its cost, the bound, and the effort.
    pub solution: Solution,
    /// Time that the solver took.
    pub time: Duration,
    /// Nanoseconds of a unit of cost, which is a byte of the largest arrays.
    pub nanoseconds: f64,
    /// The kernels of the plan, in its order.
    pub kernels: Vec<KernelReport>,
    /// Cost of the program without fusion.
    pub unfused: f64,
    /// Bytes that the kernels of the program without fusion move again in later rounds.
    pub unfused_again: f64,
    /// The plans of other solvers for the same problem, with their costs: greedy top-down, greedy bottom-up; where an integer program was solved, the default search.
    pub others: Vec<(&'static str, FusionPlan, f64)>,
    /// For pairs with a fusable flow that the plan keeps apart: the reason.
    pub declined: Vec<(usize, usize, Declined)>,
    /// Whether the whole plan was carried out. (Not so where merging a cluster fails, or the statements would have a dependence cycle.)
    pub applied: bool,
}

/// A kernel of a plan.
#[derive(Clone, Copy, Debug)]
pub struct KernelReport {
    /// Its cost: a part of that of the plan.
    pub cost: f64,
    /// Bytes that it moves again in later rounds: through scratch memory, and of arrays that several rounds read.
    pub again: f64,
}

/// A run of a region.
#[derive(Clone, Debug)]
pub struct RunReport {
    /// The kernel.
    pub kernel: Name,
    /// Its space, in values of host code.
    pub space: Vec<ReportValue>,
    /// Its place in the source.
    pub span: Span,
}

/// A value that one run makes and another uses.
#[derive(Clone, Debug)]
pub struct FlowReport {
    /// The producing run.
    pub from: usize,
    /// The consuming run.
    pub to: usize,
    /// The value.
    pub value: ReportValue,
    /// The array of the problem that it is; scalars and shapes are none.
    pub array: Option<usize>,
    /// The reason why it must go through memory, if it must.
    pub verdict: Result<(), Reason>,
}

impl RegionReport {
    /// Makes the report on a region.
    pub(super) fn new(
        graph: &Graph<'_>,
        problem: Problem,
        arrays: &[ValueId],
        (limits, rates): (&dyn Limits, &Rates),
        solution: Solution,
        time: Duration,
        applied: bool,
    ) -> RegionReport {
        let names = ReportNames::new(graph.program, graph.function);
        let mut solvers: Vec<&dyn Solver> = vec![&TopDown, &BottomUp];
        if solution.work.rounds > 0 {
            solvers.push(&Search);
        }
        let others = solvers.into_iter().map(|solver| {
            let solution = solver.solve(&problem, limits, Effort::default());
            (solver.name(), solution.plan, solution.cost)
        });
        let others = others.collect();
        let runs = graph.runs.iter().map(|run| RunReport {
            kernel: run.kernel.name.clone(),
            space: run.space.iter().map(|&axis| names.axis(axis)).collect(),
            span: graph.stmts[run.stmt].span,
        });
        let plan = &solution.plan;
        let mut declined: Vec<(usize, usize, Declined)> = Vec::new();
        for flow in &graph.flows {
            let pair = (flow.from, flow.to);
            let is_known = declined.iter().any(|(from, to, _)| (*from, *to) == pair);
            if flow.verdict.is_ok() && !is_known && plan.cluster_of[pair.0] != plan.cluster_of[pair.1] {
                let why = Declined::of(&problem, limits, plan, solution.cost, pair.0, pair.1);
                declined.push((pair.0, pair.1, why));
            }
        }
        let flows = graph.flows.iter().map(|flow| FlowReport {
            from: flow.from,
            to: flow.to,
            value: names.value(flow.value),
            array: arrays.iter().position(|array| *array == flow.value),
            verdict: flow.verdict.clone(),
        });
        let apart = graph.apart.iter().map(|apart| (apart.first, apart.second, apart.reason.clone()));
        let costs = problem.costs(limits, plan).unwrap_or_else(|| vec![f64::INFINITY; plan.clusters.len()]);
        let kernel =
            |(cost, cluster): (f64, &Vec<RunId>)| KernelReport { cost, again: limits.again(cluster) };
        let kernels = costs.into_iter().zip(&plan.clusters).map(kernel).collect();
        let unfused = FusionPlan::unfused(&problem);
        RegionReport {
            function: graph.function.name.clone(),
            span: graph.stmts[graph.runs[0].stmt].span,
            runs: runs.collect(),
            flows: flows.collect(),
            apart: apart.collect(),
            arrays: arrays.iter().map(|&array| names.value(array)).collect(),
            nanoseconds: rates.byte(),
            kernels,
            unfused: check(&problem, limits, &unfused).unwrap_or(f64::INFINITY),
            unfused_again: unfused.clusters.iter().map(|cluster| limits.again(cluster)).sum(),
            others,
            declined,
            problem,
            solution,
            time,
            applied,
        }
    }

    /// Returns the time of a cost, in nanoseconds.
    pub fn time_of(&self, cost: f64) -> f64 {
        cost * self.nanoseconds
    }

    /// The plan.
    pub fn plan(&self) -> &FusionPlan {
        &self.solution.plan
    }

    /// Returns the reason why two runs that could share a kernel do not.
    pub fn why_declined(&self, from: usize, to: usize) -> Option<Declined> {
        let mut declined = self.declined.iter();
        declined.find(|(a, b, _)| (*a, *b) == (from, to)).map(|(_, _, why)| *why)
    }
}
