//! Plans: compiled programs, found again by their structure.

use super::config::EngineConfig;
use super::state::plain;
use crate::error::{Error, Reason, Result};
use crate::lower::{Argument, Lowered, lower};
use crate::plan::{Graph, Key, Number};
use nestled_devices::{Devices, Fit, Opened};
use nestled_ir::SourceMap;
use nestled_pass::{Pass, PassContext, PassOptions};
use nestled_rt::Executable;
use nestled_rt::device::{Device, Math};
use std::collections::HashMap;
use std::rc::Rc;

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
}

/// All plans.
#[derive(Default)]
pub(super) struct Plans {
    by_hash: HashMap<u64, Vec<Rc<Plan>>>,
    pub counts: Counts,
    cx: PassContext,
}

impl Plans {
    /// The plan for a graph.
    pub fn get(
        &mut self,
        graph: &Graph,
        (key, numbers, starts): (Key, &[Number], &[usize]),
        devices: &Devices,
        config: &EngineConfig,
    ) -> Result<Rc<Plan>> {
        self.counts.evaluations += 1;
        let hash = key.hash();
        let alike = self.by_hash.entry(hash).or_default();
        let fits = |plan: &&Rc<Plan>| {
            let mut numbers = numbers.iter().zip(&plan.numbers);
            plan.key == key
                && numbers.all(|(number, constant)| constant.is_none_or(|bits| bits == number.bits))
        };
        if let Some(plan) = alike.iter().find(fits) {
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
        let plan = compile(graph, (numbers, starts, &constant), devices, config, &mut self.cx)?;
        self.counts.plans += 1;
        self.counts.kernels += plan.executable_kernels;
        let Compiled { executable, dims, args, sites, executable_kernels: _ } = plan;
        let numbers =
            numbers.iter().zip(&constant).map(|(number, &constant)| constant.then_some(number.bits));
        let plan = Rc::new(Plan { key, numbers: numbers.collect(), executable, dims, args, sites });
        self.by_hash.entry(hash).or_default().push(Rc::clone(&plan));
        Ok(plan)
    }
}

struct Compiled {
    executable: Executable,
    dims: Vec<usize>,
    args: Vec<Argument>,
    sites: Vec<usize>,
    executable_kernels: u64,
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
            program(graph, (numbers, starts, &constant), devices, config, &mut cx)?;
        let device = (device.describe().name.clone(), notes);
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
        Ok(Explained { written: lowered.program, made, joined, device })
    }
}

/// A graph before and after the passes.
pub(crate) struct Explained {
    pub written: nestled_ir::Program,
    pub made: nestled_ir::Program,
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
        ..PassOptions::default()
    }
}

/// The λcu of a graph.
struct Made {
    /// As it is written.
    lowered: Lowered,
    /// What runs it, and why others do not.
    device: Rc<dyn Device>,
    notes: Vec<String>,
    /// After the passes.
    made: nestled_ir::Program,
}

fn program(
    graph: &Graph,
    (numbers, starts, constant): (&[Number], &[usize], &[bool]),
    devices: &Devices,
    config: &EngineConfig,
    cx: &mut PassContext,
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
    let made = nestled_pass::run(written, &passes, cx).map_err(|failure| bug(failure.to_string()))?;
    Ok(Made { device: opened.device(), lowered, notes, made })
}

fn compile(
    graph: &Graph,
    numbers: (&[Number], &[usize], &[bool]),
    devices: &Devices,
    config: &EngineConfig,
    cx: &mut PassContext,
) -> Result<Compiled> {
    let Made { lowered, device, made, .. } = program(graph, numbers, devices, config, cx)?;
    let Lowered { dims, args, sites, .. } = lowered;
    let kernels = made.kernels.len() as u64;
    let executable = Executable::new(&made, device).map_err(|error| plain(&error))?;
    Ok(Compiled { executable, dims, args, sites, executable_kernels: kernels })
}
