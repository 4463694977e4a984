//! Device descriptions: name, limits and capabilities.

use nestled_ir::ScalarType;

/// A device's name and limits. Programs over the limits on sweeps, stages or types are refused when an executable is made. The other limits
/// are advice: kernels over them run, though slowly. The pass `split` brings kernels under all of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Description {
    /// For people: `reference`, `NVIDIA H200`.
    pub name: String,
    /// Greatest number of sweeps over its space that a kernel may need.
    pub sweeps: usize,
    /// Greatest number of stages of a kernel.
    pub stages: usize,
    /// Advised number of combinators of a kernel, at most.
    pub combinators: usize,
    /// Advised number of parameters and results of a kernel, at most; shapes do not count.
    pub arguments: usize,
    /// Advised number of values that live from one combinator of a kernel to the next, at most.
    pub values: usize,
    /// Advised size of the private arrays of a point, at most, in bytes.
    pub private: u64,
    /// The scalar types that kernels may use.
    pub types: Vec<ScalarType>,
    /// Bytes of memory, where known.
    pub memory: Option<u64>,
    /// Number of regions that may be in flight before the executor must look for faults. At least 1: then it looks at the end of each region
    /// that can fault. A device that tells the faults of different regions apart may allow more.
    pub regions_ahead: u64,
    /// True if launches are done when they return, so that waiting takes no time: then results are allocated at their exact sizes, not at bounds.
    pub waits_are_free: bool,
}
