//! Tests that run programs on every engine and compare what they find.
//!
//! - [`mod@generate`]: random programs.
//! - [`math`]: the bounds of the elementary functions.
#![forbid(unsafe_code)]

pub mod generate;
pub mod math;
