//! Kernels that no cut brings within the limits, and the messages about them.

use super::graph::Graph;
use super::load::{Load, Over};
use crate::limits::Limits;
use nestled_ir::{Diagnostic, Kernel, ValueId};

/// The code of the messages.
const CODE: &str = "R0204";

/// The combinators that are over the limits in a group by themselves, with the limits.
pub fn over(kernel: &Kernel, groups: &[Vec<usize>], limits: &Limits, kept: &[ValueId]) -> Vec<(usize, Over)> {
    let graph = Graph::of(kernel);
    let order = groups.concat();
    let places = graph.places(&order);
    let mut found = Vec::new();
    for group in groups.iter().filter(|group| group.len() == 1) {
        let mut load = Load::new(&graph, &places, kept, places.place[group[0]]);
        load.add(group[0]);
        found.extend(load.over(limits).into_iter().map(|over| (group[0], over)));
    }
    found
}

/// One message for each limit that a kernel is over in spite of its cuts. It is about the part that takes most.
pub fn refused(kernel: &Kernel, groups: &[Vec<usize>], limits: &Limits, kept: &[ValueId]) -> Vec<Diagnostic> {
    let mut worst: Vec<(usize, Over)> = Vec::new();
    for (step, over) in over(kernel, groups, limits, kept) {
        match worst.iter_mut().find(|(_, known)| known.name == over.name) {
            Some(known) if known.1.takes >= over.takes => {}
            Some(known) => *known = (step, over),
            None => worst.push((step, over)),
        }
    }
    worst.into_iter().map(|(step, over)| message(kernel, step, over)).collect()
}

fn message(kernel: &Kernel, step: usize, over: Over) -> Diagnostic {
    let Over { name, takes, limit } = over;
    let what = what(name);
    let text = format!("no cut of the kernel `{}` keeps the limit `{name}={limit}` ({what})", kernel.name);
    Diagnostic::new(CODE, text, kernel.steps[step].span)
        .here(format!("this takes {takes}, and cannot be cut further"))
        .help(format!("the least limit that the kernel can keep is `{name}={takes}`"))
}

/// What a limit counts, in words.
fn what(name: &str) -> &str {
    match name {
        "arguments" => "parameters and results",
        "values" => "values between combinators",
        "private" => "bytes of private arrays",
        "combinators" => "combinators, and guards that are bound again",
        other => other,
    }
}
