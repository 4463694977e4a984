//! Tests that run programs on every engine and compare what they find.
//!
//! - [`random`]: random numbers that are the same on every machine.
#![forbid(unsafe_code)]

pub mod random;
