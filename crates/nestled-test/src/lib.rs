//! Tests that run programs on every engine and compare what they find.
//!
//! - [`mod@generate`]: random programs.
//! - [`corpus`]: data files with programs and what they should do.
//! - [`coverage`]: what they contain.
//! - [`check`]: one of them, on every engine.
//! - [`emitted`]: what back ends write, as digests.
//! - [`cpu`]: the ways of the CPU device.
//! - [`gpu`]: GPUs, where there are any.
//! - [`json`]: JSON, read.
//! - [`mod@reduce`]: a program that fails, made small.
//! - [`math`]: the bounds of the elementary functions.
//! - [`many`]: what only many points show.
//! - [`nesl`]: random programs in NESL.
//! - [`required`]: whether devices have to be there.
//! - [`seeded`]: bugs that the tests should find.
//! - [`stand_in`]: CUDA without a card.
#![forbid(unsafe_code)]

pub mod check;
pub mod corpus;
pub mod coverage;
pub mod cpu;
pub mod emitted;
pub mod generate;
pub mod gpu;
pub mod json;
pub mod many;
pub mod math;
pub mod nesl;
pub mod reduce;
pub mod required;
pub mod seeded;
pub mod stand_in;
