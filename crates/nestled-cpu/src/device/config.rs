//! Configuration of a CPU device.

use super::Commons;
use crate::kernel::Thresholds;
use nestled_cache::SharedCache;
use nestled_ir::interp::Interrupt;
use std::path::PathBuf;
use std::sync::Arc;

/// The configuration of a CPU device. The default is what this machine offers.
#[derive(Clone, Debug)]
pub struct CpuConfig {
    /// Number of threads; by default those of the [shared pool](nestled_pool::Pool::global).
    pub threads: Option<usize>,
    /// Width of vectors: 512, 256 or 128 bits; by default that of the processor. No result depends on it.
    pub vector_bits: Option<u32>,
    /// Bytes of memory for buffers; by default four fifths of the memory available now.
    pub memory: Option<u64>,
    /// Threads and memory shared with other devices; overrides `threads` and `memory`.
    pub commons: Option<Commons>,
    /// Whether kernels are compiled; otherwise the reference interpreter runs them.
    pub llvm: bool,
    /// Optimisation level of code generation, from 0 to 3; by default 2. Lower levels compile faster and give slower kernels.
    pub level: u8,
    /// Maximum number of kernels that are compiled before their programs run, over all programs. If a program has more unknown kernels, all of its
    /// unknown kernels are compiled later, after the interpreter has run them on enough data to be worth it. By default unlimited.
    pub at_once: usize,
    /// The tuning parameters.
    pub thresholds: Thresholds,
    /// The cache of compiled kernels.
    pub disk_cache: CacheChoice,
    /// The interrupt flag at which interpreted kernels end, if there is one.
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

/// The cache that keeps compiled kernels for other devices.
#[derive(Clone, Debug)]
pub enum CacheChoice {
    /// The user's cache on disk.
    User,
    /// None.
    Off,
    /// A directory.
    At(PathBuf),
    /// Memory, shared by several devices.
    Shared(Arc<SharedCache>),
}
