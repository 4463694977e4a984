//! The shared part of GPU devices: code generation and launches.
//!
//! ```text
//! a kernel ──plan/──► Plan ──code/──► a module of entry points, in WGSL or CUDA C++
//!                                        │
//! a launch ──────────────────────────────► words for its parameters, and a list of dispatches ──► a machine
//! ```
//!
//! `plan/` groups combinators into passes and chooses a strategy for each, as data. `code/` generates them (`generate.rs`): `thunk.rs` thunks, `read.rs` their reads, `point.rs` the decoding of point
//! numbers, and one file for each kind of sink. `dialect.rs` has all differences between languages; `rts/` of `nestled-wgpu` and `nestled-cuda` holds the
//! operations in each. `range.rs` finds the indices that fit into 32 bits. `params.rs` defines the layout of parameters.
//!
//! `device/` is a [`Device`](nestled_rt::device::Device) over any [`Machine`]: buffers, launches, faults. Unsupported operations fall back to the
//! reference interpreter, so every program runs, and [`Counts`] counts the fallbacks.
//!
//! # Strategies on CUDA
//!
//! Reductions follow λcu's order, so their bits are the interpreter's. Scans, filters and partitions read each point once, with decoupled look-back
//! at earlier tiles (`look_back.rs`, `single_pass_scan.rs`); where the order shows, scans of the whole do so too (`single_pass_ordered_scan.rs`), and others take
//! four entries (`ordered_scan.rs`). A reduction of the whole is one launch (`reduce.rs`), one along an outer axis reads neighbours (`reduce_across.rs`), and those of
//! many groups are load-balanced (`rows.rs`). Segment searches are narrowed once per workgroup (`segment_search.rs`). Maps and reductions of any order are
//! vectorised by four (`vectorise.rs`). Scatters into few places are privatised in shared memory (`privatised_scatter.rs`). `crates/nestled-cuda/rts/skeletons.cuh` has the
//! primitives for all that, `rts/cuda/matmul.cuh` tiled matrix multiplication. Maps over grids have interior versions (`interior.rs`). Bytes and halves
//! are packed in buffers; in WGSL maps store four of them at a time (`pack.rs`), and other stores update a part of a word by an atomic operation.
//!
//! # Launches
//!
//! A repeated launch allocates nothing and hashes nothing; its only lock is that of the queue, which devices of other threads share (`device/queue.rs`): buffers are items of a slot map (`slot_map.rs`), and the lists of a launch are
//! recycled (`work.rs`, `pending.rs`); a test counts. Sizes that only the device knows are copied into a launch's parameters there, or loaded by the
//! kernel. Faults are words that are read when the host waits; the launch with the least fault then runs again on the interpreter, which produces the
//! message. Native operations are kernels too (`rts/native`). Sorting (`device/sort.rs`) is a series of launches, which combining scatters by any
//! monoid (`code/sort_scatter.rs`) and partitions into many classes (`code/sort_partition.rs`) use internally; on CUDA it takes one sweep for each eight bits of the
//! keys (`code/single_pass_sort.rs`, `device/single_pass_sort.rs`, `rts/cuda/sort.cuh`).

pub mod code;
pub mod device;
pub mod dialect;
pub mod params;
pub mod plan;
pub mod range;
pub mod repr;
mod text;

pub use code::{Module, generate, generate_native};
pub use device::{Counts, GpuDevice, Machine, Queue, library_programs};
pub use dialect::{Dialect, Language};
