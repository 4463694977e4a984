//! Reading numbers from many places at once: a kernel puts them one after another (`rts/collect.cu`), so that there is one copy to wait for instead of one for each. When somebody waits, faults
//! of all launches are looked at, and all lengths that may be wanted are fetched.

use crate::driver::Context;
use crate::handles::{Function, Loaded};
use nestled_gpu::device::Place;
use nestled_rt::device::DeviceError;
use std::sync::Arc;

/// The kernel.
pub const TEXT: &str = include_str!("../rts/collect.cu");

/// The words that it is given: four of its own, and four for each place.
const GIVEN: usize = 1024;
const MOST_PLACES: usize = (GIVEN - 4) / 4;
const THREADS: u32 = 256;

/// Fewer places are as well read one after another.
const FEWEST_PLACES: usize = 3;
/// More words of one place take a thread too long.
const MOST_WORDS: u64 = 64;
/// All words together.
pub(crate) const ROOM: u64 = 4096;

/// The kernel, loaded.
#[derive(Debug)]
pub(crate) struct Collector {
    function: Function,
    module: Loaded,
    context: Arc<Context>,
    given: Vec<u32>,
}

impl Drop for Collector {
    /// The machine has waited for all streams before.
    fn drop(&mut self) {
        self.context.unload(&self.module);
    }
}

/// Whether these are worth being collected.
pub(crate) fn serves(places: &[(Place, u64)]) -> bool {
    let total: u64 = places.iter().map(|(_, words)| words).sum();
    (FEWEST_PLACES..=MOST_PLACES).contains(&places.len())
        && total <= ROOM
        && places.iter().all(|&(_, words)| words <= MOST_WORDS)
}

impl Collector {
    /// Loads the kernel.
    pub fn new(cubin: &[u8], context: Arc<Context>) -> Result<Collector, DeviceError> {
        let module = context.load(cubin)?;
        let function = context.function(&module, c"run_collect")?;
        Ok(Collector { function, module, context, given: vec![0; GIVEN] })
    }

    /// Queues what puts words one after another into a room.
    pub fn collect(&mut self, stream: usize, places: &[(Place, u64)], room: u64) -> Result<(), DeviceError> {
        let halves = |address: u64| [address as u32, (address >> 32) as u32];
        let [low, high] = halves(room);
        self.given[..3].copy_from_slice(&[low, high, places.len() as u32]);
        let mut before = 0;
        for (&(place, words), given) in places.iter().zip(self.given[4..].chunks_exact_mut(4)) {
            let [low, high] = halves(place.address);
            given.copy_from_slice(&[low, high, words as u32, before]);
            before += words as u32;
        }
        self.context.launch(stream, self.function, 1, THREADS, &self.given)
    }
}
