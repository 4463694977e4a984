//! What a CPU device may be told.

use super::Commons;
use crate::kernel::Thresholds;
use nestled_cache::SharedCache;
use nestled_ir::interp::Interrupt;
use std::path::PathBuf;
use std::sync::Arc;

/// How a CPU device behaves. The default is what this machine offers.
#[derive(Clone, Debug)]
pub struct CpuConfig {
    /// How many threads; by default those of the [shared pool](nestled_pool::Pool::global).
    pub threads: Option<usize>,
    /// How wide vectors are, 512, 256 or 128 bits; by default as wide as the processor's. No result depends on it.
    pub vector_bits: Option<u32>,
    /// Bytes of memory for buffers; by default four fifths of what the system has available now.
    pub memory: Option<u64>,
    /// Threads and memory that it has together with other devices; then the two above say nothing.
    pub commons: Option<Commons>,
    /// Whether kernels are compiled; otherwise the reference interpreter runs them.
    pub llvm: bool,
    /// How hard code generation tries, from 0 to 3; by default 2. With less, compilation is quicker and kernels are slower.
    pub level: u8,
    /// How many kernels are compiled before their programs run, those of all programs together. Where a program has more that nobody knows yet, all of
    /// its are compiled later, once the interpreter has run them on so much data that it was worth it. By default any number.
    pub at_once: usize,
    /// When work is cut and shared out.
    pub thresholds: Thresholds,
    /// Where compiled kernels are kept.
    pub disk_cache: CacheChoice,
    /// The wish at which kernels that the interpreter runs end, if there may be one.
    pub interrupt: Option<Interrupt>,
}

impl Default for CpuConfig {
    fn default() -> CpuConfig {
        CpuConfig {
            threads: None,
            vector_bits: None,
            memory: None,
            commons: None,
            llvm: true,
            level: 2,
            at_once: usize::MAX,
            thresholds: Thresholds::default(),
            disk_cache: CacheChoice::User,
            interrupt: None,
        }
    }
}

/// Where compiled kernels are kept for the next device that wants them.
#[derive(Clone, Debug)]
pub enum CacheChoice {
    /// In the user's cache.
    User,
    /// Nowhere.
    Off,
    /// In this directory.
    At(PathBuf),
    /// In memory, for all devices that share it.
    Shared(Arc<SharedCache>),
}
