//! CUDA: kernels in CUDA C++, compiled at run time.
//!
//! `find.rs` says where libraries may lie, `nvrtc.rs` is the compiler, `dialect.rs` what modules are written for. Nothing of CUDA is needed to build this, and where it is absent at
//! run time, [`Nvrtc::open`] says what was looked for.

mod dialect;
mod find;
mod nvrtc;

pub use dialect::dialect;
pub use nvrtc::{Architecture, Compiled, Effort, Nvrtc, NvrtcError, Usage};
