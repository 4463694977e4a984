//! The state of a track, in the hands of one thread at a time.

use super::config::EngineConfig;
use super::errors::{plain, reason};
use super::garbage::Garbage;
use super::inputs;
use super::kept::Kept;
use super::open_devices::OpenDevices;
use super::plans::{Explained, Plan, Plans, Tally};
use crate::error::{Error, Reason, Result};
use crate::lower::Argument;
use crate::node::{Data, Op};
use crate::plan::{Graph, Key, Kind, Number, key};
use crate::shape::Shape;
use nestled_devices::Commons;
use nestled_ir::interp::{Interrupt, StdWorld};
use nestled_ir::value::{Array, AxisValue, Buffer, Value};
use nestled_ir::{Program, ScalarType};
use nestled_rt::{Executable, Handle, SharedArray};
use std::collections::HashMap;
use std::panic::Location;
use std::rc::Rc;
use std::sync::Arc;

pub(crate) struct State {
    pub(super) config: EngineConfig,
    pub(super) places: OpenDevices,
    pub(super) plans: Plans,
    /// Programs that were traced, as far as they were called here, by their numbers.
    programs: HashMap<u64, Prepared>,
    /// Functions of other front ends, the same.
    pub(super) routines: HashMap<u64, Rc<Executable>>,
    pub(super) world: StdWorld,
    /// Launches that the interpreter ran and that were told.
    interpreted: u64,
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
    pub fn new(config: &EngineConfig, commons: &Commons, interrupt: &Interrupt, tally: &Arc<Tally>) -> State {
        State {
            config: config.clone(),
            places: OpenDevices::new(config, commons, interrupt),
            plans: Plans::new(tally),
            programs: HashMap::new(),
            routines: HashMap::new(),
            world: StdWorld::default(),
            interpreted: 0,
        }
    }

    /// Gives up what nobody refers to.
    pub fn sweep(&mut self, garbage: Vec<Garbage>) {
        for one in garbage {
            match one {
                Garbage::Program(program) => drop(self.programs.remove(&program)),
                Garbage::Routine(routine) => drop(self.routines.remove(&routine)),
            }
        }
    }

    /// Gives back memory that nothing lies in.
    pub fn release(&mut self) {
        if let Some(devices) = self.places.known() {
            devices.release();
        }
    }

    /// Launches that the interpreter ran since this was asked last.
    pub fn newly_interpreted(&mut self) -> u64 {
        let now = self.places.known().map_or(0, nestled_devices::Devices::interpreted);
        now - std::mem::replace(&mut self.interpreted, now)
    }

    /// Returns whether the child of a fork may use the open devices; `None` before they are open.
    pub fn outlives_forks(&self) -> Option<bool> {
        self.places.known().map(nestled_devices::Devices::outlive_forks)
    }

    /// Waits for the devices.
    pub fn wait(&mut self) -> Result<()> {
        self.places.devices()?.wait().map_err(|error| plain(&error.into()))
    }

    /// The name of the device for a program that wants nothing special.
    pub fn device_name(&mut self) -> Result<String> {
        let fit = self.places.devices()?.for_program(&Program::default());
        Ok(fit.map_err(|error| plain(&error.into()))?.opened.condition())
    }

    /// True if a card with CUDA computes.
    pub fn is_cuda(&mut self) -> Result<bool> {
        let fit = self.places.devices()?.for_program(&Program::default());
        Ok(fit.map_err(|error| plain(&error.into()))?.opened.is_cuda())
    }

    /// Keeps a result, for all tracks.
    pub fn keep(&mut self, handle: Handle) -> Result<Kept> {
        if let Some(shared) = handle.share() {
            return Ok(Kept::Shared(shared));
        }
        let bug = || Error::at("eval", Reason::Bug("a result that cannot be shared".to_owned()), None);
        match handle.to_value().map_err(|error| plain(&error))? {
            Value::Scalar(scalar) => Ok(Kept::Number(scalar)),
            Value::Array(array) => {
                let elem = array.elem;
                let copied = self.places.put(elem, &Value::Array(array))?;
                copied.share().map(Kept::Shared).ok_or_else(bug)
            }
            Value::Dim(_) | Value::Seg(_) => Err(bug()),
        }
    }

    fn keep_all(&mut self, handles: Vec<Handle>) -> Result<Vec<Kept>> {
        handles.into_iter().map(|handle| self.keep(handle)).collect()
    }

    pub fn upload(&mut self, elem: ScalarType, shape: &Shape, data: Arc<Buffer>) -> Result<Kept> {
        let shape = shape.iter().map(|&extent| AxisValue::Extent(extent as u64)).collect();
        let array = Value::Array(Array { elem, shape, starts: None, data });
        let handle = self.places.put(elem, &array)?;
        self.keep(handle)
    }

    /// Data from outside on the best device for it: where it lies, or copied.
    pub fn take_over(&mut self, elem: ScalarType, shared: &SharedArray) -> Result<Kept> {
        let handle = self.places.porter(elem)?.adopt(shared).map_err(|error| plain(&error))?;
        self.keep(handle)
    }

    /// Computes the roots of a graph.
    pub fn run(&mut self, graph: &Graph) -> Result<Vec<Kept>> {
        let (key, numbers, starts) = key(graph);
        let plan = self.plan(graph, (key, &numbers, &starts))?;
        let (shapes, args) = self.arguments(&plan, graph, &numbers)?;
        let results = self.launch(&plan, graph, &shapes, &args)?;
        self.keep_all(results)
    }

    /// What becomes of a graph.
    pub fn explain(&mut self, graph: &Graph) -> Result<Explained> {
        let (_, numbers, starts) = key(graph);
        Plans::explain(graph, (&numbers, &starts), self.places.devices()?, &self.config)
    }

    /// Computes a graph whose root packs elements: how many there are, and where they lie.
    pub fn pack(&mut self, graph: &Graph) -> Result<(usize, Kept)> {
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
        Ok((count as usize, self.keep(handle)?))
    }

    /// Makes a traced program ready.
    fn prepare(&mut self, graph: &Graph) -> Result<Prepared> {
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
        Ok(Prepared { plan, shapes, args, places })
    }

    /// Calls a traced program, which is made ready if it is not.
    pub fn call(&mut self, (number, graph): (u64, &Graph), data: &[Data]) -> Result<Vec<Kept>> {
        let prepared = match self.programs.remove(&number) {
            Some(prepared) => prepared,
            None => self.prepare(graph)?,
        };
        let outcome = self.call_prepared(&prepared, data);
        self.programs.insert(number, prepared);
        self.keep_all(outcome?)
    }

    fn call_prepared(&mut self, prepared: &Prepared, data: &[Data]) -> Result<Vec<Handle>> {
        let executable = &prepared.plan.executable;
        let mut args = Vec::with_capacity(prepared.args.len());
        for arg in &prepared.args {
            args.push(match arg {
                PreparedArg::Known(handle) => handle.clone(),
                PreparedArg::Argument(number) => match &data[*number] {
                    Data::Scalar(scalar) => Handle::scalar(executable.device(), *scalar),
                    Data::Device(resident) => inputs::adopt(resident, executable)?,
                    Data::Host(_) => {
                        let why = "an argument that was not brought".to_owned();
                        return Err(Error::at("jit", Reason::Bug(why), None));
                    }
                },
            });
        }
        let outcome = executable.run_handles("main", &prepared.shapes, &args, &mut self.world);
        outcome.map_err(|error| {
            let place = match &error {
                nestled_rt::Error::Fault(fault) => prepared.places.get(fault.site.index()).copied(),
                _ => None,
            };
            place.map_or_else(|| plain(&error), |(name, place)| Error::at(name, reason(&error), Some(place)))
        })
    }

    fn plan(&mut self, graph: &Graph, structure: (Key, &[Number], &[usize])) -> Result<Rc<Plan>> {
        let interrupt = self.places.interrupt.clone();
        self.plans.get(graph, structure, self.places.devices()?, &self.config, &interrupt)
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
            Kind::Leaf(data) => inputs::handle(data, program),
            Kind::Lazy(_) => {
                let why = "the data of an argument is not there while a program is traced".to_owned();
                Err(Error::at("eval", Reason::Argument(why), Some(item.node.place)))
            }
        }
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
