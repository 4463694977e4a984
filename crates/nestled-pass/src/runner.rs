//! Pass runner: runs passes, times each, verifies and renumbers its result, and reports a pass that made an invalid program.

use crate::fuse;
use crate::pass::{Pass, PassContext, RunsChanged, Timing};
use nestled_ir::{Diagnostic, HostOp, Program, render_all, text};
use std::fmt;
use std::time::Instant;

/// A pass made an invalid program out of a valid one: a bug of the pass, never of the user.
///
/// [`Display`](fmt::Display) gives the whole report, to be written to a file and sent to us.
#[derive(Clone, Debug)]
pub struct PassBug {
    /// The name of the pass.
    pub pass: &'static str,
    /// The text of the program it was given.
    pub before: String,
    /// The text of the program it made.
    pub after: String,
    /// The verifier's diagnostics about the program it made.
    pub diagnostics: Vec<Diagnostic>,
    /// The diagnostics with the lines of the user's source that they are about.
    pub rendered: String,
}

/// Runs passes one after another on a verified program.
///
/// # Errors
///
/// A [`PassBug`] if verifying is on and a pass makes an invalid program.
pub fn run(program: &Program, passes: &[&Pass], cx: &mut PassContext) -> Result<Program, Box<PassBug>> {
    let mut program = program.clone();
    for pass in passes {
        if pass.changes_rounding && cx.options.strict_math {
            continue;
        }
        program = run_one(&program, pass, cx)?;
    }
    Ok(program)
}

fn run_one(program: &Program, pass: &Pass, cx: &mut PassContext) -> Result<Program, Box<PassBug>> {
    let start = Instant::now();
    let mut next = (pass.run)(program, cx);
    cx.timings.push(Timing { pass: pass.name, start, time: start.elapsed() });
    if cx.options.verify {
        // Before renumbering, which may itself trip over ids that name nothing.
        nestled_ir::verify::verify(&next).map_err(|errors| bug(pass, program, &next, errors))?;
    }
    nestled_ir::compact::renumber(&mut next);
    if cx.explain && pass.name != fuse::PASS.name && !has_run(cx, &fuse::PASS) {
        let (before, after) = (count_runs(program), count_runs(&next));
        if before != after {
            cx.runs_changed.push(RunsChanged { pass: pass.name, before, after });
        }
    }
    if let Some(observer) = &mut cx.observer {
        observer(pass, &next);
    }
    Ok(next)
}

fn has_run(cx: &PassContext, pass: &Pass) -> bool {
    cx.timings.iter().any(|timing| timing.pass == pass.name)
}

/// Counts the statements of host code that run a kernel.
fn count_runs(program: &Program) -> usize {
    let mut runs = 0;
    for function in &program.functions {
        function.body.walk(&mut |stmt| runs += usize::from(matches!(stmt.op, HostOp::Run { .. })));
    }
    runs
}

fn bug(pass: &Pass, before: &Program, after: &Program, diagnostics: Vec<Diagnostic>) -> Box<PassBug> {
    let rendered = render_all(&diagnostics, &after.sources);
    // An id that names nothing can keep the program from being printed; its data are better than a report that is lost.
    let after = std::panic::catch_unwind(|| text::print(after)).unwrap_or_else(|_| format!("{after:#?}\n"));
    Box::new(PassBug { pass: pass.name, before: text::print(before), after, diagnostics, rendered })
}

impl fmt::Display for PassBug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PassBug { pass, before, after, diagnostics: _, rendered } = self;
        writeln!(f, "; the pass `{pass}` made an invalid program; this is a bug of Nestled")?;
        writeln!(f, "; please report it with this text")?;
        writeln!(f, ";")?;
        for line in rendered.lines() {
            writeln!(f, "; {line}")?;
        }
        writeln!(f, "\n; ---- before `{pass}` ----\n{before}")?;
        write!(f, "\n; ---- after `{pass}` ----\n{after}")
    }
}

impl std::error::Error for PassBug {}
