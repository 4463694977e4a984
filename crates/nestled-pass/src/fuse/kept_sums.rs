//! `filter-reduce`: a sum of floats over what a filter keeps is computed in the kernel of the filter, so that what is kept need not be written.
//!
//! ```text
//! (k, ys) = filter where p { i => xs[i] }           s = reduce where p { i => xs[i] } add
//! s = reduce { j => ys[j] } add                →
//! ```
//!
//! **This changes results**: the order of an inexact reduction goes by the positions of its points, which are those among all points that the filter sees now, and were those among the
//! points that it keeps. It is decided here, by the program alone, and not in [`fuse`](super): the bits depend neither on costs nor on a device. Strict math leaves the pass out. A
//! sum is taken along when all of this holds:
//!
//! - its monoid is made of `add`, `mul` and the like; a program's own monoid has laws about its bits;
//! - it and the maps between it and the filter are a few cheap operations, since they are computed for what the filter drops, too;
//! - nothing else keeps the kernels apart: faults, a use of the number of kept points.
//!
//! A filter of what another filter keeps goes into the kernel of that one together with its sums, if it can.

use super::check::check;
use super::graph::Graph;
use super::merge::is_sum;
use super::plan::FusionPlan;
use super::problem::{Limits, Problem};
use crate::simplify::code_motion;
use nestled_ir::typing::Scope;
use nestled_ir::{Axis, Combinator, CombinatorKind, HostAtom, HostOp, HostStmt, Kernel, Program, ScalarType};
use std::collections::BTreeSet;

/// Greatest number of operations that are computed at a point for a sum, its maps included.
const MOST_OPERATIONS: usize = 16;

/// True if statements run a filter and sums of floats, which is seen without a graph.
pub fn may_be_in(program: &Program, stmts: &[HostStmt]) -> bool {
    let kernels = || {
        stmts.iter().filter_map(|stmt| match stmt.op {
            HostOp::Run { kernel, .. } => Some(program.kernel(kernel)),
            _ => None,
        })
    };
    let filters =
        |kernel: &Kernel| kernel.steps.iter().any(|step| matches!(step.kind, CombinatorKind::Filter { .. }));
    kernels().any(filters) && kernels().any(sums_floats)
}

/// Returns the plan in which sums are in the kernels of their filters, and nothing else is merged; `None` if there are none.
pub fn plan(graph: &Graph<'_>, problem: &Problem, limits: &dyn Limits) -> Option<FusionPlan> {
    let mut labels: Vec<usize> = (0..graph.runs.len()).collect();
    let mut best = None;
    let sums = (0..graph.runs.len()).filter(|&run| sums_floats(graph.runs[run].kernel));
    for sum in sums {
        // The filter, the one whose points it filters, and so on.
        let mut chains: Vec<BTreeSet<usize>> = Vec::new();
        let (mut chain, mut inner) = (BTreeSet::new(), sum);
        while let Some(filter) = filter_of(graph, inner) {
            chain.extend(between(graph, filter, inner));
            if !is_cheap(graph, chain.iter().copied().filter(|&member| member != filter)) {
                break;
            }
            chain.insert(filter);
            chains.push(chain.clone());
            inner = filter;
        }
        for members in chains.iter().rev() {
            let old: BTreeSet<usize> = members.iter().map(|&member| labels[member]).collect();
            let Some(&label) = old.first() else { continue };
            let new: Vec<usize> =
                labels.iter().map(|of| if old.contains(of) { label } else { *of }).collect();
            if let Some(plan) = FusionPlan::from_labels(problem, &new)
                && check(problem, limits, &plan).is_ok()
            {
                (labels, best) = (new, Some(plan));
                break;
            }
        }
    }
    best
}

/// Returns the run whose filter makes the points of a run.
fn filter_of(graph: &Graph<'_>, run: usize) -> Option<usize> {
    let &Axis::Sym(symbol) = graph.runs[run].space.last()? else { return None };
    let (filter, shape) = graph.made_by_run(HostAtom::Value(symbol))?;
    let shape = graph.result(filter, shape);
    let (_, step) = graph.runs[filter].kernel.binder(shape)?;
    matches!(step.kind, CombinatorKind::Filter { .. }).then_some(filter)
}

/// Returns a run over kept points, and the runs over the same points that it is computed from.
fn between(graph: &Graph<'_>, filter: usize, run: usize) -> BTreeSet<usize> {
    let space = &graph.runs[run].space;
    let (mut found, mut open) = (BTreeSet::new(), vec![run]);
    while let Some(run) = open.pop() {
        if !found.insert(run) {
            continue;
        }
        let makers = graph.runs[run].args.iter().filter_map(|&arg| graph.made_by_run(arg));
        open.extend(
            makers.map(|(maker, _)| maker).filter(|&at| at != filter && graph.runs[at].space == *space),
        );
    }
    found
}

/// True for a kernel that reduces its points by sums or products of floats.
fn sums_floats(kernel: &Kernel) -> bool {
    let is_inexact = |step: &Combinator| {
        let CombinatorKind::Reduce { monoid, .. } = &step.kind else { return false };
        let scope = Scope::new(&kernel.values);
        let results = step.body.body.results.iter().map(|&atom| scope.thunk_atom(&step.body, atom));
        let is_float = |ty: &ScalarType| ty.is_float();
        is_sum(step)
            && monoid.parts.len() == step.body.body.results.len()
            && results
                .zip(&monoid.parts)
                .any(|(ty, part)| ty.is_ok_and(|ty| is_float(&ty) && !part.is_exact(&[ty], &[])))
    };
    kernel.steps.iter().any(is_inexact)
}

/// True if what some runs compute at a point is few operations, each cheap enough to be computed where its result is not wanted.
fn is_cheap(graph: &Graph<'_>, runs: impl Iterator<Item = usize>) -> bool {
    let (mut count, mut cheap) = (0, true);
    for step in runs.flat_map(|run| &graph.runs[run].kernel.steps) {
        cheap &= step.body.body.stmts.iter().all(|stmt| code_motion::is_cheap(&stmt.kind));
        step.body.body.walk(&mut |_| count += 1);
    }
    cheap && count <= MOST_OPERATIONS
}
