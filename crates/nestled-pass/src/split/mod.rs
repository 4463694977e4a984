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
//! `graph` has the dependences, `load` the resources of a group against the [limits](crate::limits), `cut` chooses groups with few bytes across their borders, `part` makes the
//! kernels, `host` the runs.
//!
//! Limits. A single combinator is never cut. Extents are not known, so that bytes are estimates.

mod cut;
mod graph;
mod host;
mod kept;
mod load;
mod part;

use crate::facts::Facts;
use crate::limits::Limits;
use crate::pass::{Pass, PassContext};
use graph::Graph;
use nestled_ir::{Kernel, KernelId, Name, Program};
use part::Part;
use std::collections::HashSet;

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
    let mut next = program.clone();
    next.kernels.clear();
    let mut pieces = Vec::new();
    for (at, kernel) in program.kernels.iter().enumerate() {
        let parts = if over[at] { parts_of(kernel, limits, &kept[at], &mut names) } else { Vec::new() };
        if parts.len() < 2 {
            pieces.push(host::Pieces::Whole(KernelId::from(next.kernels.len())));
            next.kernels.push(kernel.clone());
        } else {
            let first = next.kernels.len();
            next.kernels.extend(parts.iter().map(|part| part.kernel.clone()));
            pieces.push(host::Pieces::Parts { first, parts });
        }
    }
    host::replace_runs(&mut next, program, &pieces);
    next
}

fn is_over(kernel: &Kernel, limits: &Limits) -> bool {
    let graph = Graph::of(kernel);
    let order: Vec<usize> = (0..kernel.steps.len()).collect();
    let places = graph.places(&order);
    let mut load = load::Load::new(&graph, &places, &[], 0);
    order.iter().for_each(|&step| load.add(step));
    !load.fits(limits)
}

/// Returns the parts of a kernel, named after it; none if it has only one group.
fn parts_of(kernel: &Kernel, limits: &Limits, kept: &kept::Kept, names: &mut HashSet<Name>) -> Vec<Part> {
    let graph = Graph::of(kernel);
    let groups = cut::groups(&graph, limits, &kept.params);
    if groups.len() < 2 {
        return Vec::new();
    }
    let mut parts = part::parts(&graph, &groups, kept);
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
