//! Fusion: which runs of kernels become one kernel.
//!
//! The runs of a region are a [`problem`] of numbers only: what arrays weigh, who makes and who reads them, who depends on
//! whom. A [solver](solve) answers with a [`plan`], which [`check`] examines independently.

mod access;
mod bits;
pub mod cache;
pub mod check;
pub(crate) mod cost;
pub mod declined;
mod graph;
mod instance;
mod lost;
mod merge;
mod moved;
mod outline;
mod pass;
pub mod plan;
pub mod problem;
mod reason;
mod region;
pub mod report;
mod rules;
mod schedule;
pub mod solve;
mod symbols;
pub mod traffic;
mod uses;

pub use pass::PASS;
pub use reason::Reason;
