//! The kernels of the device: compiled where possible, otherwise left to the interpreter.
#![allow(unsafe_code)] // Launches compiled code.

use super::concurrent::{Held, HeldLaunch, Running, lock};
use super::in_place;
use super::interpreted;
use super::kept::Coded;
use super::memory::{Memory, bug};
use super::objects::{Objects, Wanted};
use super::resolve::{Resolved, Signature};
use super::waiting::Waiting;
use crate::codegen::{self, Generated};
use crate::kernel::{
    LoadedKernel, NoMemory, OneThreadTime, RawFault, RawLaunch, Workspace, coordinates, wants_streaming,
};
use nestled_cache::Source;
use nestled_ir::interp::{Fault, Interrupt, TileCode};
use nestled_ir::{KernelId, Program};
use nestled_kernel::{Plan, Sizes, Target};
use nestled_llvm::object::{Code, Symbols};
use nestled_pool::Pool;
use nestled_rt::device::{
    Arg, Compiled, DeviceError, DeviceFault, KernelHandle, KernelRequest, Launch, Made, in_place_interpreted,
    launch_meter,
};
use std::cell::OnceCell;
use std::cmp::Reverse;
use std::sync::Arc;

/// Number of scratch bytes that do not count towards the limit: every launch takes some.
pub(super) const FREE_SCRATCH: u64 = 1 << 20;

/// A requested kernel.
#[derive(Debug)]
pub(super) struct Prepared {
    /// Its program.
    pub program: Arc<Program>,
    /// Its number.
    pub kernel: KernelId,
    signature: Signature,
    wide: bool,
    loaded: Option<LoadedKernel>,
    /// Its code for the interpreter, once a launch wanted it.
    tiles: OnceCell<TileCode>,
    /// Its plan, while compilation is deferred.
    waiting: Option<Waiting>,
    /// The version with non-temporal stores, once a launch wanted it; `Some(None)` if it could not be compiled.
    streaming: Option<Option<LoadedKernel>>,
    one_thread: OneThreadTime,
}

/// All kernels.
#[derive(Debug)]
pub(super) struct Kernels {
    /// The kernels by handle; `None` where one was removed.
    list: Vec<Option<Prepared>>,
    vacant: Vec<usize>,
    target: Target,
    compiles: bool,
    compile_first: bool,
    workspace: Workspace,
    resolved: Resolved,
    /// Number of kernels that were compiled in the background.
    background: u64,
}

impl Kernels {
    /// Creates an empty set of kernels.
    pub(super) fn new(target: Target, compiles: bool, compile_first: bool, workspace: Workspace) -> Kernels {
        Kernels {
            list: Vec::new(),
            vacant: Vec::new(),
            target,
            compiles,
            compile_first,
            workspace,
            resolved: Resolved::default(),
            background: 0,
        }
    }

    /// Returns the number of kernels so far that were compiled in the background.
    pub(super) fn compiled_in_background(&self) -> u64 {
        self.background
    }

    /// Returns the scratch bytes that launches keep for later ones.
    pub(super) fn scratch(&self) -> u64 {
        self.workspace.scratch.held()
    }

    /// Returns the free scratch to the system.
    pub(super) fn clear_scratch(&self) {
        self.workspace.scratch.clear();
    }

    /// Finds a kernel.
    pub(super) fn get(&self, handle: KernelHandle) -> Result<&Prepared, DeviceError> {
        self.list
            .get(handle.0 as usize)
            .and_then(Option::as_ref)
            .ok_or_else(|| bug("a kernel that was never compiled"))
    }

    /// Prepares kernels: generates code, and compiles it unless compilation is deferred.
    pub(super) fn prepare(
        &mut self,
        pool: &Pool,
        objects: &mut Objects,
        program: &Arc<Program>,
        requests: &[KernelRequest],
    ) -> Result<Vec<Compiled>, DeviceError> {
        let plan = |request: &KernelRequest| {
            let sizes = Sizes { wide: request.wide, streaming: false };
            self.compiles.then(|| {
                let plan = nestled_kernel::plan(program, program.kernel(request.kernel), &self.target, sizes);
                (plan, objects.source(program, request.kernel, &self.target, sizes))
            })
        };
        let mut planned: Vec<Option<(Plan, Source)>> = requests.iter().map(plan).collect();
        let mut waiting = self.waiting(objects, &mut planned);
        let wanted = requests.iter().zip(&planned).filter_map(|(request, planned)| {
            let (plan, source) = planned.as_ref()?;
            Some(wanted(program, request.kernel, plan, source.clone()))
        });
        let wanted: Vec<Wanted<'_>> = wanted.collect();
        let found = objects.get(pool, &wanted).map_err(|error| bug(error.to_string()))?;
        let mut found = found.into_iter();
        let mut answers = Vec::with_capacity(requests.len());
        for ((request, planned), waiting) in requests.iter().zip(&planned).zip(&mut waiting) {
            let waiting = waiting.take();
            let object = planned.as_ref().and_then(|_| found.next().flatten());
            let mut made: Option<Made> = None;
            let mut loaded = None;
            if let (Some((plan, _)), Some(object)) = (planned, object) {
                loaded = Some(load(program, plan, &object.code)?);
                made = Some(object.made);
            }
            let in_place = match (&loaded, &waiting) {
                (Some(loaded), _) => in_place::pairs(&loaded.plan),
                (None, Some(waiting)) => in_place::pairs(&codegen::Plan::new(program, &waiting.plan)),
                (None, None) => in_place_interpreted(program.kernel(request.kernel)),
            };
            let signature = Signature::new(program.kernel(request.kernel));
            let handle = self.enter(Prepared {
                program: Arc::clone(program),
                kernel: request.kernel,
                signature,
                wide: request.wide,
                loaded,
                tiles: OnceCell::new(),
                waiting,
                streaming: None,
                one_thread: OneThreadTime::default(),
            });
            answers.push(Compiled { handle, in_place, made });
        }
        Ok(answers)
    }

    fn enter(&mut self, prepared: Prepared) -> KernelHandle {
        let place = self.vacant.pop().unwrap_or(self.list.len());
        if place == self.list.len() {
            self.list.push(None);
        }
        self.list[place] = Some(prepared);
        KernelHandle(place as u64)
    }

    /// Removes a kernel.
    pub(super) fn forget(&mut self, handle: KernelHandle) {
        let place = handle.0 as usize;
        if self.list.get_mut(place).and_then(Option::take).is_some() {
            self.vacant.push(place);
        }
    }

    fn waiting_at(&self, place: usize) -> Option<&Waiting> {
        self.list.get(place)?.as_ref()?.waiting.as_ref()
    }

    /// Removes the kernels whose compilation is deferred from those that are planned: all unknown ones, unless kernels are compiled first.
    fn waiting(&self, objects: &mut Objects, planned: &mut [Option<(Plan, Source)>]) -> Vec<Option<Waiting>> {
        let wait = |planned: &mut Option<(Plan, Source)>| {
            let unknown = planned.take_if(|(_, source)| !self.compile_first && !objects.knows(source));
            unknown.map(|(plan, source)| Waiting::new(plan, source))
        };
        planned.iter_mut().map(wait).collect()
    }

    /// Compiles a deferred kernel once it is due, and on the other threads those that have been used most. Before that it begins its compilation in the background, and
    /// takes the result.
    fn wake(&mut self, pool: &Pool, objects: &mut Objects, launch: &Launch<'_>) -> Result<(), DeviceError> {
        let place = launch.kernel.0 as usize;
        let Some(prepared) = self.list.get_mut(place).and_then(Option::as_mut) else { return Ok(()) };
        let Some(waiting) = &mut prepared.waiting else { return Ok(()) };
        if waiting.job.as_ref().is_some_and(|job| job.has_ended()) {
            return self.receive(place, objects);
        }
        if !waiting.is_due() && !objects.holds(&waiting.source) {
            if pool.threads() > 1 {
                waiting.compile_in_background(&prepared.program, objects, size_of(launch));
            }
            return Ok(());
        }
        let mut due: Vec<usize> = (0..self.list.len())
            .filter(|&other| other == place || self.waiting_at(other).is_some_and(Waiting::has_run))
            .collect();
        let taken = |other: &usize| self.waiting_at(*other).map(Waiting::taken);
        due.sort_by_key(|other| (*other != place, Reverse(taken(other))));
        due.truncate(pool.threads());
        // Its own job is awaited, if it has begun; those of others come by themselves.
        let is_free = |other: &usize| {
            let job = self.waiting_at(*other).and_then(|waiting| waiting.job.as_ref());
            job.is_none_or(|job| job.take_back())
        };
        let (free, begun): (Vec<usize>, Vec<usize>) = due.into_iter().partition(is_free);
        self.compile_now(pool, objects, &free)?;
        begun.into_iter().filter(|&other| other == place).try_for_each(|other| self.receive(other, objects))
    }

    /// Compiles deferred kernels, each on a thread.
    fn compile_now(
        &mut self,
        pool: &Pool,
        objects: &mut Objects,
        places: &[usize],
    ) -> Result<(), DeviceError> {
        let list = &self.list;
        let wanted = places.iter().filter_map(|&place| {
            let prepared = list[place].as_ref()?;
            let Waiting { plan, source, .. } = prepared.waiting.as_ref()?;
            Some(wanted(&prepared.program, prepared.kernel, plan, source.clone()))
        });
        let wanted: Vec<Wanted<'_>> = wanted.collect();
        let found = objects.get(pool, &wanted).map_err(|error| bug(error.to_string()))?;
        drop(wanted);
        for (&place, object) in places.iter().zip(found) {
            let Some(prepared) = &mut self.list[place] else { continue };
            if let (Some(waiting), Some(object)) = (prepared.waiting.take(), object) {
                prepared.loaded = Some(load(&prepared.program, &waiting.plan, &object.code)?);
            }
        }
        Ok(())
    }

    /// Takes the result of a compilation in the background, and waits for it if it is in progress.
    fn receive(&mut self, place: usize, objects: &mut Objects) -> Result<(), DeviceError> {
        let Some(prepared) = &mut self.list[place] else { return Ok(()) };
        let Some(waiting) = prepared.waiting.take() else { return Ok(()) };
        let outcome = waiting.job.as_ref().and_then(|job| job.wait()).transpose();
        match outcome.map_err(|error| bug(error.to_string()))?.flatten() {
            Some(code) => {
                prepared.loaded = Some(load(&prepared.program, &waiting.plan, &code)?);
                objects.keep(&waiting.source, Arc::new(code));
                self.background += 1;
            }
            // Without LLVM that is said.
            None => drop(objects.look_for_llvm()),
        }
        Ok(())
    }

    /// Runs a launch on the interpreter. `None` if it would take too long and may be compiled instead.
    pub(super) fn interpret(
        &mut self,
        memory: &mut Memory,
        launch: &Launch<'_>,
        may_wait: bool,
    ) -> Result<Option<Option<Fault>>, DeviceError> {
        let interrupt = self.workspace.interrupt.clone();
        let place = launch.kernel.0 as usize;
        let Some(prepared) = self.list.get_mut(place).and_then(Option::as_mut) else {
            return Err(bug("a kernel that was never compiled"));
        };
        let Prepared { program, kernel, tiles, waiting, .. } = prepared;
        let definition = program.kernel(*kernel);
        let tiles = tiles.get_or_init(|| TileCode::new(program, definition));
        let mut waiting = waiting.as_mut().filter(|_| may_wait);
        let elements = size_of(launch);
        let mut meter = launch_meter(memory.limit(), u64::MAX, interrupt.as_ref());
        if let Some(waiting) = waiting.as_mut() {
            match waiting.limit(meter, elements, tiles) {
                Some(limited) => meter = limited,
                None => {
                    waiting.give_up();
                    return Ok(None);
                }
            }
        }
        let outcome = interpreted::launch(memory, program, *kernel, tiles, launch, &mut meter);
        if let Some(waiting) = waiting {
            let taken = meter.steps();
            // Compiled code takes less memory, too.
            if matches!(outcome, Err(DeviceError::OutOfMemory { .. })) || meter.was_stopped() {
                waiting.give_up();
                return Ok(None);
            }
            waiting.count(taken, elements, tiles);
        }
        outcome.map(Some)
    }

    /// Launches compiled code, if there is any.
    pub(super) fn launch(
        &mut self,
        pool: &Pool,
        objects: &mut Objects,
        memory: &mut Memory,
        launch: &Launch<'_>,
    ) -> Result<Launched, DeviceError> {
        self.wake(pool, objects, launch)?;
        let Kernels { list, target, resolved, workspace, .. } = self;
        let Some(prepared) = list.get_mut(launch.kernel.0 as usize).and_then(Option::as_mut) else {
            return Err(bug("a kernel that was never compiled"));
        };
        let Some(plain) = &prepared.loaded else { return Ok(Launched::NotYet) };
        if !resolved.fill(memory, &prepared.signature, launch)? {
            // The interpreter reports the fault.
            return Ok(Launched::NotYet);
        }
        let raw = resolved.launch();
        let mut loaded = plain;
        if wants_streaming(&plain.plan, &raw, workspace) {
            if prepared.streaming.is_none() {
                let made =
                    streaming(pool, objects, target, &prepared.program, prepared.kernel, prepared.wide);
                prepared.streaming = Some(made?);
            }
            loaded = prepared.streaming.as_ref().and_then(Option::as_ref).unwrap_or(plain);
        }
        let room = memory.room_for(loaded.takes_scratch());
        workspace.scratch.allow(room.saturating_add(FREE_SCRATCH));
        let timed = prepared.one_thread.begin(pool, || size_of(launch));
        // SAFETY: the places were looked up just now in `memory`, which is borrowed until the call returns; arrays have the elements that their shapes promise, and
        // buffers have margins. Offsets and starts were made by operations that look at them, none of which has faulted. Results are buffers of their own, but where
        // the executor gives an argument that nobody needs any more, as far as `in_place` allowed it.
        let outcome = unsafe { loaded.launch(pool, &raw, workspace) };
        prepared.one_thread.end(timed, pool);
        ended(loaded, (launch, &raw), outcome, (workspace.interrupt.as_ref(), room))
    }

    /// True if a launch is worth a thread beside others: it is known to take one, and long enough.
    pub(super) fn is_worth_a_thread(&self, launch: &Launch<'_>) -> bool {
        self.get(launch.kernel).is_ok_and(|prepared| {
            let is_ready = prepared.loaded.is_some() && prepared.streaming.is_none();
            is_ready
                && prepared.one_thread.takes_as_long(self.workspace.thresholds.concurrent, || size_of(launch))
        })
    }

    /// Runs held launches, a thread to each.
    pub(super) fn run_held(&self, pool: &Pool, memory: &mut Memory, held: &Held) {
        let room = memory.room_for(true) / held.count() as u64;
        for one in held.launches() {
            let mut one = lock(one);
            let mut resolved = std::mem::take(&mut one.resolved);
            let launch = one.launch();
            let fits = self
                .get(launch.kernel)
                .and_then(|prepared| resolved.fill(memory, &prepared.signature, &launch));
            one.resolved = resolved;
            one.running = if fits == Ok(true) { Running::Ready } else { Running::NotYet };
            one.workspace.scratch.allow(room.saturating_add(FREE_SCRATCH));
        }
        let side_by_side = SideBySide { kernels: self, held };
        pool.for_each_chunk(held.count(), |at| side_by_side.run(pool, at));
    }

    /// Returns how a held launch has ended; an error means that it has not run.
    pub(super) fn ended_held(&self, one: &HeldLaunch) -> Result<Launched, DeviceError> {
        let Running::Ran(outcome) = &one.running else { return Ok(Launched::NotYet) };
        let prepared = self.get(one.launch().kernel)?;
        let Some(loaded) = &prepared.loaded else { return Ok(Launched::NotYet) };
        let raw = one.resolved.launch();
        ended(loaded, (&one.launch(), &raw), outcome.clone(), (one.workspace.interrupt.as_ref(), 0))
    }
}

/// Held launches that run on several threads.
struct SideBySide<'a> {
    kernels: &'a Kernels,
    held: &'a Held,
}

// SAFETY: nothing in the kernels changes while threads share them but atomics, as within any launch; each held launch is locked by the thread that runs it. Pointers of launches are
// followed by `LoadedKernel::launch` only.
unsafe impl Sync for SideBySide<'_> {}

impl SideBySide<'_> {
    /// Runs a held launch, if it can run.
    fn run(&self, pool: &Pool, at: usize) {
        let one = &mut *lock(&self.held.launches()[at]);
        let loaded = self.kernels.get(one.launch().kernel).ok().and_then(|prepared| prepared.loaded.as_ref());
        let (Running::Ready, Some(loaded)) = (&one.running, loaded) else { return };
        let raw = one.resolved.launch();
        // SAFETY: as in `Kernels::launch`: its handles were resolved just now, and the memory is borrowed until all have run. Held launches are independent: no other one writes
        // what this one reads or writes.
        let outcome = unsafe { loaded.launch(pool, &raw, &mut one.workspace) };
        one.running = Running::Ran(outcome);
    }
}

/// Returns the number of elements of the arguments and results of a launch, as far as the host knows it.
fn size_of(launch: &Launch<'_>) -> u64 {
    let args = launch.args.iter().map(|arg| match arg {
        Arg::Dense(slice) | Arg::View { data: slice, .. } => slice.len,
        Arg::Scalar(_) | Arg::Cell(_) => 1,
    });
    args.chain(launch.results.iter().map(|result| result.len)).fold(0, u64::saturating_add)
}

/// Returns what a launch that has run comes to.
fn ended(
    loaded: &LoadedKernel,
    (launch, raw): (&Launch<'_>, &RawLaunch<'_>),
    outcome: Result<Option<RawFault>, NoMemory>,
    (interrupt, room): (Option<&Interrupt>, u64),
) -> Result<Launched, DeviceError> {
    let fault =
        outcome.map_err(|error| DeviceError::OutOfMemory { wanted: error.wanted, free: Some(room) })?;
    if interrupt.is_some_and(Interrupt::is_requested) {
        return Err(DeviceError::Interrupted);
    }
    let in_place = || raw.results.iter().any(|into| raw.args.iter().any(|arg| arg.is_at(into.data)));
    if fault.as_ref().is_some_and(|fault| fault.unsure) && !in_place() {
        // The interpreter finds the least fault.
        return Ok(Launched::NotYet);
    }
    Ok(match fault {
        None => Launched::Done,
        Some(fault) => Launched::Faulted(DeviceFault {
            region: launch.region,
            site: fault.site,
            element: fault.element,
            point: coordinates(&loaded.plan.kernel, raw, fault.level, fault.element),
            kind: fault.kind,
        }),
    })
}

/// The outcome of a launch.
pub(super) enum Launched {
    /// Completed.
    Done,
    /// Completed, with this fault.
    Faulted(DeviceFault),
    /// The interpreter must run it: the kernel is not compiled, an argument does not match its shape, or the least fault is uncertain.
    NotYet,
}

/// Requests the code of a planned kernel.
fn wanted<'a>(program: &'a Program, kernel: KernelId, plan: &'a Plan, source: Source) -> Wanted<'a> {
    let write = move || {
        let generated = codegen::write(program, plan)?;
        debug_assert!(is_of_kernel_alone(program, kernel, plan, &generated), "it depends on what finds it");
        Ok(generated)
    };
    Wanted { source, write: Box::new(write) }
}

/// True if the code of a kernel depends on nothing but its cache key.
fn is_of_kernel_alone(program: &Program, kernel: KernelId, plan: &Plan, generated: &Generated) -> bool {
    let alone = nestled_ir::alone(program, kernel);
    let plan = nestled_kernel::plan(&alone, &alone.kernels[0], &plan.target, plan.sizes);
    codegen::write(&alone, &plan).as_ref() == Ok(generated)
}

fn load(program: &Program, plan: &Plan, code: &Coded) -> Result<LoadedKernel, DeviceError> {
    let Coded { tables, bytes } = code;
    let symbols = Symbols::c_memory().with_c_math();
    let code = Code::load(bytes, &symbols).map_err(|error| bug(error.to_string()))?;
    let plan = codegen::Plan::new(program, plan);
    LoadedKernel::new(plan, tables.clone(), code).ok_or_else(|| bug("compiled code lacks a function"))
}

/// Compiles the version of a kernel with non-temporal stores, if possible.
fn streaming(
    pool: &Pool,
    objects: &mut Objects,
    target: &Target,
    program: &Program,
    kernel: KernelId,
    wide: bool,
) -> Result<Option<LoadedKernel>, DeviceError> {
    let sizes = Sizes { wide, streaming: true };
    let plan = nestled_kernel::plan(program, program.kernel(kernel), target, sizes);
    let wanted = wanted(program, kernel, &plan, objects.source(program, kernel, target, sizes));
    let found = objects.get(pool, &[wanted]).map_err(|error| bug(error.to_string()))?;
    found.into_iter().next().flatten().map(|object| load(program, &plan, &object.code)).transpose()
}
