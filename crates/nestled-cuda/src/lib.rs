//! CUDA: kernels in CUDA C++, compiled at run time.
//!
//! `find.rs` says where libraries may lie, `nvrtc.rs` is NVRTC, `compiler.rs` compiles with it, `cubins.rs` keeps what it made, `driver.rs` is the driver, `handles.rs` what it hands out, `dialect.rs` what
//! modules are written for, `stream_order.rs` says which stream work goes to, `memory_pool.rs` keeps memory, `collect.rs` reads from many places at once, `times.rs` takes the time of launches, `reading.rs` waits, `machine.rs` is the [`Machine`](nestled_gpu::Machine) that [`GpuDevice`] works with. Nothing of CUDA is needed to build this; where it
//! is absent at run time, [`cards`] and [`Nvrtc::open`] say what was looked for.

mod collect;
mod compiler;
mod cubins;
mod cublas;
mod dialect;
mod driver;
mod find;
mod handles;
mod machine;
mod memory_pool;
mod nvrtc;
mod reading;
mod stream_order;
mod times;

pub use collect::TEXT as COLLECT;
pub use compiler::{Compiler, Kernels};
pub use dialect::dialect;
pub use driver::Card;
pub use machine::CudaMachine;
pub use nvrtc::{Architecture, Compiled, Effort, Nvrtc, NvrtcError, Usage};
pub use reading::Reading;

use cublas::Cublas;
use driver::Driver;
use nestled_gpu::{GpuDevice, Queue};
use nestled_ir::interp::Interrupt;
use nestled_rt::device::{DeviceError, Math};
use std::path::PathBuf;

/// A GPU through CUDA.
pub type CudaDevice = GpuDevice<CudaMachine>;

/// A card, for devices of several threads.
pub type CudaQueue = Queue<CudaMachine>;

/// How a device behaves.
#[derive(Clone, Debug, Default)]
pub struct CudaConfig {
    /// Which card, by its position among [`cards`]; by default the first.
    pub card: Option<usize>,
    /// The most bytes that buffers may take.
    pub memory: Option<u64>,
    /// The wish at which what the interpreter runs ends, if there may be one.
    pub interrupt: Option<Interrupt>,
    /// In which orders floats may be joined.
    pub math: Math,
    /// A library that is taken for the driver, NVRTC and cuBLAS. Without it they are searched for, and the variables `NESTLED_CUDA`, `NESTLED_NVRTC` and
    /// `NESTLED_CUBLAS` may say where they are.
    pub library: Option<PathBuf>,
    /// Whether memory has just the size that is asked for, and goes back to the driver at once: slower, but whoever watches for wrong accesses sees more.
    pub exact_memory: bool,
}

/// The cards, if the driver and NVRTC are there.
///
/// # Errors
/// Why CUDA cannot be used, in words.
pub fn cards() -> Result<Vec<Card>, String> {
    let driver = Driver::open(None)?;
    let cards = driver.cards().map_err(|error| error.to_string())?;
    if cards.is_empty() {
        return Err("there is a driver, but no card".to_owned());
    }
    Nvrtc::open().map_err(|error| error.to_string())?;
    Ok(cards)
}

/// The version of cuBLAS, as 12 and 9, if it is there.
pub fn cublas() -> Option<(i32, i32)> {
    Cublas::open(None).map(|cublas| cublas.version())
}

/// Copies memory of a card that belongs to another library, once all is done that this queued on a stream of its own, or on the default one.
///
/// # Safety
/// So many bytes lie at the address, on the first card, and the stream is the library's, or null.
///
/// # Errors
/// Why the memory cannot be read, in words.
#[allow(unsafe_code)] // Reads memory known by address.
pub unsafe fn read_foreign(address: u64, bytes: usize, stream: usize) -> Result<Vec<u8>, String> {
    let driver = Driver::open(None)?;
    // SAFETY: as our caller promises.
    unsafe { driver.read_foreign(address, bytes, stream) }.map_err(|error| error.to_string())
}

/// Opens a card.
///
/// # Errors
/// If there is no such card, or it does not work.
pub fn open(config: CudaConfig) -> Result<CudaDevice, DeviceError> {
    Ok(GpuDevice::beside(&open_queue(&config)?, config.interrupt))
}

/// Opens a card, for devices of several threads.
///
/// # Errors
/// If there is no such card, or it does not work.
pub fn open_queue(config: &CudaConfig) -> Result<CudaQueue, DeviceError> {
    let missing = |what: String| DeviceError::Unsupported {
        what,
        help: "`nestled devices` lists what there is".to_owned(),
    };
    let driver = Driver::open(config.library.as_ref())
        .map_err(|why| missing(format!("CUDA cannot be used: {why}")))?;
    let cards = driver.cards()?;
    let at = config.card.unwrap_or(0);
    let card =
        cards.get(at).ok_or_else(|| missing(format!("there is no card {at}, only {}", cards.len())))?;
    Ok(Queue::new(CudaMachine::new(driver, at, card, config)?))
}
