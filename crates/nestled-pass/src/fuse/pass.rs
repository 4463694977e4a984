//! The two passes that merge kernels: `fuse` solves each region, `filter-reduce` takes sums into the kernels of filters; the runs are replaced by those of merged kernels.

use super::cost::Sizes;
use super::graph::{Graph, Grouping};
use super::instance::{self, DeviceLimits};
use super::kept_sums;
use super::merge::{Merged, Merging};
use super::plan::FusionPlan;
use super::region::regions;
use super::report::RegionReport;
use super::schedule::{Placed, schedule};
use super::solve::Solver;
use super::symbols::Symbols;
use super::uses::Uses;
use crate::facts::Facts;
use crate::pass::{Pass, PassContext, PassOptions};
use crate::simplify::keep_reachable;
use crate::use_counts::use_counts;
use nestled_ir::typing::host_types;
use nestled_ir::{Function, HostBlock, HostOp, HostStmt, Kernel, KernelId, Program, ValueId};
use std::collections::HashMap;
use std::ops::Range;
use std::time::Instant;

/// The pass.
pub const PASS: Pass = Pass {
    name: "fuse",
    summary: "several kernels become one, which need not store what flows between them",
    changes_rounding: false,
    run: fuse,
};

/// The pass that takes sums of what a filter keeps into its kernel.
pub const FILTER_REDUCE: Pass = Pass {
    name: "filter-reduce",
    summary: "sums of what a filter keeps are computed in its kernel",
    changes_rounding: true,
    run: |program, cx| merge_runs(program, cx, Choice::KeptSums),
};

/// Returns the program with fused kernels.
pub fn fuse(program: &Program, cx: &mut PassContext) -> Program {
    let mip = cx.mip.clone();
    let Some(solver) = cx.options.planner.solver(mip.as_deref()) else { return program.clone() };
    merge_runs(program, cx, Choice::Solver(&*solver))
}

/// Returns the program with the runs merged that are chosen.
fn merge_runs(program: &Program, cx: &mut PassContext, choice: Choice<'_>) -> Program {
    let n_reports = cx.fusion.len();
    let fused = Fusing::new(program, cx, choice, true).run();
    if fused.retyped && nestled_ir::verify::verify(&fused.program).is_err() {
        // A shape that is equal to another inside a block is not so outside, where the block's results are.
        cx.fusion.truncate(n_reports);
        return Fusing::new(program, cx, choice, false).run().program;
    }
    fused.program
}

/// How the clusters of a region are chosen.
#[derive(Clone, Copy)]
enum Choice<'s> {
    /// By their cost.
    Solver(&'s dyn Solver),
    /// Filters with the sums of what they keep, whatever they cost and whatever the device.
    KeptSums,
}

/// The result of fusion.
struct Fused {
    program: Program,
    /// Whether a type names another of several equal shapes than before.
    retyped: bool,
}

struct Fusing<'a, 'c> {
    program: &'a Program,
    cx: &'c mut PassContext,
    choice: Choice<'a>,
    facts: Facts,
    uses: HashMap<KernelId, Uses>,
    /// Whether shapes that a `same` makes equal count as one.
    equalities: bool,
    /// Merged kernels, to be added to the program.
    kernels: Vec<Kernel>,
    retyped: bool,
}

impl<'a, 'c> Fusing<'a, 'c> {
    fn new(
        program: &'a Program,
        cx: &'c mut PassContext,
        choice: Choice<'a>,
        equalities: bool,
    ) -> Fusing<'a, 'c> {
        let (facts, uses, kernels) = (Facts::of(program), HashMap::new(), Vec::new());
        Fusing { program, cx, choice, facts, uses, equalities, kernels, retyped: false }
    }

    fn run(mut self) -> Fused {
        let mut functions: Vec<Function> =
            self.program.functions.iter().map(|function| self.function(function)).collect();
        let mut program = self.program.clone();
        let is_new = !self.kernels.is_empty();
        program.kernels.append(&mut self.kernels);
        if self.retyped {
            functions.iter_mut().for_each(|function| retype(&program, function));
        }
        program.functions = functions;
        if is_new && !self.cx.options.keep_all {
            keep_reachable(&mut program);
        }
        Fused { program, retyped: self.retyped }
    }

    fn function(&mut self, function: &'a Function) -> Function {
        let uses = use_counts(function);
        let body = self.block(function, &function.body, Symbols::default(), &uses);
        Function { body, ..function.clone() }
    }

    fn block(
        &mut self,
        function: &'a Function,
        block: &'a HostBlock,
        mut symbols: Symbols,
        uses: &[u32],
    ) -> HostBlock {
        let mut stmts = Vec::new();
        let mut ranges = regions(&block.stmts).into_iter().peekable();
        let mut at = 0;
        while at < block.stmts.len() {
            if let Some(range) = ranges.next_if(|range| range.start == at) {
                at = range.end;
                stmts.extend(self.region(function, &block.stmts, range, &mut symbols, uses));
                continue;
            }
            let mut stmt = block.stmts[at].clone();
            self.learn(function, &stmt, &mut symbols);
            let inner: Vec<HostBlock> = block.stmts[at]
                .op
                .blocks()
                .into_iter()
                .map(|inner| self.block(function, inner, symbols.clone(), uses))
                .collect();
            for (old, new) in stmt.op.blocks_mut().into_iter().zip(inner) {
                *old = new;
            }
            stmts.push(stmt);
            at += 1;
        }
        HostBlock { stmts, results: block.results.clone() }
    }

    fn learn(&self, function: &Function, stmt: &HostStmt, symbols: &mut Symbols) {
        if self.equalities {
            symbols.learn(function, stmt);
        }
    }

    fn region(
        &mut self,
        function: &'a Function,
        stmts: &'a [HostStmt],
        range: Range<usize>,
        symbols: &mut Symbols,
        uses: &[u32],
    ) -> Vec<HostStmt> {
        let stmts = &stmts[range];
        stmts.iter().for_each(|stmt| self.learn(function, stmt, symbols));
        if matches!(self.choice, Choice::KeptSums) && !kept_sums::may_be_in(self.program, stmts) {
            return stmts.to_vec();
        }
        let grouping = match self.choice {
            Choice::Solver(_) => Grouping::Kept,
            Choice::KeptSums => Grouping::Seen,
        };
        let graph = Graph::new(self.program, function, stmts, symbols, &self.facts, &mut self.uses, grouping);
        let used_here = uses_of(stmts, function.values.len());
        let outside = |value: ValueId| uses[value.index()] > used_here[value.index()];
        let outcome = match self.choice {
            Choice::Solver(solver) => self.solve(&graph, &outside, solver),
            Choice::KeptSums => self.kept_sums(&graph, &outside),
        };
        let Some(Applied { stmts, kernels, retyped, n_dropped: _ }) = outcome else { return stmts.to_vec() };
        self.retyped |= retyped;
        self.kernels.extend(kernels);
        stmts
    }

    /// Merges the clusters of the plan of least cost.
    fn solve(
        &mut self,
        graph: &Graph<'_>,
        outside: &dyn Fn(ValueId) -> bool,
        solver: &dyn Solver,
    ) -> Option<Applied> {
        let sizes = Sizes::new(graph);
        let rates = &self.cx.options.rates;
        let (problem, arrays) = instance::problem(graph, &sizes, outside, rates);
        debug_assert_eq!(problem.fault(), None);
        let limits = DeviceLimits::new(graph, &sizes, &self.cx.options);
        let start = Instant::now();
        let solution = self.cx.plans.solve(solver, &problem, &limits, self.cx.options.effort);
        let time = start.elapsed();
        let outcome = apply(graph, &limits, &solution.plan, outside, self.first_new());
        if self.cx.explain {
            let is_whole = |applied: &Applied| applied.n_dropped == 0;
            let has_kernels = solution.plan.clusters.iter().any(|cluster| cluster.len() > 1);
            let applied = outcome.as_ref().map_or(!has_kernels, is_whole);
            let report = RegionReport::new(
                graph,
                problem,
                &arrays,
                (&limits, &self.cx.options.rates),
                solution,
                time,
                applied,
            );
            self.cx.fusion.push(report);
        }
        outcome
    }

    /// Merges filters with the sums of what they keep. The limits of a device do not count: results must not depend on it, and `split` cuts kernels that are over them.
    fn kept_sums(&self, graph: &Graph<'_>, outside: &dyn Fn(ValueId) -> bool) -> Option<Applied> {
        let sizes = Sizes::new(graph);
        let options = PassOptions { limits: crate::limits::Limits::NONE, ..PassOptions::default() };
        let (problem, _) = instance::problem(graph, &sizes, outside, &options.rates);
        let limits = DeviceLimits::new(graph, &sizes, &options);
        apply(graph, &limits, &kept_sums::plan(graph, &problem, &limits)?, outside, self.first_new())
    }

    /// The index of the next new kernel.
    fn first_new(&self) -> usize {
        self.program.kernels.len() + self.kernels.len()
    }
}

/// A region after a plan was carried out.
struct Applied {
    /// Its statements, with new kernels numbered from `first_new` on.
    stmts: Vec<HostStmt>,
    kernels: Vec<Kernel>,
    /// Whether a type changes.
    retyped: bool,
    /// Number of clusters of the plan that were not merged.
    n_dropped: usize,
}

/// Carries out a plan. A cluster that cannot be merged stays unfused. While the statements have a dependence cycle, one cluster more stays unfused, the last first. `None` if
/// nothing is fused.
fn apply(
    graph: &Graph<'_>,
    limits: &DeviceLimits<'_>,
    plan: &FusionPlan,
    is_used_outside: &dyn Fn(ValueId) -> bool,
    first_new: usize,
) -> Option<Applied> {
    let all: Vec<Vec<usize>> = plan
        .clusters
        .iter()
        .filter(|cluster| cluster.len() > 1)
        .map(|cluster| cluster.iter().map(|run| run.index()).collect())
        .collect();
    let mut clusters = all.clone();
    clusters.retain(|members| Merging::new(graph, members).fits());
    loop {
        if clusters.is_empty() {
            return None;
        }
        let mergings: Vec<Merging<'_>> =
            clusters.iter().map(|members| Merging::new(graph, members)).collect();
        let agrees =
            |(members, merging): (&Vec<usize>, &Merging<'_>)| limits.agrees(members, merging.kernel());
        debug_assert!(clusters.iter().zip(&mergings).all(agrees), "sweeps or stages are not as estimated");
        if let Some(applied) = carry_out(graph, &clusters, mergings, is_used_outside, first_new) {
            return Some(Applied { n_dropped: all.len() - clusters.len(), ..applied });
        }
        clusters.pop();
    }
}

/// Returns the statements of a region with these clusters merged; `None` if they have a dependence cycle.
fn carry_out(
    graph: &Graph<'_>,
    clusters: &[Vec<usize>],
    mergings: Vec<Merging<'_>>,
    is_used_outside: &dyn Fn(ValueId) -> bool,
    first_new: usize,
) -> Option<Applied> {
    let mut fused = vec![false; graph.stmts.len()];
    for &member in clusters.iter().flatten() {
        fused[graph.runs[member].stmt] = true;
    }
    // What one of the kernels computes, the host need not compute again.
    let mut computed = vec![Vec::new(); mergings.len()];
    for (merging, computed) in mergings.iter().zip(&mut computed) {
        for at in merging.computed() {
            if !std::mem::replace(&mut fused[at], true) {
                computed.push(at);
            }
        }
    }
    let needed = needed(graph, &mergings, &fused, is_used_outside);
    let mut placed = Vec::new();
    for (at, stmt) in graph.stmts.iter().enumerate() {
        let is_dead =
            matches!(stmt.op, HostOp::Scalar { .. }) && !stmt.binds.iter().any(|bind| needed[bind.index()]);
        if !fused[at] && !is_dead {
            placed.push(Placed { stmt: stmt.clone(), was: vec![at], needs: graph.needs[at].clone() });
        }
    }
    let (mut kernels, mut retyped) = (Vec::new(), false);
    for ((members, merging), computed) in clusters.iter().zip(mergings).zip(computed) {
        let merged = merging.finish(&computed, |value| needed[value.index()]);
        let id = KernelId::from(first_new + kernels.len());
        let runs = members.iter().map(|&member| graph.runs[member].stmt);
        let was: Vec<usize> = runs.chain(computed).collect();
        retyped |= merged.retypes;
        placed.push(place(graph, &merged, id, was));
        kernels.push(merged.kernel);
    }
    Some(Applied { stmts: schedule(placed)?, kernels, retyped, n_dropped: 0 })
}

/// Makes the run of a merged kernel.
fn place(graph: &Graph<'_>, merged: &Merged, kernel: KernelId, was: Vec<usize>) -> Placed {
    let op = HostOp::Run { kernel, shapes: merged.shapes.clone(), args: merged.args.clone() };
    let mut needs = merged.relies_on.clone();
    op.for_each_use(&mut |value| needs.extend(graph.bound.get(&value)));
    for &at in &was {
        let sames = graph.needs[at]
            .iter()
            .filter(|&&need| matches!(graph.stmts[need].op, HostOp::Same { .. } | HostOp::Widen { .. }));
        needs.extend(sames);
    }
    let span = graph.stmts[was[0]].span;
    Placed { stmt: HostStmt { binds: merged.binds.clone(), op, span }, was, needs }
}

/// For each value: true if it is live outside of the new kernels (liveness), directly or as a symbol in the type of a live value.
fn needed(
    graph: &Graph<'_>,
    mergings: &[Merging<'_>],
    fused: &[bool],
    is_used_outside: &dyn Fn(ValueId) -> bool,
) -> Vec<bool> {
    let values = &graph.function.values;
    let mut needed = vec![false; values.len()];
    let need = |value: ValueId, needed: &mut Vec<bool>| {
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            if !std::mem::replace(&mut needed[value.index()], true) {
                values[value.index()].ty.for_each_symbol(&mut |symbol| open.push(symbol));
            }
        }
    };
    for stmt in graph.stmts {
        for &bind in &stmt.binds {
            if is_used_outside(bind) {
                need(bind, &mut needed);
            }
        }
    }
    for merging in mergings {
        let op = HostOp::Run {
            kernel: KernelId(0),
            shapes: merging.shapes().to_vec(),
            args: merging.args().to_vec(),
        };
        op.for_each_use(&mut |value| need(value, &mut needed));
    }
    let is_scalar = |stmt: &HostStmt| matches!(stmt.op, HostOp::Scalar { .. });
    for (at, stmt) in graph.stmts.iter().enumerate() {
        if !fused[at] && !is_scalar(stmt) {
            stmt.op.for_each_use(&mut |value| need(value, &mut needed));
        }
    }
    for (at, stmt) in graph.stmts.iter().enumerate().rev() {
        if !fused[at] && is_scalar(stmt) && stmt.binds.iter().any(|bind| needed[bind.index()]) {
            stmt.op.for_each_use(&mut |value| need(value, &mut needed));
        }
    }
    needed
}

/// Number of uses of each value in some statements, which hold no blocks.
fn uses_of(stmts: &[HostStmt], n_values: usize) -> Vec<u32> {
    let mut uses = vec![0; n_values];
    for stmt in stmts {
        stmt.op.for_each_use(&mut |value| uses[value.index()] += 1);
    }
    uses
}

/// Computes the types of all values anew, in order of the text: results of a merged kernel name the shape that represents its class.
fn retype(program: &Program, function: &mut Function) {
    let mut work: Vec<HostStmt> = Vec::new();
    function.body.walk(&mut |stmt| work.push(stmt.clone()));
    // The types of an `if` follow from those inside.
    let order = post_order(&function.body);
    for at in order {
        let stmt = &work[at];
        if let Ok(types) = host_types(program, function, &stmt.op, &stmt.binds) {
            for (&bind, ty) in stmt.binds.iter().zip(types) {
                function.values[bind.index()].ty = ty;
            }
        }
    }
}

/// The statements in post-order, as [`HostBlock::walk`] numbers them: those inside of another come before it.
fn post_order(block: &HostBlock) -> Vec<usize> {
    fn visit(block: &HostBlock, next: &mut usize, order: &mut Vec<usize>) {
        for stmt in &block.stmts {
            let at = *next;
            *next += 1;
            for inner in stmt.op.blocks() {
                visit(inner, next, order);
            }
            order.push(at);
        }
    }
    let (mut next, mut order) = (0, Vec::new());
    visit(block, &mut next, &mut order);
    order
}
