//! `nestled show` for NESL: a program at one of its stages.

use super::{dialect, flat};
use crate::cli::{Show, Stage};
use crate::commands::pass::pass_options;
use crate::commands::show;
use crate::exit_codes::Failure;
use crate::load::nesl_texts;
use crate::output;
use nestled_nesl::{Checked, Session, ast, core};
use nestled_vcode::emit::Translation;
use std::fmt::Write;

/// Prints the program, by default as it was read.
pub fn run(options: &Show) -> Result<(), Failure> {
    let of_lcu = options.after.is_some() || options.kernels;
    let stage = options.stage.unwrap_or(if of_lcu { Stage::Flat } else { Stage::Ast });
    match stage {
        Stage::Ast | Stage::Typed | Stage::Core => {}
        Stage::Vcode | Stage::Fcode => return stack_program(options, stage == Stage::Fcode),
        _ => return flat_programs(options),
    }
    let texts = nesl_texts(options.file.as_deref(), options.expression.as_deref())?;
    let mut session = Session::new(dialect(&options.nesl));
    let mut out = String::new();
    for item in texts.iter().flat_map(|(name, text)| session.read(name, text)).collect::<Vec<_>>() {
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

/// Prints the program in VCODE, or in FCODE.
fn stack_program(options: &Show, superoperators: bool) -> Result<(), Failure> {
    let texts = nesl_texts(options.file.as_deref(), options.expression.as_deref())?;
    let mut session = Session::new(dialect(&options.nesl));
    let mut translation = Translation::default();
    for item in texts.iter().flat_map(|(name, text)| session.read(name, text)).collect::<Vec<_>>() {
        let statement = item.map_err(|error| Failure::failed(error.render(&session.sources)))?;
        let translated = translation.statement(&mut session, &statement);
        translated.map_err(|errors| Failure::failed(nestled_ir::render_all(&errors, &session.sources)))?;
    }
    output::print(&translation.finish(superoperators).text())
}

/// Prints the program of each statement, as a program in λcu is shown; for one kernel, the programs that contain it.
fn flat_programs(options: &Show) -> Result<(), Failure> {
    let mut out = String::new();
    let mut without = None;
    let texts = nesl_texts(options.file.as_deref(), options.expression.as_deref())?;
    for (statement, program) in flat::programs(&texts, &options.nesl)? {
        match show::text(options, &program, pass_options(options.math, options.fuse)) {
            Ok(text) => {
                let _ = writeln!(out, "; {}\n{text}", statement.replace('\n', "\n; "));
            }
            Err(failure) if options.kernel.is_some() => without = Some(failure),
            Err(failure) => return Err(failure),
        }
    }
    match without {
        Some(failure) if out.is_empty() => Err(failure),
        _ => output::print(&out),
    }
}
