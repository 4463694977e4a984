//! What GPU devices share.
//!
//! ```text
//! a kernel ──plan──► passes ──writers──► a module of entry points, in WGSL or CUDA C++
//!                                          │
//! a launch ──────────────────────────────► words for its parameters, and a list of dispatches ──► a machine
//! ```
//!
//! `plan.rs` says which combinators share a sweep. `code/` writes them: `thunk.rs` a thunk, `read.rs` what it reads, `point.rs` how a thread finds its point, and one
//! file for each way of using the values. `dialect.rs` is all that differs between languages, `rts/` at the root of the repository holds the operations in
//! each. `range.rs` says which indices fit into 32 bits. `params.rs` is what a launch tells a kernel.
//!
//! `device/` is a [`Device`](nestled_rt::device::Device) over any [`Machine`]: buffers, launches, faults. What it has no code for goes through the reference interpreter, so
//! every program runs, and [`Counts`] says how much was left to it.
//!
//! # Ways to run on CUDA
//!
//! Reductions follow λcu's order, so their bits are the interpreter's. Scans, filters and partitions read each point once and look back at earlier tiles, in a fixed order where the order shows
//! (`once.rs`, `warps.rs`); reductions of everything are one launch (`reduce.rs`), those of many groups even work (`rows.rs`); a workgroup looks once between which segments its points lie (`narrow.rs`);
//! maps and reductions of any order go by fours (`four.rs`); scatters into few places are gathered first (`gather.rs`). `rts/cuda/skeletons.cuh` has what that takes, `rts/cuda/matmul.cuh` the product of
//! matrices by tiles. Maps over grids have a version for points away from the borders (`inner.rs`). Bytes and halves lie packed in buffers; in WGSL maps make four of them at a time (`pack.rs`), and others
//! change a part of a word by an atomic operation.
//!
//! # Launches
//!
//! A launch that was seen before allocates nothing, hashes nothing and takes no lock: buffers are places of a slab (`slab.rs`), and the lists that a launch takes are kept for the next (`work.rs`,
//! `pending.rs`); a test counts. Sizes that only the device knows are copied into a launch's parameters there, or fetched by the kernel. Faults are words that are looked at when somebody waits, and the
//! launch with the least one then runs once more on the interpreter, which says what happened. Native operations are kernels too (`rts/native`); sorting (`device/sort.rs`) is a series of launches, which a
//! scatter that combines by any monoid (`code/runs.rs`) and a partition into many classes (`code/classes.rs`) go through on their way; on CUDA it takes one sweep for each eight bits of the keys
//! (`code/sweep.rs`, `device/sweep.rs`, `rts/cuda/sort.cuh`).

pub mod code;
pub mod device;
pub mod dialect;
pub mod params;
pub mod plan;
pub mod range;
pub mod repr;
mod text;

pub use code::{Module, generate, generate_native};
pub use device::{Counts, GpuDevice, Machine, library_programs};
pub use dialect::{Dialect, Language};
