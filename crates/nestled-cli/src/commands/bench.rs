//! `nestled bench`: measures the statements of a program, at several sizes, and compares them with an earlier measurement.

use crate::bench::{Measurement, chart, file, measure, table};
use crate::cli::{Bench, Run};
use crate::commands::pass::{apply_in, context, pass_options};
use crate::commands::run::{failure, no_function};
use crate::exit_codes::Failure;
use crate::kinds::Kind;
use crate::load::load;
use crate::nesl::observed::{Arguments, observed};
use crate::nesl::run::Shown;
use crate::{device, files, input, nesl, output, signals};
use nestled_finished::Finished;
use nestled_ir::expressions::{joined, outermost};
use nestled_ir::interp::Interrupt;
use nestled_ir::{Program, Span};
use nestled_pass::PassOptions;
use nestled_rt::Executable;
use std::cell::RefCell;
use std::io::IsTerminal;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Measures, prints, writes, compares.
pub fn run(options: &Bench) -> Result<(), Failure> {
    for path in options.record.iter().chain(&options.chart) {
        files::check_path(path, if options.chart.as_ref() == Some(path) { &["svg"] } else { &["json"] })?;
    }
    let old = options.old.as_deref().map(file::read).transpose()?.unwrap_or_default();
    let kind = options.file.as_deref().map_or(Kind::Nesl, |file| Kind::of(file, options.lang));
    let measured = match kind {
        Kind::Nesl => run_nesl(options)?,
        Kind::Lcu => run_lcu(options)?,
        Kind::Vcode => {
            let text = "`nestled bench` is for λcu and NESL; `nestled compare` measures programs in VCODE";
            return Err(Failure::usage(text));
        }
    };
    if measured.is_empty() {
        return Err(Failure::usage("there is nothing to measure: no statement launches a kernel"));
    }
    let rows = table::rows(&measured, &old);
    output::print(&table::text(&rows, options.worse))?;
    if let Some(path) = &options.record {
        file::write(path, &measured)?;
    }
    if let Some(path) = &options.chart {
        files::write_with(path, |out| out.write_all(chart::svg(&measured).as_bytes()))?;
    }
    if options.old.is_some() && rows.iter().all(|row| row.old.is_none()) {
        return Err(Failure::usage("none of these statements and sizes is in the old measurement"));
    }
    match rows.iter().filter(|row| row.is_worse(options.worse)).count() {
        0 => Ok(()),
        1 => Err(Failure::failed("slower: one measurement\n")),
        count => Err(Failure::failed(format!("slower: {count} measurements\n"))),
    }
}

/// The options that `nestled run` would have, with `n` bound to a size.
fn as_run(options: &Bench, n: Option<u64>) -> Result<Run, Failure> {
    let size = n.map(|n| format!("n={n}"));
    let mut words: Vec<(&str, &str)> = Vec::new();
    words.extend(options.named.iter().map(|named| ("arg", &**named)));
    words.extend(size.iter().map(|size| ("arg", &**size)));
    words.extend(options.shape.iter().map(|shape| ("shape", &**shape)));
    words.extend(options.device.iter().map(|device| ("device", &**device)));
    words.extend(options.function.iter().map(|function| ("fn", &**function)));
    let run = Run::of(&words, options.file.as_deref(), options.expression.as_deref(), &options.args)?;
    let (nesl, distrust) = (options.nesl.clone(), options.distrust.clone());
    let (lang, math, fuse, threads) = (options.lang, options.math, options.fuse, options.threads);
    Ok(Run { lang, math, fuse, threads, nesl, distrust, ..run })
}

fn run_lcu(options: &Bench) -> Result<Vec<Measurement>, Failure> {
    let run = as_run(options, None)?;
    let Some(file) = &options.file else { return Ok(Vec::new()) };
    let program = load(file, Kind::Lcu, &run.vcode.reading, &run.nesl.widths)?;
    let function =
        program.find_function(&run.function).ok_or_else(|| no_function(&program, &run.function))?;
    let room = device::room(run.memory.as_deref())?;
    let arguments = input::arguments(&program, function, run.shape.as_deref(), &run.args, room)?;
    let place = program.sources.describe(program.function(function).span).unwrap_or_default();
    let mut measuring = Statements::new(run, None, options.seconds);
    let start = Instant::now();
    let (shapes, values) = (&*arguments.shapes, &*arguments.values);
    let name = measuring.run.function.clone();
    measuring.add(&program, (shapes, values), (name, place), |executable, function| {
        executable.run(function, shapes, values, &mut nestled_ir::interp::QuietWorld::default())?;
        Ok(start.elapsed())
    })?;
    Ok(measuring.measured)
}

/// Runs the program once for each size; each statement that has run is measured.
fn run_nesl(options: &Bench) -> Result<Vec<Measurement>, Failure> {
    let sizes: Vec<Option<u64>> = match &options.sizes {
        None => vec![None],
        Some(sizes) => sizes.0.iter().copied().map(Some).collect(),
    };
    let mut measured = Vec::new();
    for n in sizes {
        let run = as_run(options, n)?;
        let statements = Rc::new(RefCell::new(Statements::new(as_run(options, n)?, n, options.seconds)));
        let own = Rc::clone(&statements);
        nesl::run::run_with(&run, Shown::None, |engine| {
            observed(engine, move |program, arguments, first| {
                own.borrow_mut().add(program, arguments, name(program), |_, _| Ok(first))
            })
        })?;
        measured.append(&mut statements.borrow_mut().measured);
    }
    Ok(measured)
}

/// The statements that have been measured at one size, and what it takes to measure more.
struct Statements {
    run: Run,
    n: Option<u64>,
    budget: Duration,
    interrupt: Interrupt,
    measured: Vec<Measurement>,
}

impl Statements {
    fn new(run: Run, n: Option<u64>, budget: Duration) -> Statements {
        Statements { run, n, budget, interrupt: signals::interrupt(), measured: Vec::new() }
    }

    /// Measures a function after the passes. `first` runs it and says how long that took.
    fn add(
        &mut self,
        program: &Program,
        arguments: Arguments<'_>,
        (text, place): (String, String),
        first: impl FnOnce(&Executable, &str) -> Result<Duration, nestled_rt::Error>,
    ) -> Result<(), Failure> {
        if std::io::stderr().is_terminal() {
            let at = self.n.map_or(String::new(), |n| format!(", n = {n}"));
            eprintln!("measuring {text}{at}");
        }
        let run = &self.run;
        let math = run.math.or_strict(run.nesl.compat);
        let opened = device::open_compiled(run, math, program, &self.interrupt)?;
        let keep_all = run.function != Program::ENTRY;
        let options = pass_options(math, run.fuse);
        let options = PassOptions { keep_all, limits: opened.limits(), rates: opened.rates(), ..options };
        let mut cx = context(options, run.gate())?;
        let program = apply_in(&Finished::of_user(), &mut cx, program, nestled_pass::DEFAULT, run.gate())?;
        let refused = |error: nestled_rt::Error| failure(&error, &program);
        let executable = Executable::new(&program, opened.device()).map_err(refused)?;
        let executable = executable.with_interrupt(self.interrupt.clone());
        let first = first(&executable, &run.function).map_err(refused)?;
        let times = measure(&executable, &run.function, arguments, self.budget).map_err(refused)?;
        self.measured.push(Measurement::new((text, place), self.n, first.as_secs_f64(), times));
        Ok(())
    }
}

/// The text of the statement that a program was made of, and its place.
fn name(program: &Program) -> (String, String) {
    let entry = program.find_function(Program::ENTRY).map(|id| program.function(id));
    let own = |function: &nestled_ir::Function| function.span.is_known().then_some(function.span);
    let parts = |function: &nestled_ir::Function| {
        let spans: Vec<Span> = function.body.stmts.iter().map(|stmt| stmt.span).collect();
        outermost(spans)
    };
    let places = entry.map(|function| own(function).map_or_else(|| parts(function), |span| vec![span]));
    let places = places.unwrap_or_default();
    let text = joined(&program.sources, &places).unwrap_or_else(|| "a statement".to_owned());
    let place = places.first().and_then(|place| program.sources.describe(*place));
    (text, place.unwrap_or_default())
}
