//! Benchmarks of Nestled against hand-written C.
//!
//! A [`Bench`] is a λcu program of `benches/`, an input, a plain reference, and the name of the C that does the same. [`check`] compares
//! results with the reference; [`measure`] runs both sides in turns in one process and quotes the median of the ratios, beside the
//! [`limits`] of the machine measured in the same turns; [`sweep`] shows how time grows.
//!
//! `unsafe` is denied but for the files that call C and hold its memory.

pub mod bench;
pub mod by_hand;
pub mod c;
pub mod catalog;
pub mod check;
pub mod command;
pub mod compare;
pub mod device;
pub(crate) mod examples;
pub mod json;
pub mod limits;
pub mod loops;
pub(crate) mod losers;
pub mod measure;
pub mod model;
pub mod nesl;
pub mod options;
pub mod ours;
pub mod pipelines;
pub mod plans;
pub mod random;
pub mod report;
pub(crate) mod session;
pub mod sweep;
pub mod timing;

pub use bench::Bench;
