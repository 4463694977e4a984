//! Configuration of a CPU device.

use super::Commons;
use crate::kernel::Thresholds;
use nestled_cache::SharedCache;
use nestled_ir::interp::Interrupt;
use std::path::PathBuf;
use std::sync::Arc;

/// The environment variable that says at which level code is generated.
pub const LEVEL_VARIABLE: &str = "NESTLED_LEVEL";

/// The environment variable that says when kernels are compiled for users: `first`, before they run, or `later`, once they have run for a while.
pub const COMPILE_VARIABLE: &str = "NESTLED_COMPILE";

/// Returns true if the environment asks for kernels to be compiled before they run. A value that is none is reported and ignored.
pub fn compile_first() -> bool {
    let Some(text) = std::env::var_os(COMPILE_VARIABLE) else { return false };
    match text.to_string_lossy().trim() {
        "first" => true,
        "later" | "" => false,
        other => {
            eprintln!("{COMPILE_VARIABLE}: `{other}` is neither `first` nor `later`; using `later`");
            false
        }
    }
}

/// The level that is right for kernels that run more than once.
const LEVEL: u8 = 2;

/// Returns the level that the environment asks for, or else the usual one. A value that is none is reported and ignored.
fn level() -> u8 {
    let Some(text) = std::env::var_os(LEVEL_VARIABLE) else { return LEVEL };
    let text = text.to_string_lossy();
    parse(&text).unwrap_or_else(|| {
        eprintln!("{LEVEL_VARIABLE}: `{text}` is not a number from 0 to 3; using {LEVEL}");
        LEVEL
    })
}

fn parse(text: &str) -> Option<u8> {
    text.trim().parse().ok().filter(|level| *level <= 3)
}

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
    /// Optimisation level of code generation, from 0 to 3; by default what [`LEVEL_VARIABLE`] says, or else 2. Lower levels compile faster and give slower kernels.
    pub level: u8,
    /// True if kernels are compiled before they run. Otherwise those that are not known are interpreted until compilation is worth its cost.
    pub compile_first: bool,
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
            level: level(),
            compile_first: true,
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

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn levels_are_those_of_llvm() {
        assert_eq!(["0", " 3 ", "2"].map(parse), [Some(0), Some(3), Some(2)]);
        assert_eq!(["", "4", "-1", "two"].map(parse), [None; 4]);
    }
}
