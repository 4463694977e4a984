//! What a GPU has to do for [`GpuDevice`](super::GpuDevice): memory, modules, and one queue.

use crate::code::Module;
use crate::dialect::Dialect;
use nestled_ir::ScalarType;
use nestled_rt::device::{Description, DeviceError};
use std::fmt::Debug;
use std::time::Duration;

/// A place in memory, and whose it is: the machine tells its pieces of memory apart by a number, so that nobody has to search for an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Place {
    /// Where it is.
    pub address: u64,
    /// The piece of memory that it lies in.
    pub piece: u32,
}

impl Place {
    /// So many bytes further, in the same piece.
    pub fn plus(self, bytes: u64) -> Place {
        Place { address: self.address + bytes, ..self }
    }
}

/// A launch, ready for the machine.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Block {
    /// The parameters.
    pub words: Vec<u32>,
    /// What is copied into them from memory before, where a kernel cannot fetch it.
    pub copies: Vec<Copy>,
    /// Memory whose bits are all set before.
    pub ones: Vec<Ones>,
    /// Memory that is read or written, but for `copies` and `ones`.
    pub touches: Vec<Touch>,
    /// What runs, in order: each sees what those before it wrote.
    pub dispatches: Vec<Dispatch>,
}

/// Words of memory that become parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Copy {
    /// The first parameter.
    pub word: u32,
    /// Where they lie.
    pub place: Place,
    /// How many words.
    pub words: u32,
}

/// Words whose bits are all set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ones {
    /// Where they lie.
    pub place: Place,
    /// How many words.
    pub words: u64,
}

/// Memory that a launch uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Touch {
    /// Anywhere in it.
    pub place: Place,
    /// Whether it is written.
    pub writes: bool,
}

/// An entry point, and how often.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dispatch {
    /// Its position in the module.
    pub entry: usize,
    /// How many workgroups.
    pub groups: u64,
}

/// A product of two matrices, `[n, k] × [k, m]`, row after row.
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

/// A machine with memory of words, addressed by bytes, and a queue: everything takes effect as if in the order of the calls. Launches that do not touch what others
/// write may run at the same time.
pub trait Machine: Debug {
    /// What a module becomes.
    type Code: Debug;

    /// What executors and passes must know.
    fn describe(&self) -> Description;

    /// The language of modules.
    fn dialect(&self) -> &Dialect;

    /// Makes a module ready.
    fn compile(&mut self, module: &Module) -> Result<Self::Code, DeviceError>;

    /// Memory; its address is a multiple of 16.
    fn allocate(&mut self, bytes: u64) -> Result<Place, DeviceError>;

    /// Gives memory back, once all that was queued is done with it.
    fn free(&mut self, place: Place, bytes: u64);

    /// Writes words.
    fn write(&mut self, place: Place, words: &[u32]) -> Result<(), DeviceError>;

    /// Waits, and reads so many words from each of several places, one after another, in place of what `into` holds.
    fn read(&mut self, places: &[(Place, u64)], into: &mut Vec<u32>) -> Result<(), DeviceError>;

    /// Words that are zero, for one launch of a module that counts. Machines whose modules do not count have none.
    fn zeros(&mut self, words: u64) -> Result<Place, DeviceError> {
        Err(DeviceError::Bug(format!("{words} zeros of a machine that has none")))
    }

    /// Queues a launch. What was launched before costs no allocation.
    fn run(&mut self, code: &Self::Code, block: &Block) -> Result<(), DeviceError>;

    /// Queues a product, if the machine has something better for it than a module; answers whether it has.
    fn multiply(&mut self, _product: &Product) -> Result<bool, DeviceError> {
        Ok(false)
    }

    /// Begins to take the time of what is queued, or ends it.
    fn time_kernels(&mut self, _on: bool) {}

    /// The sum of the times that were taken and are known; nothing if the machine cannot tell, or was never asked to take them.
    fn kernel_time(&self) -> Option<Duration> {
        None
    }

    /// Waits for everything.
    fn finish(&mut self) -> Result<(), DeviceError>;
}
