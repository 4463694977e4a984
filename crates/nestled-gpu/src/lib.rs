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
