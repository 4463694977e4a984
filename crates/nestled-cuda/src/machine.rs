//! One card as a machine: memory from the driver's pool, modules from NVRTC, several streams.
//!
//! A launch's parameters are an argument by value. Those that count get zeros, each its own, from a ring of their device: when it is used up, the host waits for all streams and fills it again. Launches that
//! need nothing of each other go to different streams. Devices of several threads share it: `reading.rs` waits, and `compiler.rs` compiles, without it.

use crate::CudaConfig;
use crate::collect::{self, Collector};
use crate::compiler::{Compiler, Kernels};
use crate::cublas::{Cublas, Matrices, Products};
use crate::dialect::dialect;
use crate::driver::{Card, Context, Driver};
use crate::handles::Mark;
use crate::memory_pool::{self, Pool};
use crate::nvrtc::Architecture;
use crate::reading::Reading;
use crate::stream_order::{Needs, Order, STREAMS, Turn};
use crate::times::Times;
use nestled_gpu::Dialect;
use nestled_gpu::code::Module;
use nestled_gpu::device::{Block, Machine, Place, Product};
use nestled_ir::ScalarType;
use nestled_rt::device::{Description, DeviceError, Math};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::task::{self, Poll};
use std::time::Duration;

/// Words of the ring of zeros.
const ZEROS: u64 = 1 << 18;

/// So many modules that nobody launches any more wait until nothing is queued.
const MOST_DOOMED: usize = 64;

/// Zeros that launches of one device are given, one after another.
#[derive(Debug)]
struct Ring {
    zeros: u64,
    /// How many of them have been given.
    given: u64,
}

/// A card, opened.
#[derive(Debug)]
pub struct CudaMachine {
    context: Arc<Context>,
    description: Description,
    dialect: Dialect,
    compiler: Arc<Compiler>,
    library: Option<PathBuf>,
    /// What multiplies matrices, once the first are there; nothing if it is not found, or not wanted.
    products: OnceCell<Option<Products>>,
    /// What reads from many places, once somebody did.
    collector: Option<Collector>,
    limit: u64,
    /// Whether memory goes back at once.
    exact: bool,
    pool: Pool,
    order: Order,
    times: Times,
    /// Zeros of each device, by its number.
    rings: BTreeMap<u32, Ring>,
    /// Whose turn it is.
    client: u32,
    /// Marks to wait for.
    spare: Vec<Mark>,
}

impl CudaMachine {
    /// Opens a card.
    pub(crate) fn new(
        driver: Driver,
        at: usize,
        card: &Card,
        config: &CudaConfig,
    ) -> Result<CudaMachine, DeviceError> {
        let context = Arc::new(Context::open(driver, at)?);
        let limit = context.free_bytes()?.min(config.memory.unwrap_or(u64::MAX));
        let architecture = Architecture(card.capability.0 * 10 + card.capability.1);
        let dialect = Dialect { math: config.math, ..dialect() };
        let description = Description {
            name: card.name.clone(),
            sweeps: usize::MAX,
            stages: usize::MAX,
            combinators: 64,
            arguments: 64,
            values: 64,
            private: dialect.private,
            types: ScalarType::ALL.to_vec(),
            memory: Some(limit),
            regions_ahead: 64,
            waits_are_free: false,
        };
        Ok(CudaMachine {
            times: Times::new(Arc::clone(&context)),
            compiler: Arc::new(Compiler::new(Arc::clone(&context), architecture, config.library.clone())),
            context,
            description,
            dialect,
            library: config.library.clone(),
            exact: config.exact_memory,
            products: OnceCell::new(),
            collector: None,
            limit,
            pool: Pool::default(),
            order: Order::default(),
            rings: BTreeMap::new(),
            client: 0,
            spare: Vec::new(),
        })
    }

    /// Finds a stream for work, and lets it wait there for what it needs.
    fn begin(&mut self, uses: impl Iterator<Item = (Place, bool)> + Clone) -> Result<Turn, DeviceError> {
        let mut needs = Needs::default();
        for (place, writes) in uses.clone() {
            if let Some(marks) = self.pool.marks(place.piece) {
                needs.add(marks, writes);
            }
        }
        let turn = self.order.turn(&needs);
        for other in (0..STREAMS).filter(|&other| turn.waits[other]) {
            self.context.after(turn.stream, other)?;
        }
        for (place, writes) in uses {
            if let Some(marks) = self.pool.marks(place.piece) {
                marks.used(&turn, writes);
            }
        }
        Ok(turn)
    }

    /// The size of a piece of memory for so many bytes.
    fn size(&self, bytes: u64) -> u64 {
        // Lanes that are off after a fault read the first element of an array, of an empty one too.
        if self.exact { bytes.max(16) } else { memory_pool::size(bytes) }
    }

    /// What is over when a stream has done all that it was given so far, with words that are read or written until then.
    fn until(&mut self, stream: usize, reading: &mut Reading) -> Result<(), DeviceError> {
        let mark = match self.spare.pop() {
            Some(mark) => mark,
            None => self.context.plain_mark()?,
        };
        self.context.set_mark(&mark, stream)?;
        reading.add(stream, mark, self.order.so_far(stream));
        Ok(())
    }

    /// What is over when all streams have done what they were given so far.
    fn everything(&mut self) -> Result<Option<Reading>, DeviceError> {
        let mut reading = None;
        for stream in 0..STREAMS {
            if self.order.is_busy(stream) {
                let reading =
                    reading.get_or_insert_with(|| Reading::new(Arc::clone(&self.context), Vec::new()));
                self.until(stream, reading)?;
            }
        }
        Ok(reading)
    }

    /// Waits for everything while nobody else can use the machine.
    fn settle(&mut self) -> Result<(), DeviceError> {
        let Some(mut reading) = self.everything()? else { return Ok(()) };
        reading.wait()?;
        self.over(reading);
        Ok(())
    }

    /// The host has waited.
    fn over(&mut self, reading: Reading) -> Vec<u32> {
        self.order.waited(&reading.reached);
        let mut is_idle = true;
        for stream in 0..STREAMS {
            if self.order.is_busy(stream) {
                is_idle = false;
            } else {
                self.times.look(stream);
            }
        }
        if is_idle {
            self.context.unload_doomed();
        }
        reading.end(&mut self.spare)
    }

    /// Gives memory that nobody has back to the driver.
    fn give_back(&mut self) -> Result<(), DeviceError> {
        self.settle()?;
        for address in self.pool.empty() {
            self.context.free(0, address);
        }
        Ok(())
    }
}

impl CudaMachine {
    /// Where numbers are collected.
    fn room(&mut self) -> Result<Place, DeviceError> {
        if self.collector.is_none() {
            let cubin = self.compiler.cubin(collect::TEXT)?;
            self.collector = Some(Collector::new(&cubin, Arc::clone(&self.context))?);
        }
        self.allocate(collect::ROOM * 4)
    }

    /// Queues the reading of numbers with one copy, and gives their room back.
    fn collect(
        &mut self,
        turn: &Turn,
        places: &[(Place, u64)],
        room: Place,
        reading: &mut Reading,
    ) -> Result<(), DeviceError> {
        let Some(collector) = &mut self.collector else {
            return Err(DeviceError::Bug("nothing collects".to_owned()));
        };
        let collected = collector.collect(turn.stream, places, room.address);
        let copied =
            collected.and_then(|()| self.context.download(turn.stream, room.address, reading.words()));
        self.free(room, collect::ROOM * 4);
        copied
    }

    /// Queues the reading of places one after another.
    fn download(
        &mut self,
        turn: &Turn,
        places: &[(Place, u64)],
        reading: &mut Reading,
    ) -> Result<(), DeviceError> {
        let mut rest = reading.words();
        for &(place, count) in places {
            let (here, after) = rest.split_at_mut(count as usize);
            self.context.download(turn.stream, place.address, here)?;
            rest = after;
        }
        Ok(())
    }
}

impl Machine for CudaMachine {
    type Code = Kernels;
    type Compiler = Arc<Compiler>;
    type Wait = Reading;

    fn describe(&self) -> Description {
        self.description.clone()
    }

    fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    fn compiler(&self) -> Arc<Compiler> {
        Arc::clone(&self.compiler)
    }

    fn compile(compiler: &Arc<Compiler>, module: &Module) -> Result<Kernels, DeviceError> {
        compiler.load(module)
    }

    /// Devices side by side have streams of their own as far as there are enough.
    fn turn_to(&mut self, client: u32, clients: u32) {
        self.client = client;
        let step = (clients as usize).min(STREAMS);
        self.order.prefer(client as usize % step, step);
    }

    fn trim(&mut self) {
        if (0..STREAMS).all(|stream| !self.order.is_busy(stream)) {
            self.context.unload_doomed();
        }
    }

    fn leave(&mut self, client: u32) {
        // What is queued may still use them, and a stream that has waited for it gives them back.
        if let Some(ring) = self.rings.remove(&client)
            && self.settle().is_ok()
        {
            self.context.free(0, ring.zeros);
        }
    }

    fn cuda_address(&self, place: Place) -> Option<u64> {
        Some(place.address)
    }

    fn allocate(&mut self, bytes: u64) -> Result<Place, DeviceError> {
        if bytes > self.limit {
            let free = self.limit - self.pool.used();
            return Err(DeviceError::OutOfMemory { wanted: bytes, free: Some(free) });
        }
        let size = self.size(bytes);
        if let Some(place) = self.pool.take(size) {
            return Ok(place);
        }
        if self.pool.held() + size > self.limit {
            self.give_back()?;
        }
        let free = self.limit - self.pool.used();
        if size > free {
            return Err(DeviceError::OutOfMemory { wanted: bytes, free: Some(free) });
        }
        let address = match self.context.allocate(size) {
            Err(DeviceError::OutOfMemory { .. }) => {
                self.give_back()?;
                self.context.allocate(size)?
            }
            outcome => outcome?,
        };
        let place = self.pool.add(address, size);
        // It is there when the first stream has come so far.
        let turn = self.order.turn_on(0, &Needs::default());
        if let Some(marks) = self.pool.marks(place.piece) {
            marks.used(&turn, true);
        }
        Ok(place)
    }

    fn free(&mut self, place: Place, _bytes: u64) {
        if !self.exact {
            return self.pool.give(place.piece);
        }
        // In the order of a stream that has waited for whoever uses it. A lost card has no memory to give back.
        if let Ok(turn) = self.begin(std::iter::once((place, true))) {
            self.context.free(turn.stream, place.address);
        }
        self.pool.remove(place.piece);
    }

    fn write(&mut self, place: Place, words: Vec<u32>) -> Result<Option<Reading>, DeviceError> {
        let turn = self.begin(std::iter::once((place, true)))?;
        let mut reading = Reading::new(Arc::clone(&self.context), words);
        let written = self.context.upload(turn.stream, place.address, reading.words());
        self.until(turn.stream, &mut reading)?;
        written?;
        Ok(Some(reading))
    }

    fn copy(&mut self, from: Place, to: Place, bytes: u64) -> Result<(), DeviceError> {
        let turn = self.begin([(from, false), (to, true)].into_iter())?;
        self.context.copy(turn.stream, from.address, to.address, bytes)
    }

    fn read(&mut self, places: &[(Place, u64)], mut into: Vec<u32>) -> Result<Reading, DeviceError> {
        let total: u64 = places.iter().map(|(_, words)| words).sum();
        into.clear();
        into.resize(total as usize, 0);
        let mut reading = Reading::new(Arc::clone(&self.context), into);
        // A place is there that many numbers are collected in, if they are.
        let room = if collect::serves(places) { Some(self.room()?) } else { None };
        let reads = places.iter().map(|&(place, _)| (place, false));
        let turn = self.begin(reads.chain(room.map(|room| (room, true))))?;
        let queued = match room {
            Some(room) => self.collect(&turn, places, room, &mut reading),
            None => self.download(&turn, places, &mut reading),
        };
        self.until(turn.stream, &mut reading)?;
        queued?;
        Ok(reading)
    }

    fn finish(&mut self) -> Result<Option<Reading>, DeviceError> {
        self.everything()
    }

    fn wait(reading: &mut Reading) -> Result<(), DeviceError> {
        reading.wait()
    }

    fn poll(reading: &mut Reading, context: &mut task::Context<'_>) -> Poll<Result<(), DeviceError>> {
        reading.poll(context)
    }

    fn waited(&mut self, reading: Reading) -> Result<Vec<u32>, DeviceError> {
        let words = self.over(reading);
        if self.context.n_doomed() > MOST_DOOMED {
            self.settle()?;
        }
        Ok(words)
    }

    fn zeros(&mut self, words: u64) -> Result<Place, DeviceError> {
        if !self.rings.contains_key(&self.client) {
            let zeros = self.context.allocate(ZEROS * 4)?;
            // The first who wants some has it filled.
            self.rings.insert(self.client, Ring { zeros, given: ZEROS });
        }
        if self.rings[&self.client].given + words > ZEROS {
            self.settle()?;
            let zeros = self.rings[&self.client].zeros;
            self.context.fill(0, zeros, 0, ZEROS)?;
            self.context.wait(0)?;
            self.rings.insert(self.client, Ring { zeros, given: 0 });
        }
        let Some(ring) = self.rings.get_mut(&self.client) else {
            return Err(DeviceError::Bug("zeros nowhere".to_owned()));
        };
        let address = ring.zeros + ring.given * 4;
        // Counters of different launches lie apart.
        ring.given += words.next_multiple_of(32);
        Ok(Place { address, piece: u32::MAX })
    }

    fn run(&mut self, code: &Kernels, block: &Block) -> Result<(), DeviceError> {
        if block.words.len() != code.n_words || !block.copies.is_empty() {
            return Err(DeviceError::Bug("a launch does not give what its module takes".to_owned()));
        }
        if self.times.is_full() {
            self.settle()?;
        }
        let filled = block.ones.iter().map(|ones| (ones.place, true));
        let touched = block.touches.iter().map(|touch| (touch.place, touch.writes));
        let stream = self.begin(filled.chain(touched))?.stream;
        self.times.start(stream)?;
        for ones in &block.ones {
            self.context.fill(stream, ones.place.address, u32::MAX, ones.words)?;
        }
        for dispatch in &block.dispatches {
            let groups = u32::try_from(dispatch.groups)
                .map_err(|_| DeviceError::Bug(format!("{} workgroups", dispatch.groups)))?;
            let function = code.functions[dispatch.entry];
            self.context.launch(stream, function, groups, self.dialect.workgroup, &block.words)?;
        }
        self.times.end(stream)
    }

    fn multiply(&mut self, product: &Product) -> Result<bool, DeviceError> {
        let Product { elem, left, right, product, sizes } = *product;
        // Of nothing there is nothing to gain.
        let size = |size: u64| i32::try_from(size).ok().filter(|&size| size > 0);
        let [Some(n), Some(k), Some(m)] = sizes.map(size) else { return Ok(false) };
        if self.dialect.math == Math::Strict || !matches!(elem, ScalarType::F32 | ScalarType::F64) {
            return Ok(false);
        }
        let found = || {
            let cublas = Cublas::open(self.library.as_deref())?;
            Some(Products::new(cublas, Arc::clone(&self.context)))
        };
        if self.products.get_or_init(found).is_none() {
            return Ok(false);
        }
        let Turn { stream, .. } = self.begin([(left, false), (right, false), (product, true)].into_iter())?;
        let [left, right, product] = [left, right, product].map(|place| place.address);
        let Some(products) = self.products.get_mut().and_then(Option::as_mut) else { return Ok(false) };
        if !products.prepare(stream)? {
            return Ok(false);
        }
        self.times.start(stream)?;
        let matrices = Matrices { elem, left, right, product, sizes: [n, k, m] };
        let is_done = products.run(stream, &matrices)?;
        self.times.end(stream)?;
        Ok(is_done)
    }

    fn time_kernels(&mut self, on: bool) {
        self.times.turn(on);
    }

    fn kernel_time(&self) -> Option<Duration> {
        self.times.sum()
    }
}

impl Drop for CudaMachine {
    fn drop(&mut self) {
        // A lost device cannot be waited for; then nothing is queued either.
        let _ = self.settle();
        self.context.unload_doomed();
        self.products.take();
        self.spare.drain(..).for_each(|mark| self.context.unmark(mark));
        for address in self.pool.addresses() {
            self.context.free(0, address);
        }
        self.rings.values().for_each(|ring| self.context.free(0, ring.zeros));
    }
}
