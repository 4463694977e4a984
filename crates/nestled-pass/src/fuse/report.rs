//! What fusion decided and why, for people.

use super::check::check;
use super::declined::Declined;
use super::graph::Graph;
use super::plan::Plan;
use super::problem::{Limits, Problem};
use super::reason::Reason;
use super::solve::{BottomUp, Effort, Solution, Solver, TopDown};
use nestled_ir::{Axis, Name, Span, ValueId};
use std::time::Duration;

/// A region that runs two kernels or more: what could be fused, what was, and what that is thought to cost.
#[derive(Clone, Debug)]
pub struct RegionReport {
    /// The function around it.
    pub function: Name,
    /// Its first statement.
    pub span: Span,
    /// The runs, numbered as in the problem and the plans.
    pub runs: Vec<RunReport>,
    /// What flows between runs, in order of the readers.
    pub flows: Vec<FlowReport>,
    /// Pairs that can never be one kernel, whatever flows between them: run, later run, and why.
    pub apart: Vec<(usize, usize, Reason)>,
    /// For each array of the problem its name.
    pub arrays: Vec<Name>,
    /// The question that was asked, with the guessed sizes.
    pub problem: Problem,
    /// The plan, its cost, the bound, and the effort.
    pub solution: Solution,
    /// How long finding the plan took.
    pub time: Duration,
    /// What the program costs as it was.
    pub unfused: f64,
    /// The plans of others for the same problem, with their costs: greedy from the top, greedy from the bottom.
    pub others: Vec<(&'static str, Plan, f64)>,
    /// For pairs that something flows between, that could share a kernel and do not: why not.
    pub declined: Vec<(usize, usize, Declined)>,
    /// Whether the whole plan was carried out. (It is not where statements would wait for each other in a circle.)
    pub applied: bool,
}

/// A run.
#[derive(Clone, Debug)]
pub struct RunReport {
    /// The kernel.
    pub kernel: Name,
    /// Its space, in the names of host code.
    pub space: Vec<String>,
    /// Where it stands.
    pub span: Span,
}

/// Something that one run makes and another uses.
#[derive(Clone, Debug)]
pub struct FlowReport {
    /// The run that makes it.
    pub from: usize,
    /// The run that uses it.
    pub to: usize,
    /// Its name.
    pub value: Name,
    /// Why it must go through memory, if it must.
    pub verdict: Result<(), Reason>,
}

impl RegionReport {
    /// The report on a region.
    pub(super) fn new(
        graph: &Graph<'_>,
        problem: Problem,
        arrays: &[ValueId],
        limits: &dyn Limits,
        solution: Solution,
        time: Duration,
        applied: bool,
    ) -> RegionReport {
        let name = |value: ValueId| graph.function.values[value.index()].name.clone();
        let axis = |axis: &Axis| match axis {
            Axis::Const(extent) => extent.to_string(),
            Axis::Sym(symbol) => name(*symbol).to_string(),
        };
        let others = [&TopDown as &dyn Solver, &BottomUp].map(|solver| {
            let solution = solver.solve(&problem, limits, Effort::default());
            (solver.name(), solution.plan, solution.cost)
        });
        let runs = graph.runs.iter().map(|run| RunReport {
            kernel: run.kernel.name.clone(),
            space: run.space.iter().map(axis).collect(),
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
            value: name(flow.value),
            verdict: flow.verdict.clone(),
        });
        let apart = graph.apart.iter().map(|apart| (apart.first, apart.second, apart.reason.clone()));
        RegionReport {
            function: graph.function.name.clone(),
            span: graph.stmts[0].span,
            runs: runs.collect(),
            flows: flows.collect(),
            apart: apart.collect(),
            arrays: arrays.iter().map(|&array| name(array)).collect(),
            unfused: check(&problem, limits, &Plan::unfused(&problem)).unwrap_or(f64::INFINITY),
            others: others.to_vec(),
            declined,
            problem,
            solution,
            time,
            applied,
        }
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.solution.plan
    }

    /// Why two runs that could share a kernel do not.
    pub fn why_declined(&self, from: usize, to: usize) -> Option<Declined> {
        let mut declined = self.declined.iter();
        declined.find(|(a, b, _)| (*a, *b) == (from, to)).map(|(_, _, why)| *why)
    }
}
