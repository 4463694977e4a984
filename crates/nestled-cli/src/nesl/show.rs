//! `nestled show` for NESL: a program at one of its stages.

use super::{dialect, flat};
use crate::cli::{Show, Stage};
use crate::commands::pass::{apply, pass_options};
use crate::exit_codes::Failure;
use crate::load::read;
use crate::output;
use nestled_nesl::{Checked, Session, ast, core};
use std::fmt::Write;

/// Prints the program, by default as it was read.
pub fn run(options: &Show) -> Result<(), Failure> {
    let stage = options.stage.unwrap_or(Stage::Ast);
    if !matches!(stage, Stage::Ast | Stage::Typed | Stage::Core | Stage::Flat | Stage::Fused) {
        return Err(Failure::usage("of NESL programs there are the stages ast, typed, core, flat and fused"));
    }
    if matches!(stage, Stage::Flat | Stage::Fused) {
        return flat_programs(options, stage);
    }
    let (name, text) = read(&options.file)?;
    let mut session = Session::new(dialect(&options.nesl));
    let mut out = String::new();
    for item in session.read(&name, &text) {
        let statement = item.map_err(|error| Failure::failed(error.render(&session.sources)))?;
        if stage == Stage::Ast {
            let _ = writeln!(out, "{};", ast::print::statement(&statement));
            continue;
        }
        let result = session.check(&statement);
        if !result.errors.is_empty() {
            return Err(Failure::failed(nestled_ir::render_all(&result.errors, &session.sources)));
        }
        if stage == Stage::Typed {
            let _ = result.shown.map_or(Ok(()), |shown| writeln!(out, "{} : {}", shown.0, shown.1));
            continue;
        }
        let Some(Checked::Expr(expr) | Checked::Assign { value: expr, .. }) = result.checked else {
            continue;
        };
        let program = session.specialise(&expr);
        let (program, _) = program.map_err(|error| Failure::failed(error.render(&session.sources)))?;
        let _ = writeln!(out, "% {} %", ast::print::statement(&statement).replace('%', "‰"));
        out.push_str(&core::print(&program, session.core_types()));
        out.push('\n');
    }
    output::print(&out)
}

fn flat_programs(options: &Show, stage: Stage) -> Result<(), Failure> {
    let mut out = String::new();
    for (statement, mut program) in flat::programs(&options.file, &options.nesl)? {
        if stage == Stage::Fused {
            program = apply(&program, nestled_pass::DEFAULT, pass_options(&options.math, options.fuse))?;
        }
        let _ = writeln!(out, "; {}", statement.replace('\n', "\n; "));
        out.push_str(&nestled_ir::text::print(&program));
        out.push('\n');
    }
    output::print(&out)
}
