//! Passes: pure functions from λcu programs to λcu programs.
//!
//! A [`Pass`] borrows a program and returns a new one; the [`runner`] times it, renumbers its result, verifies it, and turns a
//! failure into a [bug report](PassBug). [`pipeline`] lists every pass, and the order in which they run by default.
//!
//! No pass changes what a program means: results keep their bits, faults their site, commands their order. Two exceptions may change last bits, unless math is strict: [`contract`]
//! rounds once where the program rounded twice, and [`filter-reduce`](fuse::FILTER_REDUCE) groups what a filter keeps by positions among all that the filter sees.
#![forbid(unsafe_code)]

pub mod contract;
pub mod expand_math;
mod facts;
pub mod filter_count;
pub mod fuse;
pub mod hoist;
pub mod inline_calls;
pub mod limits;
mod loop_termination;
pub mod narrow_keys;
pub mod pass;
pub mod peak;
pub mod pipeline;
mod ranges;
pub mod reads;
pub mod rematerialise;
pub mod report_names;
pub mod runner;
pub mod simplify;
pub mod sort_keys;
pub mod split;
pub mod time;
mod use_counts;

pub use limits::Limits;
pub use pass::{Pass, PassContext, PassOptions, RunsChanged, Timing};
pub use pipeline::{DEFAULT, PASSES, find};
pub use runner::{PassBug, run};
