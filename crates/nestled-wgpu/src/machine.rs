//! One adapter as a machine: a heap of words in one buffer, and one queue.
//!
//! Devices of several threads share it, so it never waits where another could go on: `reading.rs` waits, and `pipelines.rs` compiles, without it.
//! Commands gather in an encoder, which is submitted when somebody waits, when the host writes to memory, and when the ring of parameters is full. Launches with nothing to copy
//! between them share a pass, and what they are told is written at once when they are submitted. The heap grows by doubling, up to what one binding may hold, and 4 GiB.

use crate::adapter::{Adapter, AdapterKind};
use crate::dialect::{self, COPY, HEAD};
use crate::exit;
use crate::float_modes::Mode;
use crate::parts::{WINDOW, bind, buffer, describe, grid, heap_usage, staging, storage};
use crate::pipelines::{Compiler, Pipelines};
use crate::reading::Reading;
use crate::times::Times;
use crate::trouble::Trouble;
use crate::wait::wait;
use nestled_gpu::Dialect;
use nestled_gpu::code::Module;
use nestled_gpu::device::{Arena, Block, Dispatch, Machine, Place};
use nestled_rt::device::{Description, DeviceError};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use wgpu::{
    BindGroup, BindGroupLayout, BindGroupLayoutDescriptor, Buffer, CommandEncoder, ComputePass,
    ComputePassDescriptor, DeviceDescriptor, ErrorFilter, Features, PipelineLayoutDescriptor,
    SubmissionIndex,
};

/// Bytes of parameters that may wait to be submitted.
const RING: u64 = 1 << 20;
/// The heap begins with so many bytes.
const FIRST_HEAP: u64 = 1 << 20;
/// What the host reads from has at least so many bytes, and so many of them are kept.
const LEAST_STAGING: u64 = 4096;
const MOST_STAGING: usize = 4;
/// Bytes of a buffer whose bits are all set.
const ONES: u64 = 64 << 10;

/// An adapter, opened.
#[derive(Debug)]
pub struct WgpuMachine {
    description: Description,
    dialect: Dialect,
    device: wgpu::Device,
    queue: wgpu::Queue,
    trouble: Arc<Trouble>,
    bindings: BindGroupLayout,
    compiler: Compiler,
    heap: Buffer,
    arena: Arena,
    /// The most bytes that the adapter can bind.
    binds: u64,
    /// The most bytes that the heap may have.
    limit: u64,
    params: Buffer,
    /// Parameters of launches that were not submitted yet: the ring up to where the next ones go.
    told: Vec<u8>,
    /// How much of the ring has been submitted.
    sent: u64,
    ones: Buffer,
    group: BindGroup,
    /// Where the host reads.
    spare: Vec<Buffer>,
    /// The last that was submitted.
    last: Option<SubmissionIndex>,
    /// What copies from place to place, once somebody did: wgpu copies nothing from a buffer into itself, and no bytes of words.
    copier: Option<Pipelines>,
    /// A pass of the encoder that more launches may join.
    pass: Option<ComputePass<'static>>,
    encoder: Option<CommandEncoder>,
    /// Nothing until somebody asks for them.
    times: Option<Times>,
    max_groups: u64,
    /// The process waits for the device at exit as long as this is alive.
    alive: Option<Arc<wgpu::Device>>,
}

impl WgpuMachine {
    /// Opens an adapter, of whose memory at most so many bytes are used, with the operations that suit every adapter; shaders ask for modes of floats.
    pub(crate) fn unprobed(
        adapter: &Adapter,
        memory: Option<u64>,
        modes: Vec<Mode>,
    ) -> Result<WgpuMachine, DeviceError> {
        let limits = adapter.inner.limits();
        let mut features = Features::SHADER_INT64 | Features::SHADER_F64 | Features::TIMESTAMP_QUERY;
        features.set(Features::PASSTHROUGH_SHADERS, !modes.is_empty());
        let wanted = adapter.inner.features() & features;
        let request = DeviceDescriptor {
            label: None,
            required_features: wanted,
            required_limits: limits.clone(),
            ..DeviceDescriptor::default()
        };
        let (device, queue) = wait(adapter.inner.request_device(&request))
            .map_err(|error| DeviceError::Lost(format!("{} does not open: {error}", adapter.name)))?;
        let trouble: Arc<Trouble> = Arc::default();
        let (errors, losses) = (Arc::clone(&trouble), Arc::clone(&trouble));
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            errors.note(|what| what.error = what.error.take().or_else(|| Some(error.to_string())));
        }));
        device.set_device_lost_callback(move |_, why| {
            losses.note(|what| what.lost = what.lost.take().or(Some(why)));
        });
        let bindings = device.create_bind_group_layout(&BindGroupLayoutDescriptor {
            label: None,
            entries: &[storage(0, false, false), storage(1, false, false), storage(2, true, true)],
        });
        let pipelines = device.create_pipeline_layout(&PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&bindings)],
            immediate_size: 0,
        });
        // Places are counted in bytes, with 32 bits, where elements are bytes.
        let binds = adapter.memory.min(4 << 30) / 256 * 256;
        let limit = binds.min(memory.unwrap_or(u64::MAX)) / 256 * 256;
        let first = FIRST_HEAP.min(limit.max(256));
        let heap = buffer(&device, first, heap_usage());
        let params = buffer(&device, RING + WINDOW, heap_usage());
        let ones = buffer(&device, ONES, heap_usage());
        queue.write_buffer(&ones, 0, &[0xff; ONES as usize]);
        let group = bind(&device, &bindings, &heap, &params);
        let mut arena = Arena::new();
        arena.grow(first);
        let software = adapter.kind == AdapterKind::Software;
        let workgroup = if software { 64 } else { 256.min(limits.max_compute_invocations_per_workgroup) };
        let machine = WgpuMachine {
            description: describe(adapter, limit),
            dialect: Dialect {
                int64: adapter.int64,
                float64: adapter.float64,
                workgroup,
                ..dialect::dialect()
            },
            compiler: Compiler::new(&device, pipelines, modes),
            spare: Vec::new(),
            last: None,
            device,
            queue,
            trouble,
            bindings,
            heap,
            arena,
            binds,
            limit,
            params,
            told: Vec::new(),
            sent: 0,
            ones,
            group,
            copier: None,
            encoder: None,
            pass: None,
            times: None,
            max_groups: u64::from(limits.max_compute_workgroups_per_dimension),
            alive: None,
        };
        Ok(machine)
    }

    /// Has the process wait at exit for what was submitted.
    pub(crate) fn wait_at_exit(&mut self) {
        self.alive = Some(exit::wait_for(&self.device));
    }

    /// Uses these operations from now on.
    pub(crate) fn use_library(&mut self, library: String) {
        self.dialect.library = library;
    }

    /// What went wrong outside of any call.
    fn trouble(&self) -> Result<(), DeviceError> {
        self.trouble.check()
    }

    /// The encoder, in which no pass is open.
    fn encoder(&mut self) -> &mut CommandEncoder {
        self.pass = None;
        let device = &self.device;
        self.encoder.get_or_insert_with(|| device.create_command_encoder(&Default::default()))
    }

    fn submit(&mut self) {
        self.pass = None;
        if !self.told.is_empty() {
            self.queue.write_buffer(&self.params, self.sent, &self.told);
            self.sent += self.told.len() as u64;
            self.told.clear();
        }
        if let Some(encoder) = self.encoder.take() {
            self.last = Some(self.queue.submit([encoder.finish()]));
        }
    }

    /// Where the host reads, with room for so many bytes.
    fn staging(&mut self, bytes: u64) -> Buffer {
        match self.spare.iter().position(|spare| spare.size() >= bytes) {
            Some(at) => self.spare.swap_remove(at),
            None => {
                let size = bytes.next_power_of_two().min(self.limit).max(bytes).max(LEAST_STAGING);
                staging(&self.device, size)
            }
        }
    }

    /// The end of all that was queued so far, from which on bytes of a buffer may be read.
    fn reading(&mut self, staging: Option<(Buffer, u64)>, into: Vec<u32>) -> Reading {
        self.submit();
        let last = self.last.clone();
        let (device, queue) = (self.device.clone(), self.queue.clone());
        Reading::new(device, queue, Arc::clone(&self.trouble), last, staging, into)
    }

    /// Waits while nobody else can use the machine.
    fn settle(&mut self, mut reading: Reading) -> Result<Vec<u32>, DeviceError> {
        reading.wait()?;
        Ok(self.keep(reading))
    }

    /// Keeps the buffer of a reading for another one.
    fn keep(&mut self, reading: Reading) -> Vec<u32> {
        let (staging, words) = reading.end();
        if let Some(staging) = staging {
            self.spare.push(staging);
            if self.spare.len() > MOST_STAGING {
                self.spare.remove(0);
            }
        }
        words
    }

    /// Reads words, and waits for them.
    pub(crate) fn read_now(&mut self, places: &[(Place, u64)]) -> Result<Vec<u32>, DeviceError> {
        let reading = self.read(places, Vec::new())?;
        self.settle(reading)
    }

    /// Looks at the times of passes that are done.
    fn look(&mut self) -> Result<(), DeviceError> {
        let Some(mut times) = self.times.take() else { return Ok(()) };
        let bytes = times.bytes();
        let mut words = Vec::new();
        if bytes > 0 {
            let staging = self.staging(bytes);
            times.bring(self.encoder(), &staging);
            let reading = self.reading(Some((staging, bytes)), Vec::new());
            words = self.settle(reading)?;
        }
        times.add(&words);
        self.times = Some(times);
        Ok(())
    }

    /// Makes the heap larger, so that so many bytes more may fit.
    fn grow(&mut self, bytes: u64) -> bool {
        let old = self.arena.end();
        let wanted = (old * 2).max(old.saturating_add(bytes.next_multiple_of(256)));
        let size = wanted.min(self.limit);
        if size <= old {
            return false;
        }
        let scope = self.device.push_error_scope(ErrorFilter::OutOfMemory);
        let heap = buffer(&self.device, size, heap_usage());
        if wait(scope.pop()).is_some() {
            return false;
        }
        let before = std::mem::replace(&mut self.heap, heap);
        let heap = self.heap.clone();
        self.encoder().copy_buffer_to_buffer(&before, 0, &heap, 0, Some(old));
        self.group = bind(&self.device, &self.bindings, &self.heap, &self.params);
        self.arena.grow(size);
        true
    }

    /// Compiles a text.
    pub(crate) fn pipelines(&self, text: &str, entries: &[&str]) -> Result<Pipelines, DeviceError> {
        self.compiler.pipelines(text, entries)
    }

    /// Sets all bits of words.
    fn fill_ones(&mut self, address: u64, words: u64) {
        let (mut at, end) = (address, address + words * 4);
        self.encoder();
        let Some(encoder) = &mut self.encoder else { return };
        while at < end {
            let size = ONES.min(end - at);
            encoder.copy_buffer_to_buffer(&self.ones, 0, &self.heap, at, Some(size));
            at += size;
        }
    }
}

impl Machine for WgpuMachine {
    type Code = Pipelines;
    type Compiler = Compiler;
    type Wait = Reading;

    fn describe(&self) -> Description {
        self.description.clone()
    }

    fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    fn compiler(&self) -> Compiler {
        self.compiler.clone()
    }

    fn compile(compiler: &Compiler, module: &Module) -> Result<Pipelines, DeviceError> {
        let entries: Vec<&str> = module.entries.iter().map(|entry| entry.name.as_str()).collect();
        compiler.pipelines(&module.text, &entries)
    }

    fn allocate(&mut self, bytes: u64) -> Result<Place, DeviceError> {
        if bytes > self.binds {
            return Err(DeviceError::Unsupported {
                what: format!(
                    "{bytes} bytes are more than {} can bind: {} bytes",
                    self.description.name, self.binds
                ),
                help: "run it on the CPU, or on smaller pieces".to_owned(),
            });
        }
        loop {
            if let Some(address) = self.arena.take(bytes) {
                return Ok(Place { address, piece: 0 });
            }
            if bytes > self.limit || !self.grow(bytes) {
                let free = self.arena.end() - self.arena.used();
                return Err(DeviceError::OutOfMemory { wanted: bytes, free: Some(free) });
            }
        }
    }

    fn free(&mut self, place: Place, bytes: u64) {
        self.arena.give(place.address, bytes);
    }

    fn write(&mut self, place: Place, words: Vec<u32>) -> Result<Option<Reading>, DeviceError> {
        // What is queued comes first.
        self.submit();
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.queue.write_buffer(&self.heap, place.address, &bytes);
        self.trouble()?;
        Ok(None)
    }

    fn copy(&mut self, from: Place, to: Place, bytes: u64) -> Result<(), DeviceError> {
        let code = match self.copier.take() {
            Some(code) => code,
            None => self.pipelines(&format!("{HEAD}{COPY}"), &["copy"])?,
        };
        let groups = ((to.address + bytes).div_ceil(4) - to.address / 4).div_ceil(64);
        let words = [from.address, to.address, bytes].map(|word| word as u32).to_vec();
        let dispatches = vec![Dispatch { entry: 0, groups }];
        let queued = self.run(&code, &Block { words, dispatches, ..Block::default() });
        self.copier = Some(code);
        queued
    }

    fn read(&mut self, places: &[(Place, u64)], into: Vec<u32>) -> Result<Reading, DeviceError> {
        let total: u64 = places.iter().map(|(_, words)| words * 4).sum();
        if total == 0 {
            return Ok(self.reading(None, into));
        }
        let (heap, staging) = (self.heap.clone(), self.staging(total));
        let mut at = 0;
        for &(place, words) in places {
            self.encoder().copy_buffer_to_buffer(&heap, place.address, &staging, at, Some(words * 4));
            at += words * 4;
        }
        Ok(self.reading(Some((staging, total)), into))
    }

    fn finish(&mut self) -> Result<Option<Reading>, DeviceError> {
        Ok(Some(self.reading(None, Vec::new())))
    }

    fn wait(reading: &mut Reading) -> Result<(), DeviceError> {
        reading.wait()
    }

    fn poll(reading: &mut Reading, context: &mut Context<'_>) -> Poll<Result<(), DeviceError>> {
        reading.poll(context)
    }

    fn waited(&mut self, reading: Reading) -> Result<Vec<u32>, DeviceError> {
        let words = self.keep(reading);
        self.look()?;
        Ok(words)
    }

    fn run(&mut self, code: &Pipelines, block: &Block) -> Result<(), DeviceError> {
        let size = block.words.len() as u64 * 4;
        if size > WINDOW {
            return Err(DeviceError::Unsupported {
                what: "a kernel with so many arguments".to_owned(),
                help: "split it".to_owned(),
            });
        }
        if self.sent + self.told.len() as u64 + size > RING {
            self.submit();
            self.sent = 0;
        }
        if self.times.as_ref().is_some_and(Times::is_full) {
            let reading = self.reading(None, Vec::new());
            self.settle(reading)?;
            self.look()?;
        }
        let offset = self.sent + self.told.len() as u64;
        self.told.extend(block.words.iter().flat_map(|word| word.to_le_bytes()));
        // The next launch's begin where a binding may.
        self.told.resize(self.told.len().next_multiple_of(256), 0);
        for ones in &block.ones {
            self.fill_ones(ones.place.address, ones.words);
        }
        for copy in &block.copies {
            self.encoder();
            let (to, size) = (offset + u64::from(copy.word) * 4, u64::from(copy.words) * 4);
            if let Some(encoder) = &mut self.encoder {
                encoder.copy_buffer_to_buffer(&self.heap, copy.place.address, &self.params, to, Some(size));
            }
        }
        if self.pass.is_none() {
            let mut times = self.times.take();
            let timestamp_writes = times.as_mut().and_then(Times::next);
            let pass = ComputePassDescriptor { label: None, timestamp_writes };
            self.pass = Some(self.encoder().begin_compute_pass(&pass).forget_lifetime());
            self.times = times;
        }
        if let Some(pass) = &mut self.pass {
            pass.set_bind_group(0, &self.group, &[offset as u32]);
            for dispatch in &block.dispatches {
                let (x, y) = grid(dispatch.groups, self.max_groups);
                pass.set_pipeline(&code.0[dispatch.entry]);
                pass.dispatch_workgroups(x, y, 1);
            }
        }
        self.trouble()
    }

    fn time_kernels(&mut self, on: bool) {
        // What is queued keeps to what was said before.
        self.pass = None;
        if self.times.is_none() && on && self.device.features().contains(Features::TIMESTAMP_QUERY) {
            self.times = Some(Times::new(&self.device, &self.queue));
        }
        if let Some(times) = &mut self.times {
            times.is_on = on;
        }
    }

    fn kernel_time(&self) -> Option<Duration> {
        self.times.as_ref().map(|times| times.sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapter::choose;

    #[test]
    fn a_lost_adapter_is_an_error_and_the_next_one_works() {
        let Ok(adapter) = choose(None) else {
            eprintln!("SKIPPED: there is no WebGPU adapter");
            return;
        };
        let mut machine = WgpuMachine::new(&adapter, Some(1 << 20)).expect("it opens");
        let place = machine.allocate(16).expect("there is room");
        machine.write(place, vec![1, 2, 3, 4]).expect("it is there");
        assert_eq!(machine.read_now(&[(place.plus(4), 2)]).expect("it is there"), [2, 3]);
        machine.device.destroy();
        let lost = machine.read_now(&[(place, 4)]);
        assert!(matches!(lost, Err(DeviceError::Lost(_))), "{lost:?}");
        let again = WgpuMachine::new(&choose(None).expect("it is still there"), None);
        assert!(again.is_ok(), "{again:?}");
    }
}
