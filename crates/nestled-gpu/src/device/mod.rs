//! A [`Device`] over any [`Machine`] that runs modules.
//!
//! - **Kernels** with generated code run on the machine. Others, and launches after a fault, run on the reference interpreter, from copies of their
//!   operands. [`Counts`] has the numbers of each.
//! - **Faults** do not make a launch wait. Each site of a launch has a word for the least point that faulted there; these words are read when the host waits
//!   anyway. Then the launch with the least fault runs again on the interpreter, which produces the message. So the operands of a launch are kept until its
//!   faults have been read: a later write to them moves the buffer to new storage, or waits.
//! - **Native operations** are kernels too, except for some that run on the host.

mod arena;
mod counts;
mod keys;
mod launch;
mod library;
mod machine;
mod memory;
mod native;
mod pending;
mod slab;
mod sort;
mod sweep;
mod work;

pub use arena::Arena;
pub use counts::Counts;
pub use library::programs as library_programs;
pub use machine::{Block, Copy, Dispatch, Machine, Ones, Place, Product, Touch};

use crate::code::{Module, Sweep, generate, generate_for};
use library::Library;
use memory::{Memory, Renewed, StorageId};
use nestled_ir::interp::{Fault, Interrupt};
use nestled_ir::value::Buffer;
use nestled_ir::{KernelId, Program, Scalar, ScalarType, SiteId};
use nestled_rt::When;
use nestled_rt::device::{
    BufferId, Cell, Compiled, Copied, Description, Device, DeviceError, DeviceFault, InPlace, KernelHandle,
    KernelRequest, Launch, Made, Native, Operands, Origin, Slice, in_place_interpreted, interpret,
};
use pending::{Found, Waiting};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};
use work::Work;

/// A GPU.
#[derive(Debug)]
pub struct GpuDevice<M: Machine> {
    description: Description,
    state: RefCell<State<M>>,
}

#[derive(Debug)]
struct State<M: Machine> {
    memory: Memory<M>,
    kernels: Vec<Prepared<M>>,
    library: Library,
    /// The variants of the sort that were requested so far.
    sweeps: Vec<(Sweep, Rc<M::Code>)>,
    /// The compiled modules, by their texts.
    codes: HashMap<Arc<str>, Rc<M::Code>>,
    waiting: Waiting,
    /// Recycled lists for later launches.
    spare: Vec<Work>,
    places: Vec<(Place, u64)>,
    words: Vec<u32>,
    fault: Option<DeviceFault>,
    interrupt: Option<Interrupt>,
    counts: Counts,
}

/// A requested kernel.
#[derive(Debug)]
struct Prepared<M: Machine> {
    program: Arc<Program>,
    kernel: KernelId,
    /// The module, or the reason why there is none.
    module: Result<Rc<Module>, Rc<str>>,
    /// Compiled at the first launch.
    code: Option<Rc<M::Code>>,
}

/// Maximum number of launches whose faults have not been read.
const MOST_PENDING: usize = 256;

fn bug(what: impl Into<String>) -> DeviceError {
    DeviceError::Bug(what.into())
}

impl<M: Machine> GpuDevice<M> {
    /// Creates a device over a machine.
    pub fn new(machine: M, interrupt: Option<Interrupt>) -> GpuDevice<M> {
        let description = machine.describe();
        let state = State {
            memory: Memory::new(machine),
            kernels: Vec::new(),
            library: Library::default(),
            sweeps: Vec::new(),
            codes: HashMap::new(),
            waiting: Waiting::default(),
            spare: Vec::new(),
            places: Vec::new(),
            words: Vec::new(),
            fault: None,
            interrupt,
            counts: Counts::default(),
        };
        GpuDevice { description, state: RefCell::new(state) }
    }

    /// Returns the statistics of launches and fallbacks.
    pub fn counts(&self) -> Counts {
        let state = self.state.borrow();
        let (reads, writes) = state.memory.traffic();
        Counts { reads, writes, ..state.counts.clone() }
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
        let prepared = self.kernels.get(launch.kernel.0 as usize).ok_or_else(|| bug("an unknown kernel"))?;
        let (program, kernel) = (Arc::clone(&prepared.program), prepared.kernel);
        let operands = Operands { shapes: launch.shapes, args: launch.args, results: launch.results };
        let run = match interpret(&self.memory, &program, kernel, operands, self.interrupt.as_ref()) {
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

    /// Reads the faults of all pending launches.
    fn look(&mut self) -> Result<(), DeviceError> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        self.look_and_read(&[], &mut Vec::new())
    }

    /// The same, and reads numbers in the same transfer.
    fn look_and_read(&mut self, cells: &[Cell], into: &mut Vec<Scalar>) -> Result<(), DeviceError> {
        let mut waiting = std::mem::take(&mut self.waiting);
        let (mut places, mut words) = (std::mem::take(&mut self.places), std::mem::take(&mut self.words));
        let looked = self.looked(&waiting, cells, &mut places, &mut words, into);
        // Their allocations are kept.
        places.clear();
        waiting.clear(&mut self.memory);
        (self.waiting, self.places, self.words) = (waiting, places, words);
        looked
    }

    fn looked(
        &mut self,
        waiting: &Waiting,
        cells: &[Cell],
        places: &mut Vec<(Place, u64)>,
        words: &mut Vec<u32>,
        into: &mut Vec<Scalar>,
    ) -> Result<(), DeviceError> {
        waiting.places(&self.memory, places);
        for &cell in cells {
            let window = self.memory.cell_window(cell)?;
            places.push((window.place, window.words));
        }
        if places.is_empty() {
            return Ok(());
        }
        self.memory.words(places, words)?;
        let (faulted, read) = waiting.faulted(words);
        for found in &faulted {
            // A fault that the interpreter did not confirm may hide a greater one.
            if self.fault.as_ref().is_some_and(|known| known.rank() < found.rank()) {
                break;
            }
            self.explain(found)?;
        }
        let mut rest = words[read..].iter();
        for &cell in cells {
            let elem = self.memory.cell_type(cell)?;
            let window = self.memory.cell_window(cell)?;
            let mut bits = 0;
            for part in 0..window.words {
                bits |= rest.next().map_or(0, |&word| u64::from(word)) << (32 * part);
            }
            into.push(Scalar::from_bits(elem, bits >> (8 * window.skip)));
        }
        Ok(())
    }

    /// Runs a launch that faulted again on the interpreter, and records its fault.
    fn explain(&mut self, found: &Found<'_>) -> Result<(), DeviceError> {
        let &Found { ref launch, native, site, element, .. } = found;
        let prepared = &self.kernels[launch.kernel.0 as usize];
        let kernel = prepared.program.kernel(prepared.kernel);
        let operands = Operands { shapes: launch.shapes, args: launch.args, results: launch.results };
        let memory = found.memory(&self.memory);
        if let Some(native) = native {
            // A length may be too great for kernels to add up, yet correct by itself.
            let (_, fault) = native::on_host(&memory, native)?;
            self.note(fault.ok_or(DeviceError::Points)?);
            return Ok(());
        }
        let run = interpret(&memory, &prepared.program, prepared.kernel, operands, self.interrupt.as_ref())?;
        let confirmed =
            run.fault.as_ref().is_some_and(|fault| (fault.site, fault.element) == (site, element));
        // With a broken proof a lane is disabled on the interpreter, but computes some value here.
        if !confirmed && !kernel.steps.iter().any(|step| prepared.program.has_proof(step)) {
            return Err(bug(format!(
                "`{}` faults at {site:?} and point {element} on the device, and on the interpreter: {:?}",
                kernel.name, run.fault
            )));
        }
        if let Some(Fault { site, element, point, kind, span: _ }) = run.fault {
            self.note(DeviceFault { region: launch.region, site, element, point, kind });
        }
        Ok(())
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
        let prepared = &self.kernels[launch.kernel.0 as usize];
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

    /// Returns the module for a launch, if there is code for it.
    fn module(&mut self, launch: &Launch<'_>) -> Result<Option<Rc<Module>>, DeviceError> {
        let prepared = self.kernels.get(launch.kernel.0 as usize).ok_or_else(|| bug("an unknown kernel"))?;
        let mut module = prepared.module.clone();
        if let Ok(known) = &module
            && !known.private_sizes.is_empty()
        {
            let kernel = prepared.program.kernel(prepared.kernel);
            let size = launch::private_size(&self.memory, kernel, known, launch)?;
            if size > known.capacity {
                // Modules for longer private arrays serve shorter launches too.
                let size = size.checked_next_power_of_two().unwrap_or(u64::MAX);
                let (program, dialect) = (&prepared.program, self.memory.dialect());
                module = generate_for(program, prepared.kernel, dialect, size)
                    .map(Rc::new)
                    .map_err(|error| error.what.into());
                if let Ok(longer) = &module {
                    let prepared = &mut self.kernels[launch.kernel.0 as usize];
                    (prepared.module, prepared.code) = (Ok(Rc::clone(longer)), None);
                }
            }
        }
        Ok(module.map_err(|why| self.counts.interpreted(&why)).ok())
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

    fn code(&mut self, handle: KernelHandle, module: &Module) -> Result<Rc<M::Code>, DeviceError> {
        let prepared = &mut self.kernels[handle.0 as usize];
        if let Some(code) = &prepared.code {
            return Ok(Rc::clone(code));
        }
        let code = match self.codes.get(module.text.as_str()) {
            Some(code) => Rc::clone(code),
            None => {
                let code = Rc::new(self.memory.compile(module)?);
                self.counts.compiled();
                self.codes.insert(module.text.as_str().into(), Rc::clone(&code));
                code
            }
        };
        prepared.code = Some(Rc::clone(&code));
        Ok(code)
    }
}

/// Returns the results that may overwrite an argument: where each point is visited once, and reads only at its own place.
fn in_place(program: &Program, kernel: KernelId, module: &Module) -> Vec<InPlace> {
    if !module.in_place { Vec::new() } else { launch::own_reads(program.kernel(kernel)) }
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
        let mut answers = Vec::with_capacity(requests.len());
        for request in requests {
            let start = Instant::now();
            let module = generate(program, request.kernel, state.memory.dialect());
            let in_place = match &module {
                Ok(module) => in_place(program, request.kernel, module),
                Err(_) => in_place_interpreted(program.kernel(request.kernel)),
            };
            let handle = KernelHandle(state.kernels.len() as u64);
            let made = module.is_ok().then(|| Made { origin: Origin::Later, when: When::since(start) });
            let module = module.map(Rc::new).map_err(|error| error.what.into());
            let program = Arc::clone(program);
            state.kernels.push(Prepared { program, kernel: request.kernel, module, code: None });
            answers.push(Compiled { handle, in_place, made });
        }
        Ok(answers)
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

    fn copied(&self) -> Copied {
        self.state.borrow().memory.copied()
    }

    fn time_kernels(&self, on: bool) {
        self.state.borrow().memory.time_kernels(on);
    }

    fn kernel_time(&self) -> Option<Duration> {
        self.state.borrow().memory.kernel_time()
    }

    fn clear_fault(&self) {
        let state = &mut *self.state.borrow_mut();
        state.waiting.clear(&mut state.memory);
        state.fault = None;
    }
}
