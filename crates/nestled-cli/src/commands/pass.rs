//! `nestled pass`: runs just the named passes.

use crate::cli::PassCommand;
use crate::exit_codes::{BUG, Failure};
use crate::kinds::Kind;
use crate::load::load;
use crate::mip::Outside;
use crate::{kept, output};
use nestled_finished::Finished;
use nestled_ir::interp::Gate;
use nestled_ir::{Program, render_all};
use nestled_pass::fuse::solve::Planner;
use nestled_pass::{Limits, PASSES, Pass, PassContext, PassOptions};
use nestled_rt::device::Math;
use std::rc::Rc;

/// Runs the named passes and prints the program.
pub fn run(options: &PassCommand) -> Result<(), Failure> {
    if options.list {
        let rows: Vec<String> =
            PASSES.iter().map(|pass| format!("  {:14} {}\n", pass.name, pass.summary)).collect();
        return output::print(&format!("Passes:\n{}", rows.concat()));
    }
    let passes = options
        .passes
        .as_deref()
        .unwrap_or_default()
        .split(',')
        .map(find)
        .collect::<Result<Vec<&Pass>, Failure>>()?;
    let file = options.file.as_ref().ok_or_else(|| Failure::usage("no program is named"))?;
    let limits = limits(&options.limits)?;
    let mut cx = PassContext::new(PassOptions { limits, ..pass_options(options.math, options.fuse) });
    let program = load(file, Kind::of(file, options.lang), &options.vcode, &options.widths)?;
    let program = apply_in(&Finished::off(), &mut cx, &program, &passes, options.distrust.gate())?;
    if !options.limits.is_empty() && !cx.refused.is_empty() {
        return Err(Failure::refused(&render_all(&cx.refused, &program.sources), cx.refused.len()));
    }
    output::print(&nestled_ir::text::print(&program))
}

/// The pass with this name.
pub fn find(name: &str) -> Result<&'static Pass, Failure> {
    let name = name.trim();
    nestled_pass::find(name).ok_or_else(|| {
        let names: Vec<&str> = PASSES.iter().map(|pass| pass.name).collect();
        Failure::usage(format!("no pass is called `{name}`; there are: {}", names.join(", ")))
    })
}

/// The limits of the device, with some of them lowered.
pub fn limits(lowered: &[(String, u64)]) -> Result<Limits, Failure> {
    let mut limits = Limits::default();
    for (name, limit) in lowered {
        limits.set(name, *limit).map_err(|unknown| Failure::usage(unknown.to_string()))?;
    }
    Ok(limits)
}

/// Options of passes from the command line. Passes are always verified: a wrong program must not run.
pub fn pass_options(math: Math, planner: Planner) -> PassOptions {
    PassOptions { strict_math: math == Math::Strict, planner, verify: true, ..PassOptions::default() }
}

/// The context of passes. The planner `ilp` needs a solver outside, which is a process.
pub fn context(options: PassOptions, gate: Gate) -> Result<PassContext, Failure> {
    let mut cx = PassContext::new(options);
    if options.planner == Planner::Ilp {
        gate.processes().map_err(|refused| Failure::usage(format!("`--fuse ilp`: {refused}")))?;
        cx.mip = Some(Rc::new(Outside::find().map_err(Failure::usage)?));
    }
    Ok(cx)
}

/// Runs passes, and verifies the result.
pub fn apply(
    program: &Program,
    passes: &[&Pass],
    options: PassOptions,
    gate: Gate,
) -> Result<Program, Failure> {
    apply_in(&Finished::off(), &mut context(options, gate)?, program, passes, gate)
}

/// The same; what is learned on the way stays in the context. A program that was finished before is found. A pass that breaks the program is our bug: both
/// programs go into a file.
pub fn apply_in(
    finished: &Finished,
    cx: &mut PassContext,
    program: &Program,
    passes: &[&Pass],
    gate: Gate,
) -> Result<Program, Failure> {
    finished.run(program, passes, cx).map_err(|bug| {
        let kept = kept::keep(gate, &bug.to_string());
        Failure {
            message: format!(
                "bug in nestled: the pass `{}` made an invalid program\n{}\n{kept}\nplease report it with the program\n",
                bug.pass, bug.rendered
            ),
            code: BUG,
        }
    })
}
