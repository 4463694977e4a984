//! Benchmarks of users' programs: measurements of statements, their statistics, tables, files and charts.

pub mod chart;
pub mod file;
pub mod measurement;
pub mod table;

pub use measurement::{Measurement, measure};
