//! The reference device: runs kernels by the reference interpreter, which defines λcu.
//!
//! It is slow and correct. For tests it also emulates a GPU: in *deferred* mode it queues everything and runs nothing until the host waits;
//! elements that were never written cannot be read; skipped launches leave rubbish; and its limits can be lowered. An executor that forgets
//! to wait, or relies on unspecified behaviour, fails on it.

mod kernel;
mod memory;
mod native;
mod queue;

use crate::device::{
    BufferId, Cell, Compiled, Description, Device, DeviceError, DeviceFault, KernelHandle, KernelRequest,
    Launch, Native, SharedBuffer, Slice, Ticket, Turn, in_place_interpreted,
};
use memory::Memory;
use nestled_ir::interp::Interrupt;
use nestled_ir::value::Buffer;
use nestled_ir::{KernelId, Program, Scalar, ScalarType};
use queue::{Job, OwnedLaunch};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll};

/// The configuration of a reference device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReferenceConfig {
    /// True to queue everything until the host waits.
    pub deferred: bool,
    /// Greatest number of sweeps of a kernel.
    pub sweeps: usize,
    /// Greatest number of stages of a kernel.
    pub stages: usize,
    /// The scalar types that kernels may use.
    pub types: Vec<ScalarType>,
    /// Bytes of memory.
    pub memory: u64,
    /// Number of regions that may be in flight.
    pub regions_ahead: u64,
    /// The interruption flag that kernels poll, if any.
    pub interrupt: Option<Interrupt>,
    /// Number of times that each read which does not block is not ready.
    pub delays: u32,
}

/// Everything at once, no limits but 16 GiB of memory.
impl Default for ReferenceConfig {
    fn default() -> ReferenceConfig {
        ReferenceConfig {
            deferred: false,
            sweeps: usize::MAX,
            stages: usize::MAX,
            types: ScalarType::ALL.to_vec(),
            memory: 16 << 30,
            regions_ahead: 1,
            interrupt: None,
            delays: 0,
        }
    }
}

/// The reference device.
#[derive(Debug)]
pub struct Reference {
    description: Description,
    deferred: bool,
    delays: u32,
    turn: Turn,
    state: RefCell<State>,
}

#[derive(Debug)]
struct State {
    memory: Memory,
    /// Handles index this list; `None` for a forgotten kernel.
    kernels: Vec<Option<(Arc<Program>, KernelId)>>,
    queue: VecDeque<Job>,
    /// Number of jobs, the first of the queue, that belong to runs which were given up.
    abandoned: usize,
    fault: Option<DeviceFault>,
    interrupt: Option<Interrupt>,
}

impl Default for Reference {
    fn default() -> Reference {
        Reference::new(ReferenceConfig::default())
    }
}

impl Reference {
    /// A device that behaves so.
    pub fn new(config: ReferenceConfig) -> Reference {
        let ReferenceConfig { deferred, sweeps, stages, types, memory, regions_ahead, interrupt, delays } =
            config;
        let name = if deferred { "reference, deferred" } else { "reference" }.to_owned();
        let description = Description {
            name,
            sweeps,
            stages,
            combinators: usize::MAX,
            arguments: usize::MAX,
            values: usize::MAX,
            private: u64::MAX,
            types,
            memory: Some(memory),
            regions_ahead,
            waits_are_free: !deferred,
        };
        let memory = Memory::new(memory);
        let (kernels, queue) = (Vec::new(), VecDeque::new());
        let state = State { memory, kernels, queue, abandoned: 0, fault: None, interrupt };
        Reference { description, deferred, delays, turn: Turn::default(), state: RefCell::new(state) }
    }

    /// A device that queues everything, and lets many regions be in flight.
    pub fn deferred() -> Reference {
        Reference::new(ReferenceConfig { deferred: true, regions_ahead: 64, ..ReferenceConfig::default() })
    }

    /// Bytes in use: allocated and not yet freed.
    pub fn bytes_in_use(&self) -> u64 {
        self.state.borrow().memory.used()
    }

    fn submit(&self, job: Job) -> Result<(), DeviceError> {
        let mut state = self.state.borrow_mut();
        state.queue.push_back(job);
        // A program that never waits must not fill the host's memory with its queue.
        if self.deferred && state.queue.len() < MAX_QUEUE { Ok(()) } else { state.drain() }
    }
}

impl Reference {
    /// True if a read that does not block is not ready yet.
    fn is_early(&self, ticket: &mut Ticket, context: &Context<'_>) -> bool {
        if ticket.is_empty() {
            ticket.note(self.delays);
        }
        match ticket.noted::<u32>() {
            Some(left @ 1..) => {
                *left -= 1;
                context.waker().wake_by_ref();
                true
            }
            _ => {
                ticket.end();
                false
            }
        }
    }
}

/// Number of jobs that a deferred device queues before it runs them.
const MAX_QUEUE: usize = 1 << 16;

impl Device for Reference {
    fn describe(&self) -> &Description {
        &self.description
    }

    fn compile(
        &self,
        program: &Arc<Program>,
        requests: &[KernelRequest],
    ) -> Result<Vec<Compiled>, DeviceError> {
        let mut state = self.state.borrow_mut();
        let compile = |request: &KernelRequest| {
            let handle = KernelHandle(state.kernels.len() as u64);
            state.kernels.push(Some((Arc::clone(program), request.kernel)));
            let in_place = in_place_interpreted(program.kernel(request.kernel));
            Compiled { handle, in_place, made: None }
        };
        Ok(requests.iter().map(compile).collect())
    }

    fn allocate(&self, elem: ScalarType, len: u64) -> Result<BufferId, DeviceError> {
        self.state.borrow_mut().memory.allocate(elem, len)
    }

    fn free(&self, buffer: BufferId) {
        // An error would belong to something else in the queue; it is kept there.
        let _ = self.submit(Job::Free(buffer));
    }

    fn trim(&self, buffer: BufferId, len: u64) {
        let _ = self.submit(Job::Trim(buffer, len));
    }

    fn copy_in(&self, buffer: BufferId, offset: u64, data: &Buffer) -> Result<(), DeviceError> {
        self.submit(Job::CopyIn { buffer, offset, data: data.clone() })
    }

    fn lend(&self, data: &Arc<Buffer>) -> Option<BufferId> {
        self.state.borrow_mut().memory.lend(data)
    }

    fn take_out(&self, slice: Slice) -> Result<Buffer, DeviceError> {
        let mut state = self.state.borrow_mut();
        state.drain()?;
        let data = state.memory.take(slice)?;
        Ok(Arc::unwrap_or_clone(data))
    }

    fn copy_out(&self, slice: Slice) -> Result<Buffer, DeviceError> {
        let mut state = self.state.borrow_mut();
        state.drain()?;
        let data = state.memory.read(slice)?;
        Ok(Arc::unwrap_or_clone(data))
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<(), DeviceError> {
        self.submit(Job::Launch(OwnedLaunch::new(launch)))
    }

    fn native(&self, native: Native) -> Result<(), DeviceError> {
        self.submit(Job::Native(native))
    }

    fn read(&self, cells: &[Cell], into: &mut Vec<Scalar>) -> Result<Option<DeviceFault>, DeviceError> {
        let mut state = self.state.borrow_mut();
        state.drain()?;
        for &cell in cells {
            into.push(state.memory.number(cell)?);
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
        if self.is_early(ticket, context) { Poll::Pending } else { Poll::Ready(self.read(cells, into)) }
    }

    fn poll_copy_out(
        &self,
        ticket: &mut Ticket,
        slice: Slice,
        context: &mut Context<'_>,
    ) -> Poll<Result<Buffer, DeviceError>> {
        if self.is_early(ticket, context) { Poll::Pending } else { Poll::Ready(self.copy_out(slice)) }
    }

    fn poll_take_out(
        &self,
        ticket: &mut Ticket,
        slice: Slice,
        context: &mut Context<'_>,
    ) -> Poll<Result<Buffer, DeviceError>> {
        if self.is_early(ticket, context) { Poll::Pending } else { Poll::Ready(self.take_out(slice)) }
    }

    fn turn(&self) -> Option<&Turn> {
        Some(&self.turn)
    }

    fn share(&self, buffer: BufferId) -> Option<Arc<dyn SharedBuffer>> {
        let mut state = self.state.borrow_mut();
        state.drain().ok()?;
        state.memory.share(buffer)
    }

    fn adopt(&self, shared: &Arc<dyn SharedBuffer>) -> Option<BufferId> {
        self.state.borrow_mut().memory.adopt(&**shared)
    }

    fn forget(&self, kernel: KernelHandle) {
        let mut state = self.state.borrow_mut();
        // What is queued may be launches of it.
        if state.queue.is_empty()
            && let Some(place) = state.kernels.get_mut(kernel.0 as usize)
        {
            *place = None;
        }
    }

    fn clear_fault(&self) {
        let mut state = self.state.borrow_mut();
        // What was given up skips on its own fault; it goes with the last of it.
        if state.abandoned == 0 {
            state.fault = None;
        }
    }

    fn abandon(&self) {
        let mut state = self.state.borrow_mut();
        state.abandoned = state.queue.len();
    }
}
