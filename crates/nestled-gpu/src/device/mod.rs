//! A [`Device`] over any [`Machine`] that runs modules.
//!
//! - **Kernels** for which there is code run on the machine; others, and launches after a fault, go through the reference interpreter, from copies
//!   of what they read. [`Counts`] says how many of each.
//! - **Faults** cost a launch no wait. Each site of a launch has a word for the least point that faulted there; they are looked at when somebody waits anyhow. Then
//!   the launch with the least fault runs once more, on the interpreter, which knows what to say. So what a launch read is kept
//!   until it has been looked at: whoever wants to write there gets other memory, or waits.
//! - **Native operations** are kernels too, but for some that run on the host.
//! - **Devices side by side** share a machine through a [`Queue`], and so what they have compiled; buffers go from one to the other once nobody writes them any more.

mod arena;
mod codes;
mod counts;
mod elements;
mod fetched;
mod kernels;
mod keys;
mod launch;
mod library;
mod look;
mod machine;
mod memory;
mod native;
mod pending;
mod queue;
mod reads;
mod shared;
mod single_pass_sort;
mod slot_map;
mod sort;
mod window;
mod work;

pub use arena::Arena;
pub use counts::Counts;
pub use library::programs as library_programs;
pub use machine::{Block, Copy, Dispatch, Machine, Ones, Place, Product, Touch};
pub use queue::Queue;

use crate::code::Sweep;
use kernels::Kernels;
use library::Library;
use memory::{Memory, Renewed, StorageId, Traffic};
use nestled_ir::interp::{Fault, Interrupt};
use nestled_ir::value::Buffer;
use nestled_ir::{Program, Scalar, ScalarType, SiteId};
use nestled_rt::device::{
    BufferId, Cell, Compiled, Copied, Description, Device, DeviceError, DeviceFault, KernelHandle,
    KernelRequest, Launch, LaunchMemory, Native, Operands, SharedBuffer, Slice, Ticket, Turn, interpret,
    launch_meter,
};
use pending::Waiting;
use shared::Shared;
use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use work::Work;

/// A GPU.
#[derive(Debug)]
pub struct GpuDevice<M: Machine> {
    description: Description,
    turn: Turn,
    state: RefCell<State<M>>,
}

#[derive(Debug)]
struct State<M: Machine> {
    memory: Memory<M>,
    kernels: Kernels<M>,
    library: Library,
    /// The variants of the sort that were requested so far.
    sweeps: Vec<(Sweep, Rc<M::Code>)>,
    waiting: Waiting,
    /// Number of times that the launches in `waiting` were forgotten, looked at or not.
    looks: u64,
    /// Recycled lists for later launches.
    spare: Vec<Work>,
    places: Vec<(Place, u64)>,
    words: Vec<u32>,
    fault: Option<DeviceFault>,
    interrupt: Option<Interrupt>,
    counts: Counts,
}

/// So many launches that may fault wait to be looked at.
const MOST_PENDING: usize = 256;

fn bug(what: impl Into<String>) -> DeviceError {
    DeviceError::Bug(what.into())
}

impl<M: Machine> GpuDevice<M> {
    /// A device over a machine of its own.
    pub fn new(machine: M, interrupt: Option<Interrupt>) -> GpuDevice<M> {
        GpuDevice::beside(&Queue::new(machine), interrupt)
    }

    /// Creates a device that shares its machine with others.
    pub fn beside(queue: &Queue<M>, interrupt: Option<Interrupt>) -> GpuDevice<M> {
        let description = queue.describe().clone();
        let state = State {
            memory: Memory::new(queue),
            kernels: Kernels::default(),
            library: Library::default(),
            sweeps: Vec::new(),
            waiting: Waiting::default(),
            looks: 0,
            spare: Vec::new(),
            places: Vec::new(),
            words: Vec::new(),
            fault: None,
            interrupt,
            counts: Counts::default(),
        };
        GpuDevice { description, turn: Turn::default(), state: RefCell::new(state) }
    }

    /// Returns the statistics of launches and fallbacks.
    pub fn counts(&self) -> Counts {
        let state = self.state.borrow();
        let Traffic { reads, writes, blocked } = state.memory.traffic();
        let modules = state.memory.queue().codes().count();
        Counts { reads, writes, blocked, modules, ..state.counts.clone() }
    }

    /// Returns the number of operations so far that fell back to the host although nothing had faulted.
    pub fn fallbacks(&self) -> u64 {
        self.state.borrow().counts.fallbacks()
    }

    /// Releases compiled modules that no kernel uses, without a wait: queued launches keep theirs until they are done.
    pub fn release(&self) {
        self.state.borrow().memory.queue().trim();
    }

    /// Returns the number of bytes of buffers, without old storage that only fault reports still need.
    pub fn bytes_in_use(&self) -> u64 {
        self.state.borrow().memory.in_use()
    }
}

impl<M: Machine> State<M> {
    fn note(&mut self, fault: DeviceFault) {
        if self.fault.as_ref().is_none_or(|known| fault.rank() < known.rank()) {
            self.fault = Some(fault);
        }
    }

    /// True if an operation with this region and least site can be skipped, since a lesser fault is known.
    fn skips(&self, region: u64, least_site: Option<SiteId>) -> bool {
        match &self.fault {
            None => false,
            Some(fault) if fault.region < region => true,
            Some(fault) => least_site.is_none_or(|site| site > fault.site),
        }
    }

    fn interpret(&mut self, launch: &Launch<'_>) -> Result<(), DeviceError> {
        let prepared = self.kernels.get(launch.kernel)?;
        let (program, kernel) = (Arc::clone(&prepared.program), prepared.kernel);
        let operands = Operands { shapes: launch.shapes, args: launch.args, results: launch.results };
        let mut meter = launch_meter(self.memory.limit(), u64::MAX, self.interrupt.as_ref());
        let run = match interpret(&self.memory, &program, kernel, None, operands, &mut meter) {
            // After a fault, operands may be values that the program never meant.
            Err(DeviceError::Bug(_)) if self.fault.is_some() => return Ok(()),
            outcome => outcome?,
        };
        for (data, &slice) in run.results.iter().zip(launch.results) {
            self.make_free(slice)?;
            self.memory.bring_back(slice, data)?;
        }
        if let Some(Fault { site, element, point, kind, span: _ }) = run.fault {
            self.note(DeviceFault { region: launch.region, site, element, point, kind });
        }
        Ok(())
    }

    /// Makes a slice safe to overwrite. Old storage is kept in `kept` for a launch that still reads it.
    fn make_writable(&mut self, slice: Slice, kept: &mut Vec<StorageId>) -> Result<(), DeviceError> {
        match self.memory.renew(slice)? {
            Renewed::Own => Ok(()),
            Renewed::Moved(storage) => {
                kept.push(storage);
                Ok(())
            }
            Renewed::Needed => self.look(),
        }
    }

    /// The same where the old contents are not read.
    fn make_free(&mut self, slice: Slice) -> Result<(), DeviceError> {
        let mut kept = Vec::new();
        let made = self.make_writable(slice, &mut kept);
        kept.into_iter().for_each(|storage| self.memory.release(storage));
        made
    }

    /// Launches a kernel on the machine, on behalf of a native operation or for itself; false if it could not.
    fn launch(&mut self, launch: &Launch<'_>, native: Option<&Native>) -> Result<bool, DeviceError> {
        let mut work = self.spare.pop().unwrap_or_default();
        let launched = self.launch_with(&mut work, launch, native);
        work.end(&mut self.memory);
        self.spare.push(work);
        launched
    }

    fn launch_with(
        &mut self,
        work: &mut Work,
        launch: &Launch<'_>,
        native: Option<&Native>,
    ) -> Result<bool, DeviceError> {
        let Some(module) = self.module(launch)? else { return Ok(false) };
        let prepared = self.kernels.get(launch.kernel)?;
        let kernel = prepared.program.kernel(prepared.kernel);
        if !launch::find_sizes(&mut work.sizes, &self.memory, kernel, &module, launch) {
            self.counts.interpreted("sizes that do not fit");
            return Ok(false);
        }
        let code = self.code(launch.kernel, &module)?;
        let language = self.memory.dialect().language;
        // Operands are encoded before results move to new storage.
        launch::fill(&mut work.block, &self.memory, &module, launch, &work.sizes)?;
        if !module.sites.is_empty() {
            self.memory.hold(launch, &mut work.held)?;
        }
        for &slice in launch.results {
            self.make_writable(slice, &mut work.kept)?;
        }
        launch::results(&self.memory, &module, launch, &mut work.block)?;
        for (at, need) in module.scratch.iter().enumerate() {
            let words = work.sizes.of(need.size).saturating_mul(need.words).max(1);
            let storage = self.take(words)?;
            work.scratch.push(Some(storage));
            let place = self.memory.begin(storage);
            if need.ones {
                work.block.ones.push(Ones { place, words });
            }
            work.block.writes(language, module.layout.scratch(at), place);
        }
        if !module.sites.is_empty() {
            let words = module.sites.len() as u64;
            let faults = self.take(words)?;
            work.faults = Some(faults);
            let place = self.memory.begin(faults);
            work.block.ones.push(Ones { place, words });
            work.block.address(language, 0, place);
        }
        if module.counts {
            self.memory.give_zeros(&mut work.block)?;
        }
        if module.sorts.is_empty() {
            self.memory.run(&code, &work.block)?;
        } else if !self.run_sorting(launch, &module, &code, work)? {
            self.counts.interpreted("a scatter without room to sort");
            return Ok(false);
        }
        if let Some(faults) = work.faults.take() {
            self.waiting.add(launch, native, &mut work.held, faults, &module);
        }
        self.counts.launched();
        if self.waiting.len() >= MOST_PENDING {
            self.look()?;
        }
        Ok(true)
    }

    /// Allocates memory for a launch itself.
    fn take(&mut self, words: u64) -> Result<StorageId, DeviceError> {
        match self.memory.take(words) {
            Err(DeviceError::OutOfMemory { .. }) if !self.waiting.is_empty() => {
                self.look()?;
                self.memory.take(words)
            }
            outcome => outcome,
        }
    }
}

impl<M: Machine> Device for GpuDevice<M> {
    fn describe(&self) -> &Description {
        &self.description
    }

    fn compile(
        &self,
        program: &Arc<Program>,
        requests: &[KernelRequest],
    ) -> Result<Vec<Compiled>, DeviceError> {
        let state = &mut *self.state.borrow_mut();
        Ok(requests.iter().map(|request| state.prepare(program, request)).collect())
    }

    fn allocate(&self, elem: ScalarType, len: u64) -> Result<BufferId, DeviceError> {
        let state = &mut *self.state.borrow_mut();
        match state.memory.allocate(elem, len) {
            Err(DeviceError::OutOfMemory { .. }) if !state.waiting.is_empty() => {
                state.look()?;
                state.memory.allocate(elem, len)
            }
            outcome => outcome,
        }
    }

    fn free(&self, buffer: BufferId) {
        self.state.borrow_mut().memory.free(buffer);
    }

    fn copy_in(&self, buffer: BufferId, offset: u64, data: &Buffer) -> Result<(), DeviceError> {
        let state = &mut *self.state.borrow_mut();
        let slice = Slice { buffer, offset, len: data.len() as u64 };
        state.make_free(slice)?;
        state.memory.write(slice, data)
    }

    fn copy(&self, from: Slice, into: BufferId, at: u64) -> Result<(), DeviceError> {
        let state = &mut *self.state.borrow_mut();
        let to = Slice { buffer: into, offset: at, len: from.len };
        state.make_free(to)?;
        state.memory.copy(from, to)
    }

    fn copy_out(&self, slice: Slice) -> Result<Buffer, DeviceError> {
        self.state.borrow().memory.read(slice)
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<(), DeviceError> {
        let state = &mut *self.state.borrow_mut();
        if state.skips(launch.region, launch.least_site) {
            return Ok(());
        }
        // After a fault offsets and starts may be garbage.
        if state.fault.is_none() && state.launch(launch, None)? {
            return Ok(());
        }
        state.interpret(launch)
    }

    fn native(&self, native: Native) -> Result<(), DeviceError> {
        let state = &mut *self.state.borrow_mut();
        if state.skips(native.region, native.least_site) {
            return Ok(());
        }
        if state.fault.is_none() {
            if state.native_launch(&native)? {
                return Ok(());
            }
            state.counts.native();
        }
        state.native(&native)
    }

    fn read(&self, cells: &[Cell], into: &mut Vec<Scalar>) -> Result<Option<DeviceFault>, DeviceError> {
        let state = &mut *self.state.borrow_mut();
        state.look_and_read(cells, into)?;
        if cells.is_empty() {
            state.memory.finish()?;
        }
        Ok(state.fault.clone())
    }

    fn poll_read(
        &self,
        ticket: &mut Ticket,
        cells: &[Cell],
        into: &mut Vec<Scalar>,
        context: &mut Context<'_>,
    ) -> Poll<Result<Option<DeviceFault>, DeviceError>> {
        self.state.borrow_mut().poll_read(ticket, cells, into, context)
    }

    fn poll_copy_out(
        &self,
        ticket: &mut Ticket,
        slice: Slice,
        context: &mut Context<'_>,
    ) -> Poll<Result<Buffer, DeviceError>> {
        self.state.borrow().poll_copy(ticket, slice, context)
    }

    fn poll_take_out(
        &self,
        ticket: &mut Ticket,
        slice: Slice,
        context: &mut Context<'_>,
    ) -> Poll<Result<Buffer, DeviceError>> {
        self.poll_copy_out(ticket, slice, context)
    }

    fn turn(&self) -> Option<&Turn> {
        Some(&self.turn)
    }

    fn copied(&self) -> Copied {
        self.state.borrow().memory.copied()
    }

    fn time_kernels(&self, on: bool) {
        self.state.borrow().memory.time_kernels(on);
    }

    fn kernel_time(&self) -> Option<Duration> {
        self.state.borrow().memory.kernel_time()
    }

    fn share(&self, buffer: BufferId) -> Option<Arc<dyn SharedBuffer>> {
        let shared = self.state.borrow_mut().memory.share(buffer)?;
        Some(shared)
    }

    fn adopt(&self, shared: &Arc<dyn SharedBuffer>) -> Option<BufferId> {
        let shared: Arc<dyn Any + Send + Sync> = Arc::clone(shared) as _;
        let shared = shared.downcast::<Shared<M>>().ok()?;
        self.state.borrow_mut().memory.lent(&shared)
    }

    fn forget(&self, kernel: KernelHandle) {
        let state = &mut *self.state.borrow_mut();
        state.kernels.forget(kernel);
        if state.waiting.is_empty() {
            state.kernels.forget_all(&state.memory);
        }
    }

    fn clear_fault(&self) {
        let state = &mut *self.state.borrow_mut();
        state.forget_waiting();
        state.fault = None;
    }

    fn abandon(&self) {
        self.state.borrow_mut().forget_waiting();
    }
}
