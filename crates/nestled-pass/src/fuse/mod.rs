//! Kernel fusion: partitions the runs of each region into clusters, and merges each cluster into one kernel.
//!
//! The runs of a region become a [`problem`] of numbers only: bytes of arrays, their producers and readers, dependences between runs. A [solver](solve) returns a [`plan`], which
//! [`check`] examines independently.

mod access;
mod bits;
pub mod cache;
pub mod check;
pub(crate) mod cost;
pub mod declined;
mod graph;
mod instance;
mod kept_sums;
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
mod work;

pub use pass::{FILTER_REDUCE, PASS};
pub use reason::Reason;
