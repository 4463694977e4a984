//! Plans: compiled programs, found again by their structure.

use super::config::EngineConfig;
use super::errors::plain;
use super::hint;
use super::steps::{ExplainedStep, steps};
use crate::error::{Error, Reason, Result};
use crate::lower::{Argument, Lowered, lower};
use crate::plan::{Graph, Key, Number};
use nestled_devices::{Devices, Fit, Opened};
use nestled_finished::Finished;
use nestled_ir::interp::Interrupt;
use nestled_ir::{Program, SourceMap};
use nestled_pass::{Pass, PassBug, PassContext, PassOptions};
use nestled_rt::Executable;
use nestled_rt::device::Math;
use std::cell::{Cell, LazyCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What an engine has done.
///
/// ```
/// # use nestled_array::*;
/// assert_eq!(Counts::default().plans, 0);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Graphs, or parts of graphs, that were computed.
    pub evaluations: u64,
    /// How many of them needed a plan that was not there.
    pub plans: u64,
    /// Kernels that were compiled.
    pub kernels: u64,
    /// Launches of kernels that the interpreter ran: on the CPU until a kernel is worth compiling, or without LLVM; on a GPU those that it has no code for.
    pub interpreted: u64,
}

/// What all tracks of an engine have done.
#[derive(Default)]
pub(crate) struct Tally {
    evaluations: AtomicU64,
    plans: AtomicU64,
    kernels: AtomicU64,
    interpreted: AtomicU64,
}

impl Tally {
    pub fn counts(&self) -> Counts {
        let all = [&self.evaluations, &self.plans, &self.kernels, &self.interpreted];
        let [evaluations, plans, kernels, interpreted] = all.map(|count| count.load(Ordering::Relaxed));
        Counts { evaluations, plans, kernels, interpreted }
    }

    /// Adds launches that the interpreter ran.
    pub fn interpreted(&self, more: u64) {
        self.interpreted.fetch_add(more, Ordering::Relaxed);
    }
}

/// A compiled program for graphs of one structure.
pub(super) struct Plan {
    key: Key,
    /// For each number whether it is a constant, and which.
    numbers: Vec<Option<u64>>,
    pub executable: Executable,
    /// For each shape parameter of `main` the number that it is.
    pub dims: Vec<usize>,
    /// For each parameter of `main` what it is.
    pub args: Vec<Argument>,
    /// For each site the item that can fault there.
    pub sites: Vec<usize>,
    /// When it was used last, counted by uses.
    used: Cell<u64>,
}

/// All plans of a track.
pub(super) struct Plans {
    by_hash: HashMap<u64, Vec<Rc<Plan>>>,
    count: usize,
    uses: u64,
    tally: Arc<Tally>,
    cx: PassContext,
    /// What passes made of programs in this process and others; opened when the first is wanted.
    finished: LazyCell<Finished>,
}

impl Plans {
    pub fn new(tally: &Arc<Tally>) -> Plans {
        let tally = Arc::clone(tally);
        let (cx, finished) = (PassContext::default(), LazyCell::new(Finished::of_user as fn() -> Finished));
        Plans { by_hash: HashMap::new(), count: 0, uses: 0, tally, cx, finished }
    }

    /// Runs passes on a program, or finds what they made of it before.
    pub fn finish(
        &self,
        program: &Program,
        cx: &mut PassContext,
    ) -> std::result::Result<Program, Box<PassBug>> {
        self.finished.run(program, nestled_pass::DEFAULT, cx)
    }

    /// Lets go of an eighth of the plans, those not used for longest, if there are more than are to be kept.
    fn let_go(&mut self, kept: usize) {
        if self.count <= kept {
            return;
        }
        let mut uses: Vec<u64> = self.by_hash.values().flatten().map(|plan| plan.used.get()).collect();
        uses.sort_unstable();
        let oldest = uses[(self.count - kept + kept / 8).min(self.count - 1)];
        self.by_hash.values_mut().for_each(|alike| alike.retain(|plan| plan.used.get() >= oldest));
        self.by_hash.retain(|_, alike| !alike.is_empty());
        self.count = self.by_hash.values().map(Vec::len).sum();
    }

    /// The plan for a graph.
    pub fn get(
        &mut self,
        graph: &Graph,
        (key, numbers, starts): (Key, &[Number], &[usize]),
        devices: &Devices,
        config: &EngineConfig,
        interrupt: &Interrupt,
    ) -> Result<Rc<Plan>> {
        self.tally.evaluations.fetch_add(1, Ordering::Relaxed);
        self.uses += 1;
        let hash = key.hash();
        let alike = self.by_hash.entry(hash).or_default();
        let fits = |plan: &&Rc<Plan>| {
            let mut numbers = numbers.iter().zip(&plan.numbers);
            plan.key == key
                && numbers.all(|(number, constant)| constant.is_none_or(|bits| bits == number.bits))
        };
        if let Some(plan) = alike.iter().find(fits) {
            plan.used.set(self.uses);
            return Ok(Rc::clone(plan));
        }
        // What differs from the last plan of this structure becomes a parameter.
        let last = alike.iter().rev().find(|plan| plan.key == key);
        let constant: Vec<bool> = match last {
            Some(last) => {
                let pairs = numbers.iter().zip(&last.numbers);
                pairs.map(|(number, constant)| *constant == Some(number.bits)).collect()
            }
            None => numbers.iter().map(|number| number.begins_as_constant()).collect(),
        };
        let compiled =
            compile(graph, (numbers, starts, &constant), devices, config, (&self.finished, &mut self.cx))?;
        let Compiled { executable, dims, args, sites, kernels } = compiled;
        let executable = executable.with_interrupt(interrupt.clone());
        self.tally.plans.fetch_add(1, Ordering::Relaxed);
        self.tally.kernels.fetch_add(kernels, Ordering::Relaxed);
        let numbers =
            numbers.iter().zip(&constant).map(|(number, &constant)| constant.then_some(number.bits));
        let (numbers, used) = (numbers.collect(), Cell::new(self.uses));
        let plan = Rc::new(Plan { key, numbers, executable, dims, args, sites, used });
        self.by_hash.entry(hash).or_default().push(Rc::clone(&plan));
        self.count += 1;
        self.let_go(config.plans.max(1));
        Ok(plan)
    }
}

struct Compiled {
    executable: Executable,
    dims: Vec<usize>,
    args: Vec<Argument>,
    sites: Vec<usize>,
    kernels: u64,
}

fn bug(what: impl Into<String>) -> Error {
    Error::at("eval", Reason::Bug(what.into()), None)
}

impl Plans {
    /// What becomes of a graph, in words.
    pub fn explain(
        graph: &Graph,
        (numbers, starts): (&[Number], &[usize]),
        devices: &Devices,
        config: &EngineConfig,
    ) -> Result<Explained> {
        let constant: Vec<bool> = numbers.iter().map(|number| number.begins_as_constant()).collect();
        let mut cx = PassContext { explain: true, ..PassContext::default() };
        let Made { lowered, made, device, notes } =
            program(graph, (numbers, starts, &constant), devices, config, (&Finished::off(), &mut cx))?;
        let device = (device.condition(), notes);
        let mut joined = Vec::new();
        for region in &cx.fusion {
            let saved = region.unfused - region.solution.cost;
            joined.push(format!(
                "{} kernels and {} values between them were looked at; joining saves {:.0} % of what they cost",
                region.runs.len(),
                region.flows.len(),
                100.0 * saved / region.unfused.max(f64::MIN_POSITIVE),
            ));
        }
        let extents: Vec<u64> = lowered.dims.iter().map(|&number| numbers[number].bits).collect();
        let steps = steps(&made, &extents, &cx.options.rates);
        Ok(Explained { written: lowered.program, made, steps, joined, device })
    }
}

/// A graph before and after the passes.
pub(crate) struct Explained {
    pub written: nestled_ir::Program,
    pub made: nestled_ir::Program,
    /// The kernels and operations that run.
    pub steps: Vec<ExplainedStep>,
    /// What fusion has to say.
    pub joined: Vec<String>,
    /// The name of the device, and why others were passed over.
    pub device: (String, Vec<String>),
}

/// What passes must know of an engine.
pub(super) fn pass_options(config: &EngineConfig, opened: &Opened) -> PassOptions {
    PassOptions {
        strict_math: config.math == Math::Strict,
        limits: opened.limits(),
        rates: opened.rates(),
        ..PassOptions::default()
    }
}

/// The λcu of a graph.
struct Made {
    /// As it is written.
    lowered: Lowered,
    /// What runs it, and why others do not.
    device: Opened,
    notes: Vec<String>,
    /// After the passes.
    made: nestled_ir::Program,
}

fn program(
    graph: &Graph,
    (numbers, starts, constant): (&[Number], &[usize], &[bool]),
    devices: &Devices,
    config: &EngineConfig,
    (finished, cx): (&Finished, &mut PassContext),
) -> Result<Made> {
    let lowered = lower(graph, numbers, starts, constant)
        .map_err(|errors| bug(nestled_ir::render_all(&errors, &SourceMap::default())))?;
    let written = &lowered.program;
    let Fit { opened, notes } = devices.for_program(written).map_err(|error| plain(&error.into()))?;
    cx.options = pass_options(config, opened);
    cx.timings.clear();
    cx.fusion.clear();
    let joins = |pass: &&&Pass| config.fuse || !["fuse", "inline", "reads"].contains(&pass.name);
    let passes: Vec<&Pass> = nestled_pass::DEFAULT.iter().filter(joins).copied().collect();
    let made = finished.run(written, &passes, cx).map_err(|failure| bug(failure.to_string()))?;
    Ok(Made { device: opened.clone(), lowered, notes, made })
}

fn compile(
    graph: &Graph,
    numbers: (&[Number], &[usize], &[bool]),
    devices: &Devices,
    config: &EngineConfig,
    finishing: (&Finished, &mut PassContext),
) -> Result<Compiled> {
    let Made { lowered, device, made, .. } = program(graph, numbers, devices, config, finishing)?;
    let Lowered { dims, args, sites, .. } = lowered;
    let kernels = made.kernels.len() as u64;
    let executable = Executable::new(&made, device.device()).map_err(|error| plain(&error))?;
    hint::say(&device);
    Ok(Compiled { executable, dims, args, sites, kernels })
}
