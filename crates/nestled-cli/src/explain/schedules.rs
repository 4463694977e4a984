//! Schedules in words: how the CPU runs each kernel, nest by nest. `nestled show --stage plan` has all of it.

use nestled_ir::{Function, HostOp, KernelId, Program};
use nestled_kernel::{Sizes, Target, plan, text::summary};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The schedules of the kernels that a function runs, or of all.
pub fn text(program: &Program, function: Option<&str>, target: &Target) -> String {
    let functions = program.functions.iter().filter(|own| function.is_none_or(|name| *own.name == *name));
    let kernels: BTreeSet<usize> = functions.flat_map(runs).map(KernelId::index).collect();
    if kernels.is_empty() {
        return String::new();
    }
    let mut out = format!("\nOn the CPU, with vectors of {} bits:\n", target.vector_bits);
    for kernel in kernels.into_iter().map(|index| &program.kernels[index]) {
        let _ = writeln!(out, "  kernel {}", kernel.name);
        for line in summary(&plan(program, kernel, target, Sizes::default())) {
            let _ = writeln!(out, "    {line}");
        }
    }
    out
}

/// The kernels that a function runs itself.
fn runs(function: &Function) -> Vec<KernelId> {
    let mut found = Vec::new();
    function.body.walk(&mut |stmt| {
        if let HostOp::Run { kernel, .. } = &stmt.op {
            found.push(*kernel);
        }
    });
    found
}
