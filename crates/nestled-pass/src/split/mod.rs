//! `split`: kernel fission. A kernel over the limits of a device is split into several.
//!
//! ```text
//! kernel centre(xs: [n]f32) over n {             kernel centre_1(xs: [n]f32) over n {
//!   s = reduce { i => xs[i] } add                  s = reduce { i => xs[i] } add
//!   y = map { i => sub xs[i] s }                   ret s
//!   ret y                                        }
//! }                                              kernel centre_2(xs: [n]f32, s: f32) over n {
//! y = run centre(xs)                               y = map { i => sub xs[i] s }
//!                                                  ret y
//!                                                }
//!                                                s = run centre_1(xs)
//!                                                y = run centre_2(xs, s)
//! ```
//!
//! The combinators of a kernel are partitioned into groups, one after another, each a kernel of its own over the same space. A value that a later group reads is materialised as an
//! array over its level, and read at the own index, or at a window's offsets. Nothing else changes: a guarded value is zero where its guard does not hold, as it was in a window; a
//! lane that faulted has left zeros; sites keep their numbers and points their level, and all runs of the parts stand in the region of the original run. A guard that a later group
//! needs is bound there again, by a `map` that reads it.
//!
//! A combinator that is over the limits by itself is cut inside, into combinators that compute parts of its expression (*program splitting*, as in Microsoft's Accelerator); these
//! are then grouped like any others. Where no cut brings a kernel within the limits, it is cut as far as it goes, and is [reported](crate::PassContext::refused).
//!
//! `graph` has the dependences, `load` the resources of a group against the [limits](crate::limits), `cut` chooses groups with few bytes across their borders, `part` makes the
//! kernels, `host` the runs. Inside a combinator, `dataflow` is the graph, `stops` knows where lanes may end early, `pieces` chooses the cut, `refine` makes the combinators.
//!
//! Limits. Statements with blocks, `serial`, and the results of a `filter`, `partition`, `permute` or `scan` stay whole. Extents are not known, so that bytes are estimates.

mod cut;
mod dataflow;
mod graph;
mod host;
mod kept;
mod load;
mod part;
mod pieces;
mod refine;
mod refused;
mod stops;

use crate::facts::Facts;
use crate::limits::Limits;
use crate::pass::{Pass, PassContext};
use graph::Graph;
use kept::Kept;
use nestled_ir::{Kernel, KernelId, Name, Program};
use part::Part;
use std::collections::HashSet;
use stops::Stops;

/// The pass.
pub const PASS: Pass = Pass {
    name: "split",
    summary: "kernels over the device's limits become several",
    changes_rounding: false,
    run: split,
};

/// Returns the program with kernels over the limits split.
pub fn split(program: &Program, cx: &mut PassContext) -> Program {
    let limits = &cx.options.limits;
    let over: Vec<bool> = program.kernels.iter().map(|kernel| is_over(kernel, limits)).collect();
    if !over.contains(&true) {
        return program.clone();
    }
    let facts = Facts::of(program);
    let kept = kept::kept_arguments(program, &facts);
    let mut names: HashSet<Name> = program.names().cloned().collect();
    let (mut next, mut whole) = (program.clone(), program.clone());
    next.kernels.clear();
    let mut pieces = Vec::new();
    for (at, kernel) in program.kernels.iter().enumerate() {
        let stops = Stops { program, facts: &facts, kernel };
        let parts = if over[at] {
            let whole = &mut whole.kernels[at];
            let groups = groups(whole, limits, &kept[at], &stops);
            cx.refused.extend(refused::refused(whole, &groups, limits, &kept[at].params));
            parts_of(whole, &groups, &kept[at], &mut names)
        } else {
            Vec::new()
        };
        if parts.is_empty() {
            pieces.push(host::Pieces::Whole(KernelId::from(next.kernels.len())));
            next.kernels.push(kernel.clone());
        } else {
            let first = next.kernels.len();
            next.kernels.extend(parts.iter().map(|part| part.kernel.clone()));
            pieces.push(host::Pieces::Parts { first, parts });
        }
    }
    host::replace_runs(&mut next, &whole, &pieces);
    next
}

fn is_over(kernel: &Kernel, limits: &Limits) -> bool {
    let graph = Graph::of(kernel);
    let order: Vec<usize> = (0..kernel.steps.len()).collect();
    let places = graph.places(&order);
    let mut load = load::Load::new(&graph, &places, &[], 0);
    order.iter().for_each(|&step| load.add(step));
    !load.fits(limits) || kernel.params.len() + kernel.ret.len() > limits.arguments
}

/// Returns the groups of a kernel, in which combinators that are over the limits by themselves have become several.
fn groups(kernel: &mut Kernel, limits: &Limits, kept: &Kept, stops: &Stops<'_>) -> Vec<Vec<usize>> {
    let mut is_refined = vec![false; kernel.steps.len()];
    loop {
        let groups = cut::groups(&Graph::of(kernel), limits, &kept.params);
        let mut over = refused::over(kernel, &groups, limits, &kept.params);
        over.retain(|&(step, over)| {
            ["arguments", "private"].contains(&over.name)
                && !is_refined[step]
                && refine::can_refine(&kernel.steps[step])
        });
        let mut steps: Vec<usize> = over.into_iter().map(|(step, _)| step).collect();
        steps.sort_unstable();
        steps.dedup();
        if steps.is_empty() {
            return groups;
        }
        // From the last, so that the places of those before it stay.
        for step in steps.into_iter().rev() {
            let count = refine::refine(kernel, step, limits, kept, stops);
            is_refined.splice(step..=step, std::iter::repeat_n(true, count));
        }
    }
}

/// Returns the parts of a kernel, named after it; none if it stays as it is. A single part is the kernel without the parameters that it does not read.
fn parts_of(kernel: &Kernel, groups: &[Vec<usize>], kept: &Kept, names: &mut HashSet<Name>) -> Vec<Part> {
    let mut parts = part::parts(&Graph::of(kernel), groups, kept);
    if let [only] = parts.as_slice() {
        return if only.kernel.params.len() < kernel.params.len() { parts } else { Vec::new() };
    }
    let mut number = 0;
    for part in &mut parts {
        part.kernel.name = loop {
            number += 1;
            let name: Name = format!("{}_{number}", kernel.name).into();
            if names.insert(name.clone()) {
                break name;
            }
        };
    }
    parts
}
