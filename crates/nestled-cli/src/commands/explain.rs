//! `nestled explain`: the fusion report of a program (which runs of kernels were fused, which not, and why), and the CPU's schedules.

use crate::cli::Explain;
use crate::commands::measure;
use crate::commands::pass::{apply_in, context, limits, pass_options};
use crate::exit_codes::Failure;
use crate::explain::expected::Census;
use crate::explain::names::Names;
use crate::explain::{data, graph, programs, schedules, words};
use crate::kinds::Kind;
use crate::load::{load, nesl_texts};
use crate::{nesl, output};
use nestled_finished::Finished;
use nestled_ir::Program;
use nestled_pass::{PassContext, PassOptions};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs the default passes and prints the fusion report.
pub fn run(options: &Explain) -> Result<(), Failure> {
    if options.run {
        return measure::run(options);
    }
    let is_nesl = |file: &Path| Kind::of(file, options.lang) == Kind::Nesl;
    let (programs, by_expression) = match &options.file {
        Some(file) if options.expression.is_none() && !is_nesl(file) => {
            let kind = Kind::of(file, options.lang);
            (vec![(String::new(), load(file, kind, &options.vcode, &options.nesl.widths)?)], false)
        }
        file => {
            let texts = nesl_texts(file.as_deref(), options.expression.as_deref())?;
            (nesl::flat::programs(&texts, &options.nesl)?, true)
        }
    };
    if options.draw.is_some() && programs.len() > 1 {
        let text = "a NESL program with several expressions is several programs; `--dot` prints their graphs";
        return Err(Failure::usage(text));
    }
    if !options.expect.is_empty() {
        return check(options, &programs, by_expression);
    }
    let mut n_regions = 0;
    for (statement, program) in programs {
        if by_expression && !options.dot && !options.json {
            output::print(&format!("% {} %\n", statement.replace('%', "‰")))?;
        }
        explain(options, &program, by_expression, &mut n_regions)?;
    }
    Ok(())
}

/// Compares the numbers of kernels and launches of all programs together with the expected ones.
fn check(options: &Explain, programs: &[(String, Program)], by_expression: bool) -> Result<(), Failure> {
    let mut census = Census::default();
    for (_, program) in programs {
        let program = passed(options, &mut own_context(options)?, program)?;
        census.add(&program, options.function.as_deref(), Names::new(&program, by_expression));
    }
    census.differences(&options.expect).map_or(Ok(()), |text| Err(Failure::failed(text)))
}

fn own_context(options: &Explain) -> Result<PassContext, Failure> {
    let limits = limits(&options.limits)?;
    context(PassOptions { limits, ..pass_options(options.math, options.fuse) }, options.distrust.gate())
}

/// A program after the default passes.
fn passed(options: &Explain, cx: &mut PassContext, program: &Program) -> Result<Program, Failure> {
    apply_in(&Finished::off(), cx, program, nestled_pass::DEFAULT, options.distrust.gate())
}

/// Explains a program; `n_regions` counts the regions of all programs.
fn explain(
    options: &Explain,
    program: &Program,
    by_expression: bool,
    n_regions: &mut usize,
) -> Result<(), Failure> {
    let mut cx = PassContext { explain: true, ..own_context(options)? };
    let program = passed(options, &mut cx, program)?;
    if !options.limits.is_empty() {
        // What is explained is fusion, which keeps the limits in any case.
        cx.refused.iter().for_each(|refused| eprint!("{}", refused.render_warning(&program.sources)));
    }
    let names = Names::new(&program, by_expression);
    let mut regions = cx.fusion;
    if let Some(name) = &options.function {
        regions.retain(|region| *region.function == **name);
    }
    if let Some(folder) = &options.lp {
        programs::write(folder, *n_regions + 1, names, &regions)?;
        *n_regions += regions.len();
    }
    if let Some(path) = &options.draw {
        return draw(&graph::dot(names, &regions), path);
    }
    match (options.dot, options.json) {
        (true, _) => output::print(&graph::dot(names, &regions)),
        (false, true) => output::print(&data::json(names, &regions, &cx.runs_changed)),
        (false, false) => {
            let target = nestled_cpu::codegen::host(options.device_width);
            let schedules = schedules::text(&program, names, options.function.as_deref(), &target);
            output::print(&(words::text(&program, names, &regions, &cx.runs_changed) + &schedules))
        }
    }
}

/// Renders a graph with Graphviz; the extension of the file selects the format.
fn draw(dot: &str, path: &Path) -> Result<(), Failure> {
    let form = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    if !["svg", "png", "pdf"].contains(&form) {
        let path = path.display();
        return Err(Failure::usage(format!("{path}: the name of a drawing ends in .svg, .png or .pdf")));
    }
    let failed = |error: std::io::Error| {
        match error.kind() {
        std::io::ErrorKind::NotFound => Failure::failed(
            "the drawing is made by Graphviz, whose command `dot` is not there; `--dot` prints the graph itself\n".to_owned(),
        ),
        _ => Failure::failed(format!("`dot` failed: {error}\n")),
    }
    };
    let mut child = Command::new("dot")
        .arg(format!("-T{form}"))
        .arg("-o")
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let written = child.stdin.take().map(|mut stdin| stdin.write_all(dot.as_bytes()));
    let status = child.wait().map_err(failed)?;
    written.transpose().map_err(failed)?;
    if status.success() { Ok(()) } else { Err(Failure::failed(format!("`dot` failed: {status}\n"))) }
}
