//! Differential testing of NESL: one program on every engine.

use super::tree::Source;
use crate::cpu::{Cpu, Kernels};
use nestled_ir::interp as lcu;
use nestled_ir::value::{AxisValue, Value};
use nestled_nesl::engine::{Backend, Engine, Halt, Interpreter};
use nestled_nesl::interp::{Limits, TestWorld};
use nestled_nesl::{Dialect, FaultCode, Session};
use nestled_pass::fuse::solve::Planner;
use nestled_pass::{DEFAULT, PassContext, PassOptions};
use nestled_rt::{Counters, Error, Executable, Reference, ReferenceConfig};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

/// A fresh session. The library is read once.
fn fresh_session(dialect: Dialect) -> Session {
    thread_local! {
        static BEGUN: RefCell<Vec<Session>> = const { RefCell::new(Vec::new()) };
    }
    BEGUN.with_borrow_mut(|begun| {
        let known = begun.iter().position(|session| session.dialect() == dialect);
        let at = known.unwrap_or_else(|| {
            begun.push(Session::new(dialect));
            begun.len() - 1
        });
        begun[at].another()
    })
}

/// The CPU, after all passes that change no bits.
#[derive(Debug)]
pub struct FusedOnCpu(pub Cpu, pub Kernels);

impl Backend for FusedOnCpu {
    fn run(
        &mut self,
        program: &nestled_ir::Program,
        shapes: &[AxisValue],
        args: &[Value],
        world: &mut dyn lcu::World,
    ) -> Result<Vec<Value>, Halt> {
        let program = fused(program, Planner::default())?;
        self.0.run(self.1, &program, nestled_ir::Program::ENTRY, shapes, args, world).map_err(halt)
    }
}

/// A device that defers everything as long as possible, after the same passes: the executor knows as little as on a GPU.
#[derive(Debug, Default)]
pub struct FusedLate {
    /// Counters of the events of runs.
    pub counters: Option<Rc<RefCell<Counters>>>,
    /// The solver that fusion uses.
    pub planner: Planner,
}

impl Backend for FusedLate {
    fn run(
        &mut self,
        program: &nestled_ir::Program,
        shapes: &[AxisValue],
        args: &[Value],
        world: &mut dyn lcu::World,
    ) -> Result<Vec<Value>, Halt> {
        let config = ReferenceConfig {
            deferred: true,
            regions_ahead: 64,
            memory: 1 << 28,
            ..ReferenceConfig::default()
        };
        let executable =
            Executable::new(&fused(program, self.planner)?, Rc::new(Reference::new(config))).map_err(halt)?;
        let executable = match &self.counters {
            Some(counters) => executable.with_trace(Rc::clone(counters) as _),
            None => executable,
        };
        executable.run(nestled_ir::Program::ENTRY, shapes, args, world).map_err(halt)
    }
}

fn fused(program: &nestled_ir::Program, planner: Planner) -> Result<nestled_ir::Program, Halt> {
    let mut cx = PassContext::new(PassOptions { strict_math: true, planner, ..PassOptions::default() });
    nestled_pass::run(program, DEFAULT, &mut cx)
        .map_err(|bug| Halt::Other(format!("the pass {} broke it", bug.pass)))
}

fn halt(error: Error) -> Halt {
    match error {
        Error::Fault(fault) => Halt::Fault(fault.site),
        Error::Depth { .. } | Error::OutOfMemory { .. } => Halt::Limit(error.to_string()),
        other => Halt::Other(other.to_string()),
    }
}

/// The outcome of a program.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// The shown value, and the printed output.
    Value(String, Vec<u8>),
    /// The fault's code and place.
    Fault(String, u32),
    /// A limit was exceeded.
    Limit,
    /// The program was rejected.
    Error(String),
    /// A bug of ours: a panic.
    Panic(String),
}

/// The verdict of comparing engines.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// All gave this value.
    Same,
    /// All faulted.
    Faults,
    /// All faulted, but with different faults: several instances did something wrong.
    OtherFault,
    /// It cannot be compared.
    Skipped(String),
    /// An engine gave something else.
    Differ {
        /// The engine that differs.
        engine: &'static str,
        /// The outcome of the core.
        core: Outcome,
        /// The outcome of that engine.
        found: Outcome,
    },
}

/// Runs a program on an engine.
pub fn outcome(source: &str, engine: Engine, dialect: Dialect, steps: u64) -> Outcome {
    let run = || {
        let mut session = fresh_session(dialect);
        session.limits = Limits { steps, depth: 100_000, ..Limits::default() };
        session.engine = engine;
        let mut world = TestWorld::default();
        let results = session.run("random", source, &mut world);
        if let Some(wrong) = results.iter().find(|result| !result.errors.is_empty()) {
            return Outcome::Error(nestled_ir::render_all(&wrong.errors, &session.sources));
        }
        let Some(last) = results.last() else { return Outcome::Error("nothing ran".to_owned()) };
        match &last.fault {
            Some(fault) if fault.code == FaultCode::Limit && fault.message.is_none() => Outcome::Limit,
            Some(fault) if fault.code == FaultCode::Limit => {
                Outcome::Panic(fault.message.clone().unwrap_or_default())
            }
            Some(fault) => Outcome::Fault(fault.code.to_string(), fault.span.start),
            None => Outcome::Value(last.line().unwrap_or_default(), world.output.clone()),
        }
    };
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().cloned();
        let message = message.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Outcome::Panic(message.unwrap_or_default())
    })
}

/// Engines that are asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Besides {
    /// After all passes on this CPU.
    pub cpu: Option<Cpu>,
    /// After all passes with each other planner of fusion.
    pub planners: bool,
}

/// Compares the engines on a program.
pub fn compare(source: &Source, dialect: Dialect, besides: Besides) -> Verdict {
    let text = source.to_string();
    let core = outcome(&text, Engine::Core, dialect, 60_000);
    match &core {
        Outcome::Limit => return Verdict::Skipped("it takes too long".to_owned()),
        Outcome::Error(message) => return Verdict::Skipped(message.clone()),
        _ => {}
    }
    let limits = lcu::Limits { steps: 40_000_000, bytes: 1 << 28, depth: 10_000 };
    let mut engines: Vec<(&'static str, Engine)> = vec![
        ("flattened", Engine::Flat(Box::new(Interpreter { limits }))),
        ("fused, as late as possible", Engine::Flat(Box::new(FusedLate::default()))),
    ];
    if besides.planners {
        for planner in [Planner::GreedyDown, Planner::GreedyUp, Planner::Off] {
            let late = FusedLate { planner, ..FusedLate::default() };
            engines.push((planner.name(), Engine::Flat(Box::new(late))));
        }
    }
    if let Some(cpu) = besides.cpu {
        let device = FusedOnCpu(cpu, Kernels::InMemory { level: 0 });
        engines.push(("fused on the CPU", Engine::Flat(Box::new(device))));
    }
    let mut verdict = if matches!(core, Outcome::Fault(..)) { Verdict::Faults } else { Verdict::Same };
    for (engine, run) in engines {
        let found = outcome(&text, run, dialect, u64::MAX);
        match (&core, &found) {
            _ if core == found => {}
            (Outcome::Fault(..), Outcome::Fault(..)) => verdict = Verdict::OtherFault,
            _ => return Verdict::Differ { engine, core, found },
        }
    }
    verdict
}
