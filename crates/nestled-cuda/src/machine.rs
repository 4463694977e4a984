//! One card as a machine: memory from the driver's pool, modules from NVRTC, several streams.
//!
//! A launch's parameters are an argument by value. Those that count get zeros, each its own, from a ring: when it is used up, the host waits for all streams and fills it again. Launches that
//! need nothing of each other go to different streams.

use crate::CudaConfig;
use crate::collect::{self, Collector};
use crate::cubins;
use crate::cublas::{Cublas, Matrices, Products};
use crate::dialect::dialect;
use crate::driver::{Card, Context, Driver, Function, Loaded};
use crate::nvrtc::{Architecture, Effort, Nvrtc};
use crate::order::{Needs, Order, STREAMS, Turn};
use crate::pool::{self, Pool};
use crate::times::Times;
use nestled_gpu::Dialect;
use nestled_gpu::code::Module;
use nestled_gpu::device::{Block, Machine, Place, Product};
use nestled_ir::ScalarType;
use nestled_rt::device::{Description, DeviceError, Math};
use std::cell::OnceCell;
use std::ffi::CString;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

/// Words of the ring of zeros.
const ZEROS: u64 = 1 << 18;

/// A module on the card.
#[derive(Debug)]
pub struct Kernels {
    functions: Vec<Function>,
    /// How many words they are given.
    n_words: usize,
    module: Loaded,
    context: Rc<Context>,
}

impl Drop for Kernels {
    fn drop(&mut self) {
        self.context.unload(&self.module);
    }
}

/// A card, opened.
#[derive(Debug)]
pub struct CudaMachine {
    context: Rc<Context>,
    description: Description,
    dialect: Dialect,
    architecture: Architecture,
    /// Where NVRTC is, if not where it is searched for.
    library: Option<PathBuf>,
    /// Opened when the first module is not on disk.
    nvrtc: OnceCell<Nvrtc>,
    cubins: cubins::Cubins,
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
    zeros: u64,
    /// How many of them have been given.
    given: u64,
}

impl CudaMachine {
    /// Opens a card.
    pub(crate) fn new(
        driver: Driver,
        at: usize,
        card: &Card,
        config: &CudaConfig,
    ) -> Result<CudaMachine, DeviceError> {
        let context = Rc::new(Context::open(driver, at)?);
        let limit = context.free_bytes()?.min(config.memory.unwrap_or(u64::MAX));
        let zeros = context.allocate(ZEROS * 4)?;
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
            times: Times::new(Rc::clone(&context)),
            context,
            description,
            dialect,
            architecture: Architecture(card.capability.0 * 10 + card.capability.1),
            library: config.library.clone(),
            exact: config.exact_memory,
            nvrtc: OnceCell::new(),
            cubins: cubins::Cubins::open(),
            products: OnceCell::new(),
            collector: None,
            limit,
            pool: Pool::default(),
            order: Order::default(),
            zeros,
            // The first who wants some has it filled.
            given: ZEROS,
        })
    }

    fn nvrtc(&self) -> Result<&Nvrtc, DeviceError> {
        if let Some(nvrtc) = self.nvrtc.get() {
            return Ok(nvrtc);
        }
        let opened = self.library.clone().map_or_else(Nvrtc::open, Nvrtc::at);
        let opened = opened.map_err(|error| DeviceError::Unsupported {
            what: error.to_string(),
            help: "`nestled devices` says what is there".to_owned(),
        })?;
        Ok(self.nvrtc.get_or_init(|| opened))
    }

    fn cubin(&self, text: &str) -> Result<Vec<u8>, DeviceError> {
        if let Some(cubin) = self.cubins.get(text, self.architecture) {
            return Ok(cubin);
        }
        let compiled = self.nvrtc()?.compile(text, self.architecture, Effort::Full);
        let cubin = compiled.map_err(|error| DeviceError::Bug(format!("{error}\n{text}")))?.cubin;
        self.cubins.put(text, self.architecture, &cubin);
        Ok(cubin)
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
        if self.exact { bytes } else { pool::size(bytes) }
    }

    fn wait(&mut self, stream: usize) -> Result<(), DeviceError> {
        self.context.wait(stream)?;
        self.waited(stream);
        Ok(())
    }

    /// The host has waited for a stream, and so for what that waited for.
    fn waited(&mut self, stream: usize) {
        self.order.waited(stream);
        for done in (0..STREAMS).filter(|&stream| !self.order.is_busy(stream)) {
            self.times.look(done);
        }
    }

    /// Gives memory that nobody has back to the driver.
    fn give_back(&mut self) -> Result<(), DeviceError> {
        self.finish()?;
        for address in self.pool.empty() {
            self.context.free(0, address);
        }
        Ok(())
    }
}

impl Machine for CudaMachine {
    type Code = Kernels;

    fn describe(&self) -> Description {
        self.description.clone()
    }

    fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    fn compile(&mut self, module: &Module) -> Result<Kernels, DeviceError> {
        let loaded = self.context.load(&self.cubin(&module.text)?)?;
        let mut kernels = Kernels {
            functions: Vec::new(),
            n_words: module.n_words,
            module: loaded,
            context: Rc::clone(&self.context),
        };
        for entry in &module.entries {
            let name = CString::new(format!("run_{}", entry.name)).expect("names of entries have no zeros");
            kernels.functions.push(self.context.function(&kernels.module, &name)?);
        }
        Ok(kernels)
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

    fn write(&mut self, place: Place, words: &[u32]) -> Result<(), DeviceError> {
        let turn = self.begin(std::iter::once((place, true)))?;
        self.context.upload(turn.stream, place.address, words)?;
        self.waited(turn.stream);
        Ok(())
    }

    fn copy(&mut self, from: Place, to: Place, bytes: u64) -> Result<(), DeviceError> {
        let turn = self.begin([(from, false), (to, true)].into_iter())?;
        self.context.copy(turn.stream, from.address, to.address, bytes)
    }

    fn read(&mut self, places: &[(Place, u64)], into: &mut Vec<u32>) -> Result<(), DeviceError> {
        let total: u64 = places.iter().map(|(_, words)| words).sum();
        into.clear();
        into.resize(total as usize, 0);
        let turn = self.begin(places.iter().map(|&(place, _)| (place, false)))?;
        if collect::serves(places) {
            if self.collector.is_none() {
                self.collector = Some(Collector::new(&self.cubin(collect::TEXT)?, Rc::clone(&self.context))?);
            }
            if let Some(collector) = &mut self.collector {
                let from = collector.collect(turn.stream, places)?;
                self.context.download(turn.stream, from, into)?;
            }
            return self.wait(turn.stream);
        }
        let mut rest = &mut into[..];
        for &(place, count) in places {
            let (here, after) = rest.split_at_mut(count as usize);
            if let Err(error) = self.context.download(turn.stream, place.address, here) {
                // What was queued before must not write to where nobody waits for it.
                let _ = self.context.wait(turn.stream);
                return Err(error);
            }
            rest = after;
        }
        self.wait(turn.stream)
    }

    fn zeros(&mut self, words: u64) -> Result<Place, DeviceError> {
        if self.given + words > ZEROS {
            self.finish()?;
            self.context.fill(0, self.zeros, 0, ZEROS)?;
            self.context.wait(0)?;
            self.given = 0;
        }
        let address = self.zeros + self.given * 4;
        // Counters of different launches lie apart.
        self.given += words.next_multiple_of(32);
        Ok(Place { address, piece: u32::MAX })
    }

    fn run(&mut self, code: &Kernels, block: &Block) -> Result<(), DeviceError> {
        if block.words.len() != code.n_words || !block.copies.is_empty() {
            return Err(DeviceError::Bug("a launch does not give what its module takes".to_owned()));
        }
        if self.times.is_full() {
            self.finish()?;
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
            Some(Products::new(cublas, Rc::clone(&self.context)))
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

    fn finish(&mut self) -> Result<(), DeviceError> {
        for stream in 0..STREAMS {
            if self.order.is_busy(stream) {
                self.wait(stream)?;
            }
        }
        Ok(())
    }
}

impl Drop for CudaMachine {
    fn drop(&mut self) {
        // A lost device cannot be waited for; then nothing is queued either.
        let _ = self.finish();
        self.products.take();
        for address in self.pool.addresses() {
            self.context.free(0, address);
        }
        self.context.free(0, self.zeros);
    }
}
