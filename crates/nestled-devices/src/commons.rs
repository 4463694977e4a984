//! Resources shared by devices of several threads: threads and memory of the CPU, and open GPUs.

use nestled_cpu::device::Commons as OfCpu;
#[cfg(any(feature = "cuda", feature = "wgpu"))]
use nestled_gpu::{Machine, Queue};
#[cfg(any(feature = "cuda", feature = "wgpu"))]
use nestled_rt::device::DeviceError;
#[cfg(any(feature = "cuda", feature = "wgpu"))]
use std::any::Any;
#[cfg(any(feature = "cuda", feature = "wgpu"))]
use std::fmt;
#[cfg(any(feature = "cuda", feature = "wgpu"))]
use std::sync::{Arc, Mutex};

/// Resources that several [`Devices`](crate::Devices), each in its own thread, share. Clones are the same resources.
#[derive(Clone, Debug)]
pub struct Commons {
    pub(crate) cpu: OfCpu,
    #[cfg(feature = "cuda")]
    pub(crate) cards: Shared,
    #[cfg(feature = "wgpu")]
    pub(crate) adapters: Shared,
}

impl Commons {
    /// Creates resources with a number of CPU threads and a limit of memory; by default all cores, and most of the available memory.
    pub fn new(threads: Option<usize>, memory: Option<u64>) -> Commons {
        Commons {
            cpu: OfCpu::new(threads, memory),
            #[cfg(feature = "cuda")]
            cards: Shared::default(),
            #[cfg(feature = "wgpu")]
            adapters: Shared::default(),
        }
    }

    /// Returns unused CPU memory to the system.
    pub fn trim(&self) {
        self.cpu.trim();
    }

    /// Returns the number of compiled modules that GPUs hold, used and unused.
    pub fn modules_held(&self) -> usize {
        let held: &[usize] = &[
            #[cfg(feature = "cuda")]
            self.cards.modules(),
            #[cfg(feature = "wgpu")]
            self.adapters.modules(),
        ];
        held.iter().sum()
    }

    /// Returns the bytes of memory taken from the system, used and unused.
    pub fn bytes_held(&self) -> u64 {
        self.cpu.bytes_held()
    }
}

/// Open GPUs by number.
#[cfg(any(feature = "cuda", feature = "wgpu"))]
#[derive(Clone, Debug, Default)]
pub(crate) struct Shared(Arc<Mutex<Vec<Known>>>);

/// An open GPU. Its type is erased, because the types of wgpu are nested deeper than the compiler's recursion limit for auto traits.
#[cfg(any(feature = "cuda", feature = "wgpu"))]
struct Known {
    number: Option<usize>,
    queue: Arc<dyn Any + Send + Sync>,
    /// Returns the number of its compiled modules.
    modules: Box<dyn Fn() -> usize + Send + Sync>,
}

#[cfg(any(feature = "cuda", feature = "wgpu"))]
impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Known").field("number", &self.number).finish_non_exhaustive()
    }
}

#[cfg(any(feature = "cuda", feature = "wgpu"))]
impl Shared {
    /// Returns the GPU with a number. The first caller opens it while others wait.
    pub fn get<M: Machine>(
        &self,
        number: Option<usize>,
        open: impl FnOnce() -> Result<Queue<M>, DeviceError>,
    ) -> Result<Queue<M>, DeviceError> {
        let mut known = nestled_fork::lock(&self.0);
        let mut same = known.iter().filter(|known| known.number == number);
        if let Some(queue) = same.find_map(|known| known.queue.downcast_ref::<Queue<M>>()) {
            return Ok(queue.clone());
        }
        let queue = open()?;
        let of = queue.clone();
        let modules = Box::new(move || of.modules());
        known.push(Known { number, queue: Arc::new(queue.clone()), modules });
        Ok(queue)
    }

    fn modules(&self) -> usize {
        nestled_fork::lock(&self.0).iter().map(|known| (known.modules)()).sum()
    }
}
