//! The CPU as a [`Device`]: it runs everything in program order, as far as anybody can see.
//!
//! ```
//! use nestled_cpu::device::{CpuConfig, CpuDevice};
//! use nestled_rt::device::Device;
//! let device = CpuDevice::new(CpuConfig { threads: Some(2), ..CpuConfig::default() });
//! assert_eq!(device.describe().name, "the CPU");
//! ```
//!
//! - **Buffers** (`memory.rs`, `caching_allocator.rs`) are blocks that stay with the device when they are freed, because fresh pages cost more than most
//!   kernels. They begin at multiples of 64 bytes, large ones at multiples of 2 MiB, and can be read 256 bytes past their end.
//! - **Launches** that one thread computes each, and that are independent, run side by side (`concurrent.rs`).
//! - **Kernels** run compiled, or on the reference interpreter (`interpreted.rs`): without LLVM, for constructs unsupported by code generation, after a
//!   fault, and while compilation is deferred (`waiting.rs`) or goes on in the background (`background.rs`).
//! - **Native operations** (`native/`) work on slices, with all threads where there is much to do.
//!
//! The guarantees of the executor are not checked again on the way to compiled code, except those that a program can break: after a `same` that does
//! not hold, arrays may be shorter than their shapes.

mod available;
mod background;
mod block;
mod caching_allocator;
mod commons;
mod compile;
mod concurrent;
mod config;
mod element;
mod faults;
mod in_place;
mod interpreted;
mod kept;
mod kernels;
mod lent;
mod memory;
mod native;
mod objects;
mod region;
mod resolve;
mod waiting;

pub use crate::kernel::Thresholds;
pub use available::available_memory;
pub use background::compiles_in_background;
pub use commons::Commons;
pub use config::{COMPILE_VARIABLE, CacheChoice, CpuConfig, LEVEL_VARIABLE, compile_first};

use crate::codegen::Target;
use crate::kernel::Workspace;
use concurrent::Held;
use faults::Faults;
use kernels::{FREE_SCRATCH, Kernels, Launched};
use memory::Memory;
use nestled_ir::interp::Fault;
use nestled_ir::value::Buffer;
use nestled_ir::{Program, Scalar, ScalarType};
use nestled_llvm::{CompileOptions, Processor};
use nestled_pool::Pool;
use nestled_rt::device::{
    Arg, BufferId, Cell, Compiled, Description, Device, DeviceError, DeviceFault, KernelHandle,
    KernelRequest, Launch, Native, SharedBuffer, Slice,
};
use objects::Objects;
use std::cell::RefCell;
use std::sync::Arc;

/// LLVM passes: promotes variables to registers, and removes common subexpressions, which would take code generation longer. The texts need no
/// others.
const PASSES: &str = "sroa,early-cse";

/// Returns the default options for compiling the texts of kernels.
pub fn compile_options(target: &Target) -> CompileOptions {
    let processor = Processor::HostNarrowed { vector_bits: target.vector_bits };
    CompileOptions { passes: PASSES.to_owned(), processor, ..CompileOptions::default() }
}

/// The CPU device.
#[derive(Debug)]
pub struct CpuDevice {
    description: Description,
    commons: Commons,
    state: RefCell<State>,
}

#[derive(Debug)]
struct State {
    memory: Memory,
    kernels: Kernels,
    objects: Objects,
    faults: Faults,
    held: Held,
    /// Number of launches that the interpreter ran although nothing had faulted.
    interpreted: u64,
    /// True if launches are timed one by one, so that none is held.
    is_timing: bool,
}

impl Default for CpuDevice {
    fn default() -> CpuDevice {
        CpuDevice::new(CpuConfig::default())
    }
}

impl CpuDevice {
    /// Creates a device with a configuration.
    pub fn new(config: CpuConfig) -> CpuDevice {
        let CpuConfig {
            threads,
            vector_bits,
            memory,
            commons,
            llvm,
            level,
            compile_first,
            thresholds,
            disk_cache,
            interrupt,
        } = config;
        let commons = commons.unwrap_or_else(|| Commons::new(threads, memory));
        let limit = commons.limit;
        let description = Description {
            name: "the CPU".to_owned(),
            sweeps: usize::MAX,
            stages: usize::MAX,
            // With more of these LLVM takes longer than memory traffic across a cut.
            combinators: 256,
            arguments: 256,
            values: 256,
            private: 1 << 20,
            types: ScalarType::ALL.to_vec(),
            memory: Some(limit),
            regions_ahead: 1,
            waits_are_free: true,
        };
        let target = crate::codegen::host(vector_bits);
        let options = CompileOptions { level, ..compile_options(&target) };
        let state = State {
            memory: Memory::new(Arc::clone(&commons.allocator), limit),
            kernels: Kernels::new(target, llvm, compile_first, Workspace::new(thresholds, interrupt.clone())),
            objects: Objects::new(disk_cache, options),
            faults: Faults::default(),
            held: Held::new(thresholds, interrupt),
            interpreted: 0,
            is_timing: false,
        };
        CpuDevice { description, commons, state: RefCell::new(state) }
    }

    /// Returns the bytes of buffers.
    pub fn bytes_in_use(&self) -> u64 {
        let state = &mut *self.state.borrow_mut();
        // What fails is told by whoever reads.
        let _ = state.run_held(self.pool());
        state.memory.in_use()
    }

    /// Returns the number of launches so far that ran beside others, a thread to each.
    pub fn concurrent_launches(&self) -> u64 {
        self.state.borrow().held.concurrent()
    }

    /// Returns the number of kernels so far that were compiled in the background, while the interpreter ran them.
    pub fn compiled_in_background(&self) -> u64 {
        self.state.borrow().kernels.compiled_in_background()
    }

    /// Returns the number of launches so far that the interpreter ran although nothing had faulted: without LLVM, or before a kernel was compiled.
    pub fn interpreted(&self) -> u64 {
        self.state.borrow().interpreted
    }

    /// Returns an instruction to install LLVM, if a kernel had to be compiled without it.
    pub fn hint(&self) -> Option<String> {
        self.state.borrow().objects.missing_llvm().map(ToString::to_string)
    }

    /// Returns the reason why kernels cannot be compiled here; `None` if they can, or need not be. Looks for LLVM if that was not done yet.
    pub fn why_interpreted(&self) -> Option<String> {
        self.state.borrow_mut().objects.look_for_llvm().map(ToString::to_string)
    }

    /// Returns scratch kept for the next launch, and free memory, to the system.
    pub fn release(&self) {
        let state = &mut *self.state.borrow_mut();
        // What fails is told by whoever reads.
        let _ = state.run_held(self.pool());
        state.kernels.clear_scratch();
        state.held.clear_scratch();
        self.commons.trim();
    }

    /// Returns the thread pool.
    fn pool(&self) -> &Pool {
        self.commons.pool()
    }
}

impl State {
    /// Runs a launch now.
    fn run(&mut self, pool: &Pool, launch: &Launch<'_>) -> Result<(), DeviceError> {
        loop {
            // After a fault offsets and starts may be garbage, which compiled code would follow.
            if !self.faults.any() {
                let State { kernels, objects, memory, faults, .. } = self;
                match kernels.launch(pool, objects, memory, launch)? {
                    Launched::Done => return Ok(()),
                    Launched::Faulted(fault) => {
                        faults.note(fault);
                        return Ok(());
                    }
                    Launched::NotYet => {}
                }
            }
            if self.interpret(launch)? {
                return Ok(());
            }
        }
    }

    /// True if a launch may wait for others, to run beside them. One that writes over an argument may not: it could not be tried again.
    fn may_hold(&self, pool: &Pool, launch: &Launch<'_>) -> bool {
        let in_place = || {
            let arg = |into: &Slice| {
                launch.args.iter().any(|arg| match arg {
                    Arg::Dense(slice) | Arg::View { data: slice, .. } => slice.buffer == into.buffer,
                    Arg::Scalar(_) | Arg::Cell(_) => false,
                })
            };
            launch.results.iter().any(arg)
        };
        pool.threads() > 1
            && !self.is_timing
            && !self.faults.any()
            && self.kernels.is_worth_a_thread(launch)
            && !in_place()
    }

    /// Runs the launches that are held.
    fn run_held(&mut self, pool: &Pool) -> Result<(), DeviceError> {
        if self.held.count() == 0 {
            return Ok(());
        }
        let mut held = std::mem::take(&mut self.held);
        if held.count() > 1 {
            self.kernels.run_held(pool, &mut self.memory, &held);
        }
        let mut outcome = Ok(());
        for one in held.launches() {
            let one = concurrent::lock(one);
            let ended = match self.kernels.ended_held(&one) {
                Ok(Launched::Done) => Ok(()),
                Ok(Launched::Faulted(fault)) => {
                    self.faults.note(fault);
                    Ok(())
                }
                Err(DeviceError::Interrupted) => Err(DeviceError::Interrupted),
                // Alone there is more memory for it.
                Ok(Launched::NotYet) | Err(_) => self.run(pool, &one.launch()),
            };
            outcome = outcome.and(ended);
        }
        held.clear(|buffer| {
            let freed = self.memory.free(buffer);
            debug_assert_eq!(freed, Ok(()));
        });
        self.held = held;
        outcome
    }

    /// Runs the held launches if one of them concerns a buffer.
    fn run_held_with(&mut self, pool: &Pool, buffer: BufferId) -> Result<(), DeviceError> {
        if self.held.touches(buffer) { self.run_held(pool) } else { Ok(()) }
    }

    fn allocate(&mut self, elem: ScalarType, len: u64) -> Result<BufferId, DeviceError> {
        let scratch = self.scratch();
        self.memory.reserve(scratch);
        self.memory.allocate(elem, len).or_else(|refused| {
            if scratch == 0 {
                return Err(refused);
            }
            self.kernels.clear_scratch();
            self.held.clear_scratch();
            self.memory.reserve(0);
            self.memory.allocate(elem, len)
        })
    }

    fn scratch(&self) -> u64 {
        (self.kernels.scratch() + self.held.scratch()).saturating_sub(FREE_SCRATCH)
    }

    /// Runs a launch on the interpreter. False if its kernel should be compiled first.
    fn interpret(&mut self, launch: &Launch<'_>) -> Result<bool, DeviceError> {
        match self.kernels.interpret(&mut self.memory, launch, !self.faults.any()) {
            // After a fault, operands may be values that the program never meant.
            Err(DeviceError::Bug(_)) if self.faults.any() => Ok(true),
            outcome => {
                let Some(fault) = outcome? else { return Ok(false) };
                self.interpreted += u64::from(!self.faults.any());
                if let Some(Fault { site, element, point, kind, span: _ }) = fault {
                    self.faults.note(DeviceFault { region: launch.region, site, element, point, kind });
                }
                Ok(true)
            }
        }
    }
}

impl Device for CpuDevice {
    fn describe(&self) -> &Description {
        &self.description
    }

    fn compile(
        &self,
        program: &Arc<Program>,
        requests: &[KernelRequest],
    ) -> Result<Vec<Compiled>, DeviceError> {
        let State { kernels, objects, .. } = &mut *self.state.borrow_mut();
        kernels.prepare(self.pool(), objects, program, requests)
    }

    fn allocate(&self, elem: ScalarType, len: u64) -> Result<BufferId, DeviceError> {
        let state = &mut *self.state.borrow_mut();
        state.allocate(elem, len).or_else(|refused| {
            if state.held.count() == 0 {
                return Err(refused);
            }
            // They keep buffers that were given back.
            state.run_held(self.pool())?;
            state.allocate(elem, len)
        })
    }

    fn scratch(&self) -> u64 {
        self.state.borrow().scratch()
    }

    fn free(&self, buffer: BufferId) {
        let state = &mut *self.state.borrow_mut();
        if state.held.touches(buffer) {
            return state.held.keep(buffer);
        }
        let freed = state.memory.free(buffer);
        debug_assert_eq!(freed, Ok(()));
    }

    fn trim(&self, buffer: BufferId, len: u64) {
        let state = &mut *self.state.borrow_mut();
        // What fails is told by whoever reads.
        let _ = state.run_held_with(self.pool(), buffer);
        let trimmed = state.memory.trim(buffer, len);
        debug_assert_eq!(trimmed, Ok(()));
    }

    fn copy_in(&self, buffer: BufferId, offset: u64, data: &Buffer) -> Result<(), DeviceError> {
        let state = &mut *self.state.borrow_mut();
        state.run_held_with(self.pool(), buffer)?;
        state.memory.write(Slice { buffer, offset, len: data.len() as u64 }, data)
    }

    fn lend(&self, data: &Arc<Buffer>) -> Option<BufferId> {
        self.state.borrow_mut().memory.lend(data)
    }

    fn take_out(&self, slice: Slice) -> Result<Buffer, DeviceError> {
        let state = &mut *self.state.borrow_mut();
        state.run_held_with(self.pool(), slice.buffer)?;
        state.memory.take_out(slice)
    }

    fn copy_out(&self, slice: Slice) -> Result<Buffer, DeviceError> {
        let state = &mut *self.state.borrow_mut();
        state.run_held_with(self.pool(), slice.buffer)?;
        state.memory.read(slice)
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<(), DeviceError> {
        let state = &mut *self.state.borrow_mut();
        if state.faults.skips(launch.region, launch.least_site) {
            return Ok(());
        }
        if !state.may_hold(self.pool(), launch) {
            state.run_held(self.pool())?;
            return match state.faults.skips(launch.region, launch.least_site) {
                true => Ok(()),
                false => state.run(self.pool(), launch),
            };
        }
        if !state.held.is_independent(launch) {
            state.run_held(self.pool())?;
        }
        state.held.hold(launch);
        if state.held.count() < self.pool().threads() { Ok(()) } else { state.run_held(self.pool()) }
    }

    fn end_run(&self) -> Result<(), DeviceError> {
        self.state.borrow_mut().run_held(self.pool())
    }

    fn time_kernels(&self, on: bool) {
        self.state.borrow_mut().is_timing = on;
    }

    fn native(&self, native: Native) -> Result<(), DeviceError> {
        let state = &mut *self.state.borrow_mut();
        state.run_held(self.pool())?;
        if state.faults.skips(native.region, native.least_site) {
            return Ok(());
        }
        match native::run(self.pool(), &mut state.memory, &native, state.faults.any()) {
            // After a fault, operands may be values that the program never meant.
            Err(DeviceError::Bug(_)) if state.faults.any() => Ok(()),
            outcome => {
                outcome?.into_iter().for_each(|fault| state.faults.note(fault));
                Ok(())
            }
        }
    }

    fn read(&self, cells: &[Cell], into: &mut Vec<Scalar>) -> Result<Option<DeviceFault>, DeviceError> {
        let state = &mut *self.state.borrow_mut();
        state.run_held(self.pool())?;
        for &cell in cells {
            into.push(state.memory.number(cell)?);
        }
        Ok(state.faults.least().cloned())
    }

    fn share(&self, buffer: BufferId) -> Option<Arc<dyn SharedBuffer>> {
        let state = &mut *self.state.borrow_mut();
        state.run_held_with(self.pool(), buffer).ok()?;
        state.memory.share(buffer)
    }

    fn adopt(&self, shared: &Arc<dyn SharedBuffer>) -> Option<BufferId> {
        self.state.borrow_mut().memory.adopt(shared)
    }

    fn kept_offsets(&self, lengths: Slice) -> Option<BufferId> {
        self.state.borrow_mut().memory.kept_offsets(lengths)
    }

    fn wants_offsets(&self, lengths: Slice) -> bool {
        self.state.borrow().memory.wants_offsets(lengths)
    }

    fn keep_offsets(&self, lengths: Slice, offsets: BufferId) {
        let state = &mut *self.state.borrow_mut();
        if state.run_held_with(self.pool(), offsets).is_ok() {
            state.memory.keep_offsets(lengths, offsets);
        }
    }

    fn forget(&self, kernel: KernelHandle) {
        let state = &mut *self.state.borrow_mut();
        if state.held.runs(kernel) {
            // What fails is told by whoever reads.
            let _ = state.run_held(self.pool());
        }
        state.kernels.forget(kernel);
    }

    fn clear_fault(&self) {
        self.state.borrow_mut().faults.clear();
    }
}
