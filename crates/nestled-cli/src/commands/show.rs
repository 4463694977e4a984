//! `nestled show`: a program as it is, or after passes.

use crate::cli::Show;
use crate::commands::pass::{apply, find, pass_options};
use crate::exit_codes::Failure;
use crate::load::load;
use crate::output;
use nestled_ir::{Kernel, Program};
use std::fmt::Write;

/// Prints the program, or the table of its kernels.
pub fn run(options: &Show) -> Result<(), Failure> {
    let mut program = load(&options.file)?;
    if let Some(name) = &options.after {
        let last = find(name)?;
        let upto = nestled_pass::DEFAULT.iter().rposition(|pass| pass.name == last.name);
        let upto = upto.ok_or_else(|| {
            Failure::usage(format!(
                "`{name}` is not one of the default passes; use `nestled pass {name} FILE`"
            ))
        })?;
        program = apply(&program, &nestled_pass::DEFAULT[..=upto], pass_options(&options.math))?;
    }
    if options.kernels {
        output::print(&kernel_table(&program))
    } else {
        output::print(&nestled_ir::text::print(&program))
    }
}

/// One row for each kernel.
fn kernel_table(program: &Program) -> String {
    let mut table =
        format!("{:24} {:>6} {:>11} {:>6} {:>6}\n", "kernel", "levels", "combinators", "sweeps", "stages");
    for kernel in &program.kernels {
        let shape = nestled_ir::verify::kernel_shape(program, kernel);
        let levels = kernel.space.len() + 1;
        let _ = writeln!(
            table,
            "{:24} {levels:>6} {:>11} {:>6} {:>6}   {}",
            kernel.name,
            kernel.steps.len(),
            shape.n_sweeps(),
            shape.n_stages(),
            combinators(kernel)
        );
    }
    table
}

/// `map, reduce, reduce`
fn combinators(kernel: &Kernel) -> String {
    let names: Vec<&str> = kernel.steps.iter().map(|step| step.kind.name()).collect();
    names.join(", ")
}
