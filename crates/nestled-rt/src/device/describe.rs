//! What a device says about itself.

use nestled_ir::ScalarType;

/// A device's name and limits. Programs over the limits are refused when an executable is made; the pass `split` brings kernels under them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Description {
    /// For people: `reference`, `NVIDIA H200`.
    pub name: String,
    /// How many sweeps over its space a kernel may need.
    pub sweeps: usize,
    /// How many stages a kernel may have.
    pub stages: usize,
    /// The scalar types that kernels may use.
    pub types: Vec<ScalarType>,
    /// Bytes of memory, where known.
    pub memory: Option<u64>,
    /// How many regions may be in flight before the executor must look for faults. At least 1: then it looks at the end of each
    /// region that can fault. A device that tells the faults of different regions apart may allow more.
    pub regions_ahead: u64,
}
