//! The CPU device: what runs kernels and library operations on the threads of this machine. It is for Unix systems.
//!
//! `unsafe` is denied in this crate; a file that needs it says so in its first lines, and why.

pub mod codegen;
pub mod device;
pub mod kernel;
