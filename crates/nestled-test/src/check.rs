//! Differential testing: checks one program on every engine.
//!
//! The judge is the reference interpreter. Whatever else can run programs, or change them without changing their meaning, is an
//! [`Engine`]; it must find the same values to the last bit, or the same site of a fault, and write the same lines.

use crate::cpu::{Cpu, Kernels};
use crate::generate::Case;
use crate::gpu::{self, Target};
use nestled_ir::compact::compact;
use nestled_ir::interp::{self, Error, TestWorld};
use nestled_ir::text::{parse, print};
use nestled_ir::value::{Value, same_bits};
use nestled_ir::verify::verify;
use nestled_ir::{Program, SiteId, render_all};
use nestled_pass::fuse::solve::Planner;
use nestled_pass::{DEFAULT, Limits, PASSES, Pass, PassContext, PassOptions};
use nestled_rt::{Reference, ReferenceConfig, run_on};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

/// The outcome of a run of a program.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The results of `main`, or the reason why there are none.
    pub end: Result<Vec<Value>, End>,
    /// The lines on standard output, then those on standard error.
    pub lines: Vec<String>,
}

/// The end of a run without results.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// A fault at this site.
    Fault(SiteId),
    /// A limit was exceeded; nothing can be compared.
    Limit,
    /// A bug: of the engine, of a pass, or of the program.
    Bug(String),
}

/// Runs the main function of a case.
pub type Runner = Box<dyn Fn(&Case) -> Result<Outcome, Failure> + Send + Sync>;

/// An engine: it runs programs.
pub struct Engine {
    /// Its name in messages.
    pub name: String,
    /// Runs the main function of a case.
    pub run: Runner,
}

impl Engine {
    fn new(
        name: impl Into<String>,
        run: impl Fn(&Case) -> Result<Outcome, Failure> + Send + Sync + 'static,
    ) -> Engine {
        Engine { name: name.into(), run: Box::new(run) }
    }
}

/// A disagreement between engines.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The stage that failed, such as `verify` or the name of an engine.
    pub stage: String,
    /// The error message.
    pub message: String,
}

/// Limits for runs of the generator's programs.
pub const LIMITS: interp::Limits = interp::Limits { steps: 30_000_000, bytes: 1 << 28, depth: 10_000 };

/// All engines with which a program is checked, besides the interpreter.
pub fn engines(kernels: Kernels) -> Vec<Engine> {
    let mut engines = vec![
        Engine::new("interpreter again", |case| Ok(interpret(case))),
        Engine::new("executor", |case| Ok(execute(case, false))),
        Engine::new("executor, deferred", |case| Ok(execute(case, true))),
    ];
    for pass in PASSES {
        engines.push(Engine::new(pass.name, move |case| Ok(interpret(&passed(case, &[pass])?))));
    }
    for (name, limits) in [("split to the least", Limits::LEAST), ("split a little", FEW)] {
        let options = PassOptions { verify: true, limits, ..PassOptions::default() };
        let passes: &[&Pass] = &[&nestled_pass::split::PASS];
        engines.push(Engine::new(name, move |case| Ok(interpret(&passed_with(case, passes, options)?))));
    }
    engines.push(Engine::new("all passes", |case| Ok(execute(&passed(case, DEFAULT)?, false))));
    engines.push(Engine::new("all passes interpreted", |case| Ok(interpret(&passed(case, DEFAULT)?))));
    engines.push(Engine::new("all passes deferred", |case| Ok(execute(&passed(case, DEFAULT)?, true))));
    engines.push(Engine::new("all passes twice", |case| {
        Ok(interpret(&passed(&passed(case, DEFAULT)?, DEFAULT)?))
    }));
    for planner in [Planner::GreedyDown, Planner::GreedyUp, Planner::Off] {
        let options = PassOptions { verify: true, planner, ..PassOptions::default() };
        engines.push(Engine::new(format!("all passes with {}", planner.name()), move |case| {
            Ok(interpret(&passed_with(case, DEFAULT, options)?))
        }));
    }
    let least = PassOptions { verify: true, limits: Limits::LEAST, ..PassOptions::default() };
    engines.push(Engine::new("all passes split to the least", move |case| {
        Ok(interpret(&passed_with(case, DEFAULT, least)?))
    }));
    for cpu in [Cpu::WIDE, Cpu::NARROW, Cpu::Interpreted] {
        engines.push(Engine::new(format!("all passes on {}", cpu.name()), move |case| {
            Ok(execute_on_cpu(&passed(case, DEFAULT)?, cpu, kernels))
        }));
    }
    for cpu in Cpu::ALL {
        engines.push(Engine::new(cpu.name(), move |case| Ok(execute_on_cpu(case, cpu, kernels))));
    }
    engines
}

/// Engines on GPUs (software Vulkan, or the GPU that there is; CUDA on the stand-in), for the program as it is and after all passes: only used on request.
pub fn gpu_engines() -> Vec<Engine> {
    [("WebGPU", Target::Hardware), ("CUDA", Target::StandIn)]
        .into_iter()
        .flat_map(|(name, target)| {
            let plain = Engine::new(name, move |case| Ok(execute_on_gpu(target, case)));
            let passed = move |case: &Case| Ok(execute_on_gpu(target, &passed(case, DEFAULT)?));
            [plain, Engine::new(format!("all passes on {name}"), passed)]
        })
        .collect()
}

/// Limits of few combinators in a group, which force the passes to cut kernels.
const FEW: Limits = Limits { sweeps: 1, stages: 1, combinators: 4, arguments: 8, values: 2, private: 64 };

/// The case after passes: a valid program that can be printed and parsed.
fn passed(case: &Case, passes: &[&Pass]) -> Result<Case, Failure> {
    passed_with(case, passes, PassOptions { verify: true, ..PassOptions::default() })
}

fn passed_with(case: &Case, passes: &[&Pass], options: PassOptions) -> Result<Case, Failure> {
    let mut cx = PassContext::new(options);
    let program = nestled_pass::run(&case.program, passes, &mut cx);
    let program = program.map_err(|bug| failure(bug.pass, bug.to_string()))?;
    text(&Case { program, ..case.clone() })
}

/// Runs a case on the executor, with the reference device at once or as late as possible.
fn execute(case: &Case, deferred: bool) -> Outcome {
    let config = ReferenceConfig {
        deferred,
        regions_ahead: if deferred { 64 } else { 1 },
        memory: 1 << 28,
        ..ReferenceConfig::default()
    };
    let device = Rc::new(Reference::new(config));
    let mut world = TestWorld::default();
    let found = run_on(device, &case.program, Program::ENTRY, &case.shapes, &case.args, &mut world);
    executed(found, world)
}

/// Runs a case on the executor with the CPU device.
fn execute_on_cpu(case: &Case, cpu: Cpu, kernels: Kernels) -> Outcome {
    let mut world = TestWorld::default();
    let found = cpu.run(kernels, &case.program, Program::ENTRY, &case.shapes, &case.args, &mut world);
    executed(found, world)
}

/// Runs a case on the executor with a GPU.
fn execute_on_gpu(target: Target, case: &Case) -> Outcome {
    let mut world = TestWorld::default();
    let found = gpu::run(target, &case.program, Program::ENTRY, &case.shapes, &case.args, &mut world);
    // An adapter binds no more than it says.
    if let Err(nestled_rt::Error::Unsupported { .. }) = found {
        return Outcome { end: Err(End::Limit), lines: lines(world) };
    }
    executed(found, world)
}

fn executed(found: Result<Vec<Value>, nestled_rt::Error>, world: TestWorld) -> Outcome {
    let end = found.map_err(|error| match error {
        nestled_rt::Error::Fault(fault) => End::Fault(fault.site),
        nestled_rt::Error::OutOfMemory { .. }
        | nestled_rt::Error::Points { .. }
        | nestled_rt::Error::Depth { .. } => End::Limit,
        error => End::Bug(error.to_string()),
    });
    Outcome { end, lines: lines(world) }
}

fn lines(world: TestWorld) -> Vec<String> {
    world.output.into_iter().chain(world.errors).collect()
}

/// Runs a case on the reference interpreter.
pub fn interpret(case: &Case) -> Outcome {
    let mut world = TestWorld::default();
    let result = interp::run(&case.program, Program::ENTRY, &case.shapes, &case.args, &LIMITS, &mut world);
    outcome(result, world)
}

/// Converts the result of an engine to an outcome.
pub fn outcome(result: Result<Vec<Value>, Error>, world: TestWorld) -> Outcome {
    let end = result.map_err(|error| match error {
        Error::Fault(fault) => End::Fault(fault.site),
        Error::Limit { .. } => End::Limit,
        Error::Bug { message, .. } => End::Bug(message),
        Error::BadArgument(message) => End::Bug(message),
        Error::Interrupted => End::Bug("nobody interrupts tests".to_owned()),
    });
    Outcome { end, lines: lines(world) }
}

/// Checks a case with all engines; returns the interpreter's outcome.
pub fn check_case(case: &Case, engines: &[Engine]) -> Result<Outcome, Failure> {
    let case = guarded("text", || text(case))?;
    guarded("verify", || verified(&case.program))?;
    let judge = guarded("interpreter", || Ok(interpret(&case)))?;
    match &judge.end {
        Err(End::Bug(message)) => return Err(failure("interpreter", message)),
        // Others have no such limits, and might run for ever.
        Err(End::Limit) => return Ok(judge),
        Ok(_) | Err(End::Fault(_)) => {}
    }
    for engine in engines {
        let found = guarded(&engine.name, || (engine.run)(&case))?;
        compare(&engine.name, &judge, &found)?;
    }
    Ok(judge)
}

/// Turns a panic into a failure.
fn guarded<T>(stage: &str, run: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(failure(stage, format!("panic: {}", text.unwrap_or_default())))
    })
}

fn failure(stage: &str, message: impl Into<String>) -> Failure {
    Failure { stage: stage.to_owned(), message: message.into() }
}

/// Prints and parses the program: the same program, in canonical form.
fn text(case: &Case) -> Result<Case, Failure> {
    let program = compact(&case.program);
    let printed = print(&program);
    match parse("random.lcu", &printed) {
        Err(error) => {
            Err(failure("parse", format!("{}\n{printed}", render_all(&error.diagnostics, &error.sources))))
        }
        Ok(parsed) if parsed != program => {
            Err(failure("parse", format!("another program:\n{printed}\nprints as\n{}", print(&parsed))))
        }
        Ok(_) => Ok(Case { program, ..case.clone() }),
    }
}

fn verified(program: &Program) -> Result<(), Failure> {
    verify(program).map_err(|diagnostics| failure("verify", render_all(&diagnostics, &program.sources)))
}

/// Compares the outcome of an engine with the interpreter's.
pub fn compare(engine: &str, judge: &Outcome, found: &Outcome) -> Result<(), Failure> {
    match (&judge.end, &found.end) {
        (Err(End::Limit), _) | (_, Err(End::Limit)) => return Ok(()),
        (_, Err(End::Bug(message))) => return Err(failure(engine, message)),
        (Ok(expected), Ok(values)) => compare_values(engine, expected, values)?,
        (Err(expected), Err(end)) if expected == end => {}
        (expected, end) => {
            let message = format!("{} instead of {}", end_text(end), end_text(expected));
            return Err(failure(engine, message));
        }
    }
    if judge.lines == found.lines {
        return Ok(());
    }
    Err(failure(engine, format!("it writes {:?} instead of {:?}", found.lines, judge.lines)))
}

fn compare_values(engine: &str, expected: &[Value], found: &[Value]) -> Result<(), Failure> {
    if expected.len() != found.len() {
        return Err(failure(engine, format!("{} results instead of {}", found.len(), expected.len())));
    }
    for (at, (expected, found)) in expected.iter().zip(found).enumerate() {
        if !same_bits(expected, found) {
            return Err(failure(engine, format!("result {at} is {found} instead of {expected}")));
        }
    }
    Ok(())
}

fn end_text(end: &Result<Vec<Value>, End>) -> String {
    match end {
        Ok(values) => format!("{} results", values.len()),
        Err(End::Fault(site)) => format!("a fault at {site:?}"),
        Err(End::Limit) => "a limit".to_owned(),
        Err(End::Bug(message)) => format!("a bug ({message})"),
    }
}
