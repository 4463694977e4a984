//! `nestled explain`: the fusion report of a program (which runs of kernels were fused, which not, and why), and the CPU's schedules.

use crate::cli::Explain;
use crate::commands::pass::{apply_in, limits, pass_options};
use crate::exit_codes::Failure;
use crate::explain::{data, graph, schedules, words};
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
    if let Some(file) = options.file.as_ref().filter(|_| options.expression.is_none())
        && let kind = Kind::of(file, options.lang)
        && kind != Kind::Nesl
    {
        return explain(options, &load(file, kind, &options.vcode, &options.nesl.widths)?);
    }
    let texts = nesl_texts(options.file.as_deref(), options.expression.as_deref())?;
    let programs = nesl::flat::programs(&texts, &options.nesl)?;
    if options.draw.is_some() && programs.len() > 1 {
        let text = "a NESL program with several expressions is several programs; `--dot` prints their graphs";
        return Err(Failure::usage(text));
    }
    for (statement, program) in programs {
        if !options.dot && !options.json {
            output::print(&format!("% {} %\n", statement.replace('%', "‰")))?;
        }
        explain(options, &program)?;
    }
    Ok(())
}

fn explain(options: &Explain, program: &Program) -> Result<(), Failure> {
    let limits = limits(&options.limits)?;
    let mut cx = PassContext::new(PassOptions { limits, ..pass_options(options.math, options.fuse) });
    cx.explain = true;
    let program =
        apply_in(&Finished::off(), &mut cx, program, nestled_pass::DEFAULT, options.distrust.gate())?;
    let mut regions = cx.fusion;
    if let Some(name) = &options.function {
        regions.retain(|region| *region.function == **name);
    }
    if let Some(path) = &options.draw {
        return draw(&graph::dot(&regions), path);
    }
    match (options.dot, options.json) {
        (true, _) => output::print(&graph::dot(&regions)),
        (false, true) => output::print(&data::json(&program, &regions, &cx.runs_changed)),
        (false, false) => {
            let target = nestled_cpu::codegen::host(options.device_width);
            let schedules = schedules::text(&program, options.function.as_deref(), &target);
            output::print(&(words::text(&program, &regions, &cx.runs_changed) + &schedules))
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
