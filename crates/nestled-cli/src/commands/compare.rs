//! `nestled compare`: effect of optimising and fusing a program, on each device that is present or asked for.
//!
//! Three forms of one program, as in NESL/GPU's second table: *base* as the front end wrote it, *opt* after the passes that join no kernels,
//! *fused* after all of them. Results are compared to the last bit, also with those of the first device. The clock stands still for the program, so that the times that
//! programs measure themselves do not differ.

use crate::cli::Compare;
use crate::commands::pass::{apply, pass_options};
use crate::device;
use crate::exit_codes::Failure;
use crate::vcode;
use crate::{output, signals};
use nestled_devices::{Opened, Settings};
use nestled_ir::Program;
use nestled_ir::interp::Interrupt;
use nestled_ir::interp::QuietWorld;
use nestled_pass::{DEFAULT, Pass, PassOptions};
use nestled_rt::device::Math;
use nestled_rt::{Event, Executable, Trace, When};
use nestled_vcode::world::Streams;
use nestled_vcode::{Compiled, print};
use std::cell::RefCell;
use std::fmt::Write;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Compares each program on each device.
pub fn run(options: &Compare) -> Result<(), Failure> {
    let interrupt = signals::interrupt_or_exit();
    let mut differ = false;
    let devices = if options.device.is_empty() { nestled_devices::present() } else { options.device.clone() };
    for file in &options.files {
        let compiled = vcode::load(file, &options.vcode, &options.widths)?;
        // What the first form gave on the first device.
        let mut first = None;
        for &device in &devices {
            let settings = device::settings(options.threads, options.memory.as_deref(), &interrupt)?;
            let settings = Settings { math: Math::Strict, compile_first: true, ..settings };
            let opened = device::open_named(device, settings, &compiled.program)?;
            let forms = forms(&compiled, &opened, options, &interrupt)?;
            let title = format!("{} on {}", file.display(), opened.name());
            let first = first.get_or_insert_with(|| forms[0].result.clone());
            output::print(&table(&title, &forms, first))?;
            differ |= forms.iter().any(|form| form.result != *first);
        }
    }
    if differ {
        Err(Failure::failed("error: the forms of a program give different results, or devices do\n"))
    } else {
        Ok(())
    }
}

/// The passes that fuse kernels.
const JOINING: [&str; 3] = ["reads", "inline", "fuse"];

/// A form of a program, with its results and time.
struct Form {
    name: &'static str,
    /// The final stack, or the reason why the run ended without one.
    result: String,
    /// The median time of the runs.
    time: Duration,
    counts: Counts,
}

/// Counters of one run, as far as the host knows.
#[derive(Clone, Copy, Default)]
struct Counts {
    launches: u64,
    read: u64,
    written: u64,
}

impl Trace for Counts {
    fn event(&mut self, event: Event<'_>, _: When) {
        if let Event::Launch { work, .. } | Event::Native { work, .. } = event {
            self.launches += 1;
            self.read = self.read.saturating_add(work.read);
            self.written = self.written.saturating_add(work.written);
        }
    }
}

fn forms(
    compiled: &Compiled,
    opened: &Opened,
    options: &Compare,
    interrupt: &Interrupt,
) -> Result<Vec<Form>, Failure> {
    let unfused: Vec<&Pass> = DEFAULT.iter().copied().filter(|pass| !JOINING.contains(&pass.name)).collect();
    let mut forms = Vec::new();
    for (name, passes) in [("base", &[][..]), ("opt", &unfused), ("fused", DEFAULT)] {
        let pass_options = PassOptions {
            strict_math: true,
            limits: opened.limits(),
            rates: opened.rates(),
            ..pass_options(Math::Strict, options.fuse)
        };
        let program = apply(&compiled.program, passes, pass_options, options.distrust.gate())?;
        forms.push(form(name, compiled, &program, opened, (options, interrupt))?);
    }
    Ok(forms)
}

/// Runs a form, once for its results and counters, then for its time.
fn form(
    name: &'static str,
    compiled: &Compiled,
    program: &Program,
    opened: &Opened,
    (options, interrupt): (&Compare, &Interrupt),
) -> Result<Form, Failure> {
    let failed = |error: &nestled_rt::Error| Failure::failed(error.diagnostic().render(&program.sources));
    let executable = Executable::new(program, opened.device()).map_err(|error| failed(&error))?;
    let executable = executable.with_interrupt(interrupt.clone());
    let gate = options.reach.gate(&options.distrust);
    let timed = |executable: &Executable| {
        let _running = signals::enter(signals::Phase::Running);
        let mut world = QuietWorld::default();
        let (mut input, mut output, mut error) = (std::io::empty(), std::io::sink(), std::io::sink());
        let mut streams = Streams::new(&mut world, &mut input, &mut output, &mut error).behind(gate);
        let start = Instant::now();
        let results = executable.run(Program::ENTRY, &[], &[], &mut streams);
        (results, start.elapsed())
    };
    let result = match timed(&executable).0 {
        Ok(results) => print::stack(&compiled.outputs, &results),
        Err(error) if vcode::is_exit(&error) => "EXIT\n".to_owned(),
        // The same fault is the same result.
        Err(nestled_rt::Error::Fault(fault)) => format!("{} at point {}\n", fault.kind, fault.element),
        Err(error) => return Err(failed(&error)),
    };
    let mut times: Vec<Duration> = (0..options.runs.max(1)).map(|_| timed(&executable).1).collect();
    times.sort_unstable();
    let counts = Rc::new(RefCell::new(Counts::default()));
    let watched = executable.with_trace(Rc::clone(&counts) as _);
    let _ = timed(&watched);
    let counts = *counts.borrow();
    Ok(Form { name, result, time: times[times.len() / 2], counts })
}

/// A row for each measure, a column for each form.
fn table(title: &str, forms: &[Form], first: &str) -> String {
    let mut text = format!("{title}\n{:20}", "");
    for form in forms {
        let _ = write!(text, "{:>14}", form.name);
    }
    text.push('\n');
    let base = forms[0].time.as_secs_f64();
    let mut row = |name: &str, cell: &dyn Fn(&Form) -> String| {
        let _ = write!(text, "  {name:18}");
        for form in forms {
            let _ = write!(text, "{:>14}", cell(form));
        }
        text.push('\n');
    };
    row("time / base", &|form| format!("{:.2}", form.time.as_secs_f64() / base));
    row("time, ms", &|form| format!("{:.3}", form.time.as_secs_f64() * 1e3));
    row("launches", &|form| form.counts.launches.to_string());
    row("bytes read", &|form| form.counts.read.to_string());
    row("bytes written", &|form| form.counts.written.to_string());
    row("results", &|form| differences(first, &form.result));
    text
}

/// Number of slots of the final stack in which two runs differ.
fn differences(left: &str, right: &str) -> String {
    let (left, right): (Vec<&str>, Vec<&str>) = (left.lines().collect(), right.lines().collect());
    let missing = left.len().abs_diff(right.len());
    match left.iter().zip(&right).filter(|(a, b)| a != b).count() + missing {
        0 => "the same".to_owned(),
        1 => "1 differs".to_owned(),
        several => format!("{several} differ"),
    }
}
