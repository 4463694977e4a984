//! Fusion: which runs of kernels become one kernel.
//!
//! The runs of a region are a [`problem`] of numbers only: what arrays weigh, who makes and who reads them, who depends on
//! whom. A [solver](solve) answers with a [`plan`], which [`check`] examines independently.

mod bits;
pub mod check;
pub mod plan;
pub mod problem;
pub mod solve;
