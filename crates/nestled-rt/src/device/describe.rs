//! What a device says about itself.

use nestled_ir::ScalarType;

/// A device's name and limits. Programs with more sweeps or stages, or other types, are refused when an executable is made; what is over the
/// other limits runs, if not well. The pass `split` brings kernels under all of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Description {
    /// For people: `reference`, `NVIDIA H200`.
    pub name: String,
    /// How many sweeps over its space a kernel may need.
    pub sweeps: usize,
    /// How many stages a kernel may have.
    pub stages: usize,
    /// How many combinators a kernel should have.
    pub combinators: usize,
    /// How many parameters and results, shapes left out, a kernel should have.
    pub arguments: usize,
    /// How many values a kernel should hold from one combinator to the next.
    pub values: usize,
    /// How many bytes of private arrays a point should have.
    pub private: u64,
    /// The scalar types that kernels may use.
    pub types: Vec<ScalarType>,
    /// Bytes of memory, where known.
    pub memory: Option<u64>,
    /// How many regions may be in flight before the executor must look for faults. At least 1: then it looks at the end of each
    /// region that can fault. A device that tells the faults of different regions apart may allow more.
    pub regions_ahead: u64,
    /// Whether launches are done when they return, so that waiting takes no time: then room is made for just what there is.
    pub waits_are_free: bool,
}
