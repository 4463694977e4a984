//! Tests that run programs on every engine and compare what they find.
//!
//! - [`mod@generate`]: random programs.
#![forbid(unsafe_code)]

pub mod generate;
