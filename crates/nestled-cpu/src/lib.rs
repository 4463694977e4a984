//! The CPU device: what runs kernels and library operations on the threads of this machine. It is for Unix systems.
//!
//! `unsafe` is denied in this crate; a file that needs it says so in its first lines, and why.
//!
//! # Files
//!
//! `device/` is what the executor sees: buffers that are kept for the next who wants one, launches, native operations; what is not compiled runs through the reference interpreter. `codegen/` writes the
//! plan of a kernel as LLVM text: `nest.rs` and `loops.rs` write loops, `lane.rs` and `thunk/` a thunk at W points, `ops/` each operation. `kernel/` is the other side: a launch as pointers and numbers,
//! nests cut into pieces for threads, partial results joined in a fixed order, streams moved to where they belong, a `serial` run where its arrays will be; `kernel/call.rs` calls compiled code, and says
//! what must hold then.

pub mod codegen;
pub mod device;
pub mod kernel;
