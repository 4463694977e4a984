//! Programs whose plan is slower than no fusion, or than a greedy plan: benchmarks, statements of the examples in NESL, and random pipelines.
//!
//! What seems to lose is measured again, in more turns. Losing against no fusion is an error.

use crate::bench::Size;
use crate::catalog;
use crate::examples::EXAMPLES;
use crate::options::Options;
use crate::plans::{Plans, parsed};
use crate::session::{evaluate, session_on};
use nestled_ir::interp::World;
use nestled_ir::value::{AxisValue, Value, infer_shapes};
use nestled_nesl::Dialect;
use nestled_nesl::engine::{Backend, Halt};
use nestled_pass::fuse::solve::Planner;
use nestled_rt::device::Device;
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

/// A plan that takes more than this part longer than another one loses.
const LOSS: f64 = 1.05;

/// Number of turns, and of those for a plan that seems to lose.
const TURNS: [u32; 2] = [3, 15];

/// Programs of one kind: how many there are, and how many lose.
#[derive(Default)]
struct Tally {
    programs: usize,
    against_none: usize,
    against_greedy: usize,
}

/// Looks for plans that lose, and lists them.
///
/// # Errors
/// If a plan is slower than no fusion, gives another result, or nothing runs.
pub fn run(options: &Options) -> Result<(), String> {
    let device = &crate::device::open(options.device, options.threads)?;
    let mut lost = 0;
    if !options.check {
        lost += benches(options, device)?.told("benchmarks");
        if options.names.is_empty() {
            lost += examples(device)?.told("statements of examples");
        }
    }
    if options.random > 0 {
        lost += pipelines(options, device)?.told("random pipelines");
    }
    match lost {
        0 => Ok(()),
        lost => {
            Err(format!("{lost} plans are slower than no fusion by more than {:.0} %", (LOSS - 1.0) * 100.0))
        }
    }
}

/// The benchmarks that are written with an operation or so to a kernel, or those of them that are named.
fn benches(options: &Options, device: &Rc<dyn Device>) -> Result<Tally, String> {
    let mut tally = Tally::default();
    let named = |name: &str| options.names.is_empty() || options.names.iter().any(|other| other == name);
    for bench in catalog::unfused().iter().filter(|bench| named(bench.name)) {
        let case = (bench.case)(bench.sizes.of(Size::Small));
        let program = parsed(bench.name, bench.program)?;
        let main = program.find_function(nestled_ir::Program::ENTRY).ok_or("it has no `main`")?;
        let shapes = match case.shapes {
            Some(shapes) => shapes,
            None => infer_shapes(&program, main, &case.args).map_err(|error| error.to_string())?,
        };
        tally.count(bench.name, &mut Plans::new(bench.name, &program, &shapes, &case.args, device)?)?;
    }
    Ok(tally)
}

/// Every statement of the examples, on the data that statements before it made.
fn examples(device: &Rc<dyn Device>) -> Result<Tally, String> {
    let tally = Rc::new(RefCell::new(Tally::default()));
    for &(name, source) in EXAMPLES {
        let (device, tally) = (Rc::clone(device), Rc::clone(&tally));
        let mut session =
            session_on(Dialect::default(), Box::new(Counted { name, statement: 0, device, tally }));
        evaluate(&mut session, source)?;
    }
    Ok(tally.take())
}

/// Random pipelines of kernels over a million elements.
fn pipelines(options: &Options, device: &Rc<dyn Device>) -> Result<Tally, String> {
    let mut tally = Tally::default();
    for seed in options.seed..options.seed + options.random {
        let name = format!("pipeline {seed}");
        let source = crate::pipelines::pipeline(seed);
        if tally.count(&name, &mut Plans::of_text(&name, &source, 1_000_000, device)?)? {
            println!("{:16}{}", "", kept(seed, &source)?);
        }
        eprint!(
            "\r{} of {}, {} lose",
            tally.programs,
            options.random,
            tally.against_none + tally.against_greedy
        );
    }
    eprintln!();
    Ok(tally)
}

/// Writes a pipeline that loses to a file, whose path is the result.
fn kept(seed: u64, source: &str) -> Result<String, String> {
    let folder = std::env::temp_dir().join("nestled-losers");
    let file = folder.join(format!("pipeline-{seed}.lcu"));
    let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, source));
    written.map_err(|error| format!("cannot write `{}`: {error}", file.display()))?;
    Ok(file.display().to_string())
}

impl Tally {
    /// Measures the plans of a program, and prints those that lose; returns whether any does.
    fn count(&mut self, name: &str, plans: &mut Plans) -> Result<bool, String> {
        self.programs += 1;
        let [few, many] = TURNS;
        let mut times = plans.time(few)?;
        if !times.lost(LOSS).is_empty() {
            times = plans.time(many)?;
        }
        let lost = times.lost(LOSS);
        if lost.is_empty() {
            return Ok(false);
        }
        let names: Vec<&str> = lost.iter().map(|planner| planner.name()).collect();
        println!("{}  loses against {}", times.line(name, &plans.costs), names.join(", "));
        match lost.contains(&Planner::Off) {
            true => self.against_none += 1,
            false => self.against_greedy += 1,
        }
        Ok(true)
    }

    /// Prints the sum; returns the number of those that lose against no fusion.
    fn told(&self, kind: &str) -> usize {
        let Tally { programs, against_none, against_greedy } = self;
        let part = (LOSS - 1.0) * 100.0;
        println!(
            "{programs} {kind}: {against_none} lose more than {part:.0} % against no fusion, {against_greedy} others against a greedy plan"
        );
        *against_none
    }
}

/// A back end that measures the plans of each statement.
struct Counted {
    name: &'static str,
    /// The number of the statement that runs, among those that compute.
    statement: usize,
    device: Rc<dyn Device>,
    tally: Rc<RefCell<Tally>>,
}

impl fmt::Debug for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Counted").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Backend for Counted {
    fn run(
        &mut self,
        program: &nestled_ir::Program,
        shapes: &[AxisValue],
        args: &[Value],
        _: &mut dyn World,
    ) -> Result<Vec<Value>, Halt> {
        self.statement += 1;
        let name = format!("{}, {}", self.name, self.statement);
        let measured = || {
            let mut plans = Plans::new(&name, program, shapes, args, &self.device)?;
            self.tally.borrow_mut().count(&name, &mut plans)?;
            plans.values()
        };
        measured().map_err(Halt::Other)
    }
}
