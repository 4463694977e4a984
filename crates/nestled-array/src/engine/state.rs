//! The state of an engine, in the hands of one thread at a time.

use super::config::EngineConfig;
use super::places::Places;
use super::plans::{Counts, Explained, Plan, Plans};
use super::slots::Slots;
use crate::error::{Error, Reason, Result};
use crate::lower::Argument;
use crate::node::{Data, Op};
use crate::plan::{Graph, Key, Kind, Number, key};
use crate::shape::Shape;
use nestled_ir::interp::StdWorld;
use nestled_ir::value::{Array, AxisValue, Buffer, Value};
use nestled_ir::{Program, ScalarType};
use nestled_rt::{Executable, Handle};
use std::panic::Location;
use std::rc::Rc;
use std::sync::Arc;

pub(crate) struct State {
    pub(super) config: EngineConfig,
    pub(super) places: Places,
    plans: Plans,
    pub(super) slots: Slots,
    /// Programs that were traced.
    programs: Vec<Option<Prepared>>,
    /// Functions of other front ends.
    pub(super) routines: Vec<Option<Executable>>,
    pub(super) world: StdWorld,
}

/// A program that was traced, ready to be called.
struct Prepared {
    plan: Rc<Plan>,
    shapes: Vec<Handle>,
    args: Vec<PreparedArg>,
    /// For each site the operation that can fault there.
    places: Vec<(&'static str, &'static Location<'static>)>,
}

enum PreparedArg {
    /// An argument of the call.
    Argument(usize),
    /// The same for all calls.
    Known(Handle),
}

impl State {
    pub fn new(config: &EngineConfig) -> State {
        State {
            config: config.clone(),
            places: Places::default(),
            plans: Plans::default(),
            slots: Slots::default(),
            programs: Vec::new(),
            routines: Vec::new(),
            world: StdWorld::default(),
        }
    }

    pub fn counts(&self) -> Counts {
        self.plans.counts
    }

    /// Gives back what nobody refers to.
    pub fn sweep(&mut self, garbage: &mut Vec<u32>) {
        self.slots.sweep(garbage);
    }

    /// Waits for the devices.
    pub fn wait(&mut self) -> Result<()> {
        self.places.devices(&self.config)?.wait().map_err(|error| plain(&error.into()))
    }

    /// The name of the device for a program that wants nothing special.
    pub fn device_name(&mut self) -> Result<String> {
        let fit = self.places.devices(&self.config)?.for_program(&Program::default());
        Ok(fit.map_err(|error| plain(&error.into()))?.opened.name())
    }

    pub fn upload(&mut self, elem: ScalarType, shape: &Shape, data: Arc<Buffer>) -> Result<u32> {
        let shape = shape.iter().map(|&extent| AxisValue::Extent(extent as u64)).collect();
        let array = Value::Array(Array { elem, shape, starts: None, data });
        let handle = self.places.put(elem, &array, &self.config)?;
        Ok(self.slots.keep(handle))
    }

    pub fn read(&mut self, slot: u32) -> Result<Arc<Buffer>> {
        match self.slots.get(slot)?.to_value().map_err(|error| plain(&error))? {
            Value::Array(array) => Ok(array.data),
            Value::Scalar(scalar) => Ok(Arc::new(Buffer::from_scalars(scalar.ty(), &[scalar]))),
            Value::Dim(_) | Value::Seg(_) => {
                Err(Error::at("fetch", Reason::Bug("a shape instead of data".to_owned()), None))
            }
        }
    }

    /// Computes the roots of a graph: where they lie.
    pub fn run(&mut self, graph: &Graph) -> Result<Vec<u32>> {
        let (key, numbers, starts) = key(graph);
        let plan = self.plan(graph, (key, &numbers, &starts))?;
        let (shapes, args) = self.arguments(&plan, graph, &numbers)?;
        let results = self.launch(&plan, graph, &shapes, &args)?;
        Ok(results.into_iter().map(|handle| self.slots.keep(handle)).collect())
    }

    /// What becomes of a graph.
    pub fn explain(&mut self, graph: &Graph) -> Result<Explained> {
        let (_, numbers, starts) = key(graph);
        Plans::explain(graph, (&numbers, &starts), self.places.devices(&self.config)?, &self.config)
    }

    /// Computes a graph whose root packs elements: how many there are, and where they lie.
    pub fn pack(&mut self, graph: &Graph) -> Result<(usize, u32)> {
        let (key, numbers, starts) = key(graph);
        let plan = self.plan(graph, (key, &numbers, &starts))?;
        let (shapes, args) = self.arguments(&plan, graph, &numbers)?;
        let mut results = self.launch(&plan, graph, &shapes, &args)?.into_iter();
        let (Some(count), Some(handle)) = (results.next(), results.next()) else {
            return Err(Error::at("compress", Reason::Bug("no results".to_owned()), None));
        };
        let Value::Dim(count) = count.to_value().map_err(|error| plain(&error))? else {
            return Err(Error::at("compress", Reason::Bug("a count that is no extent".to_owned()), None));
        };
        Ok((count as usize, self.slots.keep(handle)))
    }

    /// Makes a traced program ready: its number.
    pub fn prepare(&mut self, graph: &Graph) -> Result<u32> {
        let (key, numbers, starts) = key(graph);
        let plan = self.plan(graph, (key, &numbers, &starts))?;
        let device = plan.executable.device();
        let extent = |number: &usize| Handle::extent(device, numbers[*number].bits);
        let shapes = plan.dims.iter().map(extent).collect();
        let mut args = Vec::with_capacity(plan.args.len());
        for argument in &plan.args {
            args.push(match *argument {
                Argument::Number(number) => {
                    PreparedArg::Known(Handle::scalar(device, numbers[number].scalar()))
                }
                Argument::Item(item) => match graph.items[item].op() {
                    Some(Op::Param(number)) => PreparedArg::Argument(*number),
                    _ => PreparedArg::Known(self.leaf(graph, item, &plan.executable)?),
                },
            });
        }
        let place = |&item: &usize| {
            let item = &graph.items[item];
            (item.op().map_or("eval", Op::name), item.node.place)
        };
        let places = plan.sites.iter().map(place).collect();
        let prepared = Prepared { plan, shapes, args, places };
        let vacant = self.programs.iter().position(Option::is_none);
        let at = vacant.unwrap_or(self.programs.len());
        if at == self.programs.len() {
            self.programs.push(None);
        }
        self.programs[at] = Some(prepared);
        Ok(at as u32)
    }

    /// A traced program is not called any more.
    pub fn forget(&mut self, program: u32) {
        self.programs[program as usize] = None;
    }

    /// Calls a traced program.
    pub fn call(&mut self, program: u32, data: &[Data]) -> Result<Vec<u32>> {
        let gone = || Error::at("jit", Reason::Bug("a program that is gone".to_owned()), None);
        let prepared = self.programs.get(program as usize).and_then(Option::as_ref).ok_or_else(gone)?;
        let executable = &prepared.plan.executable;
        let mut args = Vec::with_capacity(prepared.args.len());
        for arg in &prepared.args {
            args.push(match arg {
                PreparedArg::Known(handle) => handle.clone(),
                PreparedArg::Argument(number) => match &data[*number] {
                    Data::Scalar(scalar) => Handle::scalar(executable.device(), *scalar),
                    Data::Device(resident) => self.slots.get_for(resident.slot(), executable)?,
                    Data::Host(_) => return Err(gone()),
                },
            });
        }
        let outcome = executable.run_handles("main", &prepared.shapes, &args, &mut self.world);
        let results = outcome.map_err(|error| {
            let place = match &error {
                nestled_rt::Error::Fault(fault) => prepared.places.get(fault.site.index()).copied(),
                _ => None,
            };
            place.map_or_else(|| plain(&error), |(name, place)| Error::at(name, reason(&error), Some(place)))
        })?;
        Ok(results.into_iter().map(|handle| self.slots.keep(handle)).collect())
    }

    fn plan(&mut self, graph: &Graph, structure: (Key, &[Number], &[usize])) -> Result<Rc<Plan>> {
        self.plans.get(graph, structure, self.places.devices(&self.config)?, &self.config)
    }

    fn launch(
        &mut self,
        plan: &Plan,
        graph: &Graph,
        shapes: &[Handle],
        args: &[Handle],
    ) -> Result<Vec<Handle>> {
        let outcome = plan.executable.run_handles("main", shapes, args, &mut self.world);
        outcome.map_err(|error| explained(&error, plan, graph))
    }

    fn arguments(
        &mut self,
        plan: &Plan,
        graph: &Graph,
        numbers: &[Number],
    ) -> Result<(Vec<Handle>, Vec<Handle>)> {
        let device = plan.executable.device();
        let extent = |number: &usize| Handle::extent(device, numbers[*number].bits);
        let shapes = plan.dims.iter().map(extent).collect();
        let mut args = Vec::with_capacity(plan.args.len());
        for argument in &plan.args {
            args.push(match *argument {
                Argument::Number(number) => Handle::scalar(device, numbers[number].scalar()),
                Argument::Item(item) => self.leaf(graph, item, &plan.executable)?,
            });
        }
        Ok((shapes, args))
    }

    fn leaf(&mut self, graph: &Graph, item: usize, program: &Executable) -> Result<Handle> {
        let item = &graph.items[item];
        match &item.kind {
            Kind::Leaf(data) => self.slots.handle(data, program),
            Kind::Lazy(_) => {
                let why = "the data of an argument is not there while a program is traced".to_owned();
                Err(Error::at("eval", Reason::Argument(why), Some(item.node.place)))
            }
        }
    }
}

/// An error that no operation is to blame for.
pub(super) fn plain(error: &nestled_rt::Error) -> Error {
    Error::at("eval", reason(error), None)
}

fn reason(error: &nestled_rt::Error) -> Reason {
    use nestled_rt::Error as Rt;
    let text = error.to_string();
    match error {
        Rt::Fault(_) => Reason::Fault(text),
        Rt::OutOfMemory { live, .. } => {
            let held: Vec<String> = live.iter().map(|live| format!("{} bytes", live.bytes)).collect();
            let held = if held.is_empty() { String::new() } else { format!("; held: {}", held.join(", ")) };
            Reason::OutOfMemory(format!("{text}{held}"))
        }
        Rt::Points { .. } => Reason::OutOfMemory(text),
        Rt::Depth { .. } | Rt::Unsupported { .. } | Rt::Interrupted | Rt::Lost(_) => Reason::Device(text),
        Rt::BadArgument(_) | Rt::Bug(_) => Reason::Bug(text),
    }
}

/// An error with the operation that is to blame, where it is known.
fn explained(error: &nestled_rt::Error, plan: &Plan, graph: &Graph) -> Error {
    if let nestled_rt::Error::Fault(fault) = error
        && let Some(&item) = plan.sites.get(fault.site.index())
    {
        let item = &graph.items[item];
        return Error::at(item.op().map_or("eval", Op::name), reason(error), Some(item.node.place));
    }
    plain(error)
}
