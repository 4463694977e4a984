//! `nestled run`: runs a function and prints its results.

use crate::cli::Run;
use crate::commands::pass::{apply_in, context, pass_options};
use crate::device;
use crate::exit_codes::{BUG, FAILED, Failure, INTERRUPTED, USAGE};
use crate::kinds::Kind;
use crate::load::load;
use crate::terminal::Terminal;
use crate::watch::Watch;
use crate::{files, input, nesl, output, signals, vcode};
use nestled_devices::Opened;
use nestled_finished::Finished;
use nestled_ir::Program;
use nestled_ir::interp::{Interrupt, World};
use nestled_ir::value::{Abridged, Arguments, Value};
use nestled_pass::PassOptions;
use nestled_rt::{Error, Executable, npy};
use nestled_vcode::{Output, Unequal};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Number of list entries printed unless all are asked for.
const ENTRIES: u64 = 100;

/// Loads, compiles, runs, prints.
pub fn run(options: &Run) -> Result<(), Failure> {
    let start = Instant::now();
    let Some(file) = options.file.as_ref().filter(|_| options.expression.is_none()) else {
        return nesl::run::run(options);
    };
    let kind = Kind::of(file, options.lang);
    let (reading, widths) = (&options.vcode.reading, &options.nesl.widths);
    if kind == Kind::Nesl {
        return nesl::run::run(options);
    }
    if let Some(path) = &options.output {
        files::check_path(path, &["npy"])?;
    }
    if kind == Kind::Lcu {
        let program = load(file, kind, reading, widths)?;
        return run_program(options, (program, None), start).map_err(Stopped::into_failure);
    }
    let compiled = vcode::load(file, reading, widths)?;
    let stopped = match run_program(options, (compiled.program, Some(compiled.outputs)), start) {
        Err(Stopped::Unequal(failure)) if !reading.unchecked && !options.vcode.check => failure,
        done => return done.map_err(Stopped::into_failure),
    };
    // Programs are compiled for vectors that fit each other. In some of the original's a vector is longer than the one it meets, and what is too much was
    // never looked at. One that has done nothing yet can begin once more.
    let compiled = vcode::load_where(file, reading, widths, Unequal::Cut)?;
    match run_program(options, (compiled.program, Some(compiled.outputs)), Instant::now()) {
        Ok(()) => {
            eprintln!("note: vectors of unequal lengths met, and the longer ones were cut");
            Ok(())
        }
        // One was too short: that was told better before.
        Err(Stopped::Unequal(_) | Stopped::Failed(Failure { code: FAILED, .. })) => Err(stopped),
        Err(Stopped::Failed(failure)) => Err(failure),
    }
}

/// The reason why a program did not come to its end.
enum Stopped {
    Failed(Failure),
    /// Vectors of VCODE differed in length, before anything was read or written.
    Unequal(Failure),
}

impl Stopped {
    fn into_failure(self) -> Failure {
        match self {
            Stopped::Failed(failure) | Stopped::Unequal(failure) => failure,
        }
    }
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Stopped {
        Stopped::Failed(failure)
    }
}

/// Compiles, runs, prints. A program in VCODE comes with the outputs that its results are.
fn run_program(
    options: &Run,
    (program, outputs): (Program, Option<Vec<Output>>),
    start: Instant,
) -> Result<(), Stopped> {
    let mut watch = Watch::new(options, &program.sources, start)?;
    watch.phase("reading the program", start);
    let function =
        program.find_function(&options.function).ok_or_else(|| no_function(&program, &options.function))?;
    let start = Instant::now();
    let room = device::room(options.memory.as_deref())?;
    let arguments = input::arguments(&program, function, options.shape.as_deref(), &options.args, room)?;
    watch.phase("reading arguments", start);
    let passes: &[_] = if options.no_passes { &[] } else { nestled_pass::DEFAULT };
    let keep_all = options.function != Program::ENTRY;
    let interrupt = signals::interrupt_or_exit();
    let kind = if outputs.is_some() { Kind::Vcode } else { Kind::Lcu };
    let math = vcode::math(kind, options.math);
    let opened = device::open(options, math, &program, &interrupt)?;
    let limits = opened.limits();
    let start = Instant::now();
    let math = pass_options(math, options.fuse);
    let mut cx = context(PassOptions { keep_all, limits, rates: opened.rates(), ..math }, options.gate())?;
    let compiled = apply_in(&Finished::of_user(), &mut cx, &program, passes, options.gate())?;
    watch.passes(&cx.timings, start);
    let start = Instant::now();
    let with = With { opened: &opened, interrupt, is_vcode: outputs.is_some() };
    let results = execute(options, &compiled, &arguments, with, &mut watch);
    let _ending = signals::enter(signals::Phase::Ending);
    if options.vcode.time {
        eprintln!("elapsed time = {:.6} seconds", start.elapsed().as_secs_f64());
    }
    watch.finish()?;
    if options.stats {
        device::say_counts(&opened);
    }
    let Some(results) = results? else { return Ok(()) };
    if let Some(outputs) = outputs {
        return Ok(output::print(&nestled_vcode::print::stack(&outputs, &results))?);
    }
    Ok(match &options.output {
        Some(path) => write_results(path, &results),
        None => print_results(&results, options.full),
    }?)
}

/// The message that there is no such function, with the functions that there are.
pub fn no_function(program: &Program, wanted: &str) -> Failure {
    let names: Vec<&str> = program.functions.iter().map(|function| &*function.name).collect();
    let there = match names.as_slice() {
        [] => "it has none at all".to_owned(),
        names => format!("there are: {}", names.join(", ")),
    };
    let help = if program.kernels.iter().any(|kernel| &*kernel.name == wanted) {
        "\n  kernels do not run by themselves: a function says `run`"
    } else if wanted == Program::ENTRY && !names.is_empty() {
        "\n  `--fn NAME` runs another function than `main`"
    } else {
        ""
    };
    Failure::usage(format!("the program has no function `{wanted}`; {there}{help}"))
}

/// The environment of a run.
struct With<'a> {
    opened: &'a Opened,
    interrupt: Interrupt,
    is_vcode: bool,
}

/// Runs the program on the chosen device. There are no results if a VCODE program has ended itself.
fn execute(
    options: &Run,
    program: &Program,
    arguments: &Arguments,
    With { opened, interrupt, is_vcode }: With<'_>,
    watch: &mut Watch,
) -> Result<Option<Vec<Value>>, Stopped> {
    let start = Instant::now();
    let executable = Executable::new(program, opened.device()).map_err(|error| failure(&error, program))?;
    device::say_hint(opened);
    let executable = watch.over(executable).with_interrupt(interrupt.clone());
    let mut terminal = Terminal::new(options.gate(), interrupt);
    watch.phase("making ready", start);
    let start = Instant::now();
    let _running = signals::enter(signals::Phase::Running);
    let run = |world: &mut dyn World| {
        executable.run(&options.function, &arguments.shapes, &arguments.values, world)
    };
    let (results, untouched) = match is_vcode {
        true => vcode::with_streams(
            &mut terminal,
            (options.gate(), device::room(options.memory.as_deref())?),
            run,
        ),
        false => (run(&mut terminal), false),
    };
    watch.phase("host code", start);
    match (terminal.failure, results) {
        (Some(failure), _) => Err(failure.into()),
        (None, Err(error)) if is_vcode && vcode::is_exit(&error) => Ok(None),
        (None, Err(error)) if untouched && vcode::is_unequal(&error) => {
            Err(Stopped::Unequal(failure(&error, program)))
        }
        (None, results) => results.map(Some).map_err(|error| failure(&error, program).into()),
    }
}

pub fn failure(error: &Error, program: &Program) -> Failure {
    let code = match error {
        Error::Interrupted => return Failure { message: "interrupted\n".to_owned(), code: INTERRUPTED },
        Error::Bug(_) => BUG,
        Error::BadArgument(_) => USAGE,
        Error::Fault(_)
        | Error::OutOfMemory { .. }
        | Error::Points { .. }
        | Error::Depth { .. }
        | Error::Unsupported { .. }
        | Error::Lost(_) => FAILED,
    };
    let diagnostic = match error {
        Error::OutOfMemory { .. } => {
            error.diagnostic().help("`--memory SIZE` sets how much a program may hold")
        }
        _ => error.diagnostic(),
    };
    Failure { message: diagnostic.render(&program.sources), code }
}

/// One line for each result.
fn print_results(results: &[Value], full: bool) -> Result<(), Failure> {
    let entries = if full { u64::MAX } else { ENTRIES };
    let mut abridged = false;
    for value in results {
        let text = Abridged { value, entries }.to_string();
        abridged |= text.contains('…');
        output::print(&format!("{text}\n"))?;
    }
    if abridged {
        eprintln!("note: long lists are abridged (`…`); --full prints them whole, -o writes them to a file");
    }
    Ok(())
}

/// FILE, or FILE with a number before its extension where there are several.
fn write_results(path: &Path, results: &[Value]) -> Result<(), Failure> {
    for (position, result) in results.iter().enumerate() {
        let path = if results.len() == 1 { path.to_owned() } else { numbered(path, position) };
        let (shape, elements) = input::to_npy(result);
        files::write_with(&path, |out| npy::write(&shape, &elements, out))?;
    }
    Ok(())
}

pub fn numbered(path: &Path, position: usize) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().map_or("npy".into(), |extension| extension.to_string_lossy());
    path.with_file_name(format!("{stem}.{position}.{extension}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_results_are_numbered() {
        assert_eq!(numbered(Path::new("a/out.npy"), 1), Path::new("a/out.1.npy"));
    }
}
