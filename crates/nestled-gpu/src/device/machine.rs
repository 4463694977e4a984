//! The back-end interface of [`GpuDevice`](super::GpuDevice): memory, modules, and one queue.
//!
//! Several devices, each in its own thread, share one machine behind a lock. The lock is held while something is queued, and never while a thread waits or compiles: a wait has three parts, of
//! which the middle one, [`Machine::wait`] or [`Machine::poll`], needs no machine, and neither does [`Machine::compile`].

use crate::code::Module;
use crate::dialect::Dialect;
use nestled_ir::ScalarType;
use nestled_rt::device::{Description, DeviceError};
use std::fmt::Debug;
use std::task::{Context, Poll};
use std::time::Duration;

/// An address and the allocation that contains it. Allocations have numbers, so that no search by address is needed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Place {
    /// The address in bytes.
    pub address: u64,
    /// The number of the allocation.
    pub piece: u32,
}

impl Place {
    /// Returns the place some bytes further, in the same allocation.
    pub fn plus(self, bytes: u64) -> Place {
        Place { address: self.address + bytes, ..self }
    }
}

/// A launch, ready for the machine.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Block {
    /// The parameters.
    pub words: Vec<u32>,
    /// Parameters that are copied from device memory first, where a kernel cannot fetch them.
    pub copies: Vec<Copy>,
    /// Memory that is filled with ones first.
    pub ones: Vec<Ones>,
    /// Memory that is read or written, except for `copies` and `ones`.
    pub touches: Vec<Touch>,
    /// The dispatches, in order: each sees the writes of those before it.
    pub dispatches: Vec<Dispatch>,
}

/// Words of device memory that become parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Copy {
    /// The first parameter.
    pub word: u32,
    /// The source.
    pub place: Place,
    /// Number of words.
    pub words: u32,
}

/// Words that are filled with ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ones {
    /// The first word.
    pub place: Place,
    /// Number of words.
    pub words: u64,
}

/// Memory that a launch accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Touch {
    /// Any place in it.
    pub place: Place,
    /// Whether it is written.
    pub writes: bool,
}

/// The dispatch of an entry point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dispatch {
    /// Its position in the module.
    pub entry: usize,
    /// Number of workgroups.
    pub groups: u64,
}

/// A product of two matrices, `[n, k] × [k, m]`, in row-major order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Product {
    /// The type of their elements.
    pub elem: ScalarType,
    /// The left matrix.
    pub left: Place,
    /// The right matrix.
    pub right: Place,
    /// The product.
    pub product: Place,
    /// n, k and m.
    pub sizes: [u64; 3],
}

/// A machine with memory of words, addressed by bytes, and a queue. Effects are as if in the order of the calls. Launches without conflicting
/// accesses may run concurrently.
pub trait Machine: Debug + Send + 'static {
    /// A compiled module. If it is dropped while launches of it are queued, it stays loaded until they are done.
    type Code: Debug + Send + Sync;

    /// The compiler of modules; any thread may use it.
    type Compiler: Debug + Send + Sync;

    /// Queued work that the host can wait for. Dropping it early must be safe.
    type Wait: Debug + 'static;

    /// Returns the properties that executors and passes need.
    fn describe(&self) -> Description;

    /// Returns the language of modules.
    fn dialect(&self) -> &Dialect;

    /// Returns the compiler.
    fn compiler(&self) -> Self::Compiler;

    /// Compiles a module.
    fn compile(compiler: &Self::Compiler, module: &Module) -> Result<Self::Code, DeviceError>;

    /// Names the device that makes the next calls, by its number, and how many devices there are.
    fn turn_to(&mut self, _client: u32, _clients: u32) {}

    /// Releases dropped modules that no queued launch uses.
    fn trim(&mut self) {}

    /// Removes a device.
    fn leave(&mut self, _client: u32) {}

    /// Allocates memory at an address that is a multiple of 16.
    fn allocate(&mut self, bytes: u64) -> Result<Place, DeviceError>;

    /// Frees memory, once all queued work is done with it.
    fn free(&mut self, place: Place, bytes: u64);

    /// Returns the address that other libraries for CUDA know a place by, if this is a device of CUDA's.
    fn cuda_address(&self, _place: Place) -> Option<u64> {
        None
    }

    /// Queues a write of words. Returns what to wait for, unless the words were copied at once.
    fn write(&mut self, place: Place, words: Vec<u32>) -> Result<Option<Self::Wait>, DeviceError>;

    /// Queues a copy of bytes between places that share no word.
    fn copy(&mut self, from: Place, to: Place, bytes: u64) -> Result<(), DeviceError>;

    /// Queues a read of some words from each of several places, one after another. Replaces the contents of `into`.
    fn read(&mut self, places: &[(Place, u64)], into: Vec<u32>) -> Result<Self::Wait, DeviceError>;

    /// Returns what to wait for until all queued work is done; nothing if it is done already.
    fn finish(&mut self) -> Result<Option<Self::Wait>, DeviceError>;

    /// Waits for queued work, without the machine.
    fn wait(wait: &mut Self::Wait) -> Result<(), DeviceError>;

    /// [`Machine::wait`] that does not block, where the machine can. The waker is woken when it is worth asking again, at once if only asking makes progress.
    fn poll(wait: &mut Self::Wait, _context: &mut Context<'_>) -> Poll<Result<(), DeviceError>> {
        Poll::Ready(Self::wait(wait))
    }

    /// Ends a wait, and returns the words that were read.
    fn waited(&mut self, wait: Self::Wait) -> Result<Vec<u32>, DeviceError>;

    /// Returns zeroed words, for one launch of a module that counts. Only machines whose modules count have them.
    fn zeros(&mut self, words: u64) -> Result<Place, DeviceError> {
        Err(DeviceError::Bug(format!("{words} zeros of a machine that has none")))
    }

    /// Queues a launch. A repeated launch allocates nothing.
    fn run(&mut self, code: &Self::Code, block: &Block) -> Result<(), DeviceError>;

    /// Queues a product, if the machine has a faster way than a module; false if not.
    fn multiply(&mut self, _product: &Product) -> Result<bool, DeviceError> {
        Ok(false)
    }

    /// Starts or stops timing queued work.
    fn time_kernels(&mut self, _on: bool) {}

    /// Returns the sum of the times measured so far; `None` if the machine cannot measure, or was never asked to.
    fn kernel_time(&self) -> Option<Duration> {
        None
    }
}
