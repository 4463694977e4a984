//! The parts of the CPU device: what runs kernels and library operations on the threads of this machine.
//!
//! `unsafe` is denied in this crate; a file that needs it says so in its first lines, and why.

#![deny(unsafe_op_in_unsafe_fn)]

#[cfg(unix)]
pub mod cache;
pub mod codegen;
pub mod device;
pub mod fork;
pub mod kernel;
#[cfg(unix)]
pub mod llvm;
pub mod matmul;
#[cfg(unix)]
pub mod object;
pub mod pool;
mod raw;
pub mod sort;
