//! Schedules in words: how the CPU runs each kernel, nest by nest. `nestled show --stage plan` has all of it.

use super::expected::launches;
use super::names::Names;
use nestled_ir::Program;
use nestled_kernel::{Sizes, Target, plan, text::summary};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The schedules of the kernels that a function runs, or of all.
pub fn text(program: &Program, names: Names<'_>, function: Option<&str>, target: &Target) -> String {
    // Each kernel once, named by its first launch.
    let mut kernels = BTreeMap::new();
    for (kernel, span) in launches(program, function) {
        kernels.entry(kernel.index()).or_insert(span);
    }
    if kernels.is_empty() {
        return String::new();
    }
    let mut out = format!("\nOn the CPU, with vectors of {} bits:\n", target.vector_bits);
    for (kernel, span) in kernels.into_iter().map(|(index, span)| (&program.kernels[index], span)) {
        let place = if names.by_expression { format!("{}:", names.at(span)) } else { String::new() };
        let _ = writeln!(out, "  kernel{place} {}", names.kernel(kernel, span));
        for line in summary(&plan(program, kernel, target, Sizes::default())) {
            let _ = writeln!(out, "    {line}");
        }
    }
    out
}
