//! Queries of particle physics on nested data: events with lists of muons, electrons and jets become histograms.
//!
//! The di-muon spectrum and the eight [ADL benchmark queries](https://github.com/iris-hep/adl-benchmarks-index), as users write them, in memory and streamed from a Parquet
//! file. The events are made up; they have the shape of the public data CMS Run2012B.
//!
//! # Files
//!
//! `event.rs` makes events and writes files of them, `queries.rs` has the queries and `physics.rs` the formulas that they share; `naive.rs` has loops over events, which judge
//! the queries; `measure.rs` takes times, `system.rs` asks Linux for memory.

pub mod event;
pub mod measure;
pub mod naive;
pub mod physics;
pub mod queries;
pub mod system;
