//! From kernels to LLVM text: W points at a time, with a mask.
//!
//! `text.rs` holds the text of a function while it is written, `value.rs` what is known of a value at W points, `emit.rs` the tools.
//! `point.rs` says what a thunk can read, `lane.rs` what runs one; `ops` has the operations, `monoid.rs` what combines values. Variables that change are `alloca`s at the entry, which LLVM's `mem2reg` turns
//! into registers.

pub mod emit;
pub mod fault;
pub mod lane;
pub mod monoid;
mod ops;
pub mod point;
pub mod target;
pub mod text;
pub mod value;
