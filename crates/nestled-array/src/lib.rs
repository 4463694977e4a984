//! Lazy arrays: whole-array operations in ordinary Rust, fused into few kernels.
//!
//! An operation adds a node to a graph and returns at once. Asking for data computes the graph, as few kernels, on all cores.
//!
//! ```
//! use nestled_array::{Array, Border};
//! let image = Array::<f32>::index(&[4, 4], 1);
//! let blurred = (image.shift(&[0, -1], Border::Clamp) + &image + image.shift(&[0, 1], Border::Clamp)) / 3.0;
//! assert_eq!(blurred.sum_axis(1).to_vec()?, [6.0; 4]);
//! # Ok::<(), nestled_array::Error>(())
//! ```
//!
//! - [`Array`] is the array, [`Engine`] computes; an [`Error`] names the operation, the reason and the caller's line.
//! - Operands are broadcast as NumPy does it; operators work on arrays, references and numbers.
//! - [`Ragged`] has rows of any lengths, [`Sparse`] is a sparse matrix made of them.
//! - [`Nesl`] and [`nesl!`] are functions in NESL; the features `ndarray` and `image` bring data from and to those crates.
//! - An expression of the same structure compiles nothing again: sizes, offsets and literals are arguments.
//!
//! # Files
//!
//! `node.rs` is the graph, `array.rs` the typed handle on a node, `ops/` the operations, most of them a few lines that make a node. `plan/` collects the part of a graph that is
//! wanted, and separates its structure from its numbers (extents, offsets, literals), which are constants of a plan until they vary; `lower/` lowers a structure to λcu, through
//! the builders of `nestled-ir`; `engine/` runs it: each evaluation takes a *track* (devices, plans, programs), tracks run side by side, and `engine/scheduler.rs` hands them out.
//! `memory.rs` and `engine/cuda_memory.rs` share memory with others, `jit.rs` has programs as values, `trace.rs` turns closures into thunks, `ragged/` has rows of any lengths, `sparse/` sparse
//! matrices made of them, `nesl/` functions in NESL as functions over arrays.

mod array;
mod complex;
mod debug;
mod element;
mod engine;
mod error;
mod function;
#[cfg(any(feature = "image", feature = "ndarray"))]
mod interop;
mod jit;
mod lower;
mod memory;
mod nesl;
mod node;
mod npy;
mod operand;
mod ops;
mod plan;
mod ragged;
mod resident;
mod shape;
mod sparse;
#[cfg(test)]
mod tests;
mod trace;
mod vectors;

pub use array::{Array, Border};
pub use complex::{Complex, Quaternion};
pub use element::{Bits, Element, F16, Float, Integer, Number, Ordered, Signed};
pub use engine::{
    Counts, CudaMemory, Engine, EngineConfig, Evaluate, Evaluation, ExplainedStep, Explanation, Handle,
};
pub use error::{Error, Reason, Result};
pub use jit::{Arrays, Inputs, Jit, Param, Trace, jit};
pub use memory::Memory;
pub use nesl::{
    GivenPools, Giving, HostColumns, Nesl, NeslArguments, NeslColumn, NeslContent, NeslDatatype, NeslDatum,
    NeslDrawings, NeslFunction, NeslNode, NeslOptional, NeslRoutine, NeslRow, NeslRun, NeslType, NeslValue,
    NeslVariant, NeslVariants, Piece, TakenPools, Taking, Wanted, datatype_type, give_row, pull_data,
    record_type, take_row, tuple_type, unfit_columns, want_data,
};
pub use nestled_devices::{BadChoice, DeviceChoice};
pub use nestled_ir::{Direction, Inclusion, MonoidOp as Operator};
pub use nestled_rt::device::Math;
pub use operand::Operand;
pub use ops::*;
pub use ragged::{Content, Ragged, RaggedOperand, Segments, record_rows};
pub use shape::Shape;
pub use sparse::Sparse;
pub use trace::{Carried, NodeHandle, try_while_with, while_of, while_with};
pub use vectors::{VectorOperand, Vectors, concat_vectors};
