//! `nestled show`: prints a program as it is, after passes, or at a later stage.

use crate::cli::{Show, Stage};
use crate::commands::code;
use crate::commands::pass::{apply, find, pass_options};
use crate::exit_codes::Failure;
use crate::kinds::Kind;
use crate::load::load;
use crate::{nesl, output, vcode};
use nestled_ir::{Kernel, Program};
use nestled_pass::PassOptions;
use std::fmt::Write;
use std::path::Path;

/// Prints the program, or the table of its kernels.
pub fn run(options: &Show) -> Result<(), Failure> {
    if let Some(data) = &options.data {
        return show_data(options.file.as_deref(), data, options.rows);
    }
    let kind = options.file.as_ref().map_or(Kind::Nesl, |file| Kind::of(file, options.lang));
    let Some(file) = options.file.as_ref().filter(|_| kind != Kind::Nesl && options.expression.is_none())
    else {
        return nesl::show::run(options);
    };
    let program = load(file, kind, &options.vcode, &options.nesl.widths)?;
    let keep_all = options.stage.is_some();
    let math = pass_options(vcode::math(kind, options.math), options.fuse);
    output::print(&text(options, &program, PassOptions { keep_all, ..math })?)
}

/// Prints what is in a file of data.
fn show_data(word: Option<&Path>, data: &Path, rows: usize) -> Result<(), Failure> {
    if word != Some(Path::new("data")) {
        let data = data.display();
        return Err(Failure::usage(format!(
            "one program is shown at a time; of data: `nestled show data {data}`"
        )));
    }
    output::print(&nesl::tables::summary(data, rows)?)
}

/// The requested text of a λcu program: the program at a stage, its kernels, or generated code.
pub fn text(options: &Show, program: &Program, how: PassOptions) -> Result<String, Failure> {
    let passes: &[_] = match (&options.after, options.stage) {
        (Some(name), _) => &nestled_pass::DEFAULT[..=position(name)?],
        (None, None | Some(Stage::Flat)) => &[],
        // Devices are given what has been through all of them.
        (None, Some(_)) => nestled_pass::DEFAULT,
    };
    let program = apply(program, passes, how, options.distrust.gate())?;
    match options.stage {
        _ if options.kernels => Ok(kernel_table(&program)),
        None | Some(Stage::Flat | Stage::Fused) => Ok(nestled_ir::text::print(&program)),
        Some(stage) => code::text(
            &program,
            stage,
            options.kernel.as_deref(),
            (options.device, options.device_width, options.math),
        ),
    }
}

/// Position of a pass's last occurrence among the default passes.
fn position(name: &str) -> Result<usize, Failure> {
    let last = find(name)?;
    let position = nestled_pass::DEFAULT.iter().rposition(|pass| pass.name == last.name);
    position.ok_or_else(|| {
        Failure::usage(format!("`{name}` is not one of the default passes; use `nestled pass {name} FILE`"))
    })
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
