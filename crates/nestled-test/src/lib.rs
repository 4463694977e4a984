//! Test support: runs programs on every engine and compares their outcomes.
//!
//! - [`again`]: tests once more, on another device.
//! - [`mod@generate`]: random programs.
//! - [`corpus`]: data files with programs and what they should do.
//! - [`coverage`]: counts of the constructs in random programs.
//! - [`check`]: one program, on every engine.
//! - [`emitted`]: digests of the code that back ends write.
//! - [`cpu`]: the configurations of the CPU device.
//! - [`gpu`]: GPUs, where there are any.
//! - [`json`]: a JSON parser.
//! - [`mod@reduce`]: a program that fails, made small.
//! - [`math`]: the bounds of the elementary functions.
//! - [`many`]: faults that only many points show.
//! - [`nesl`]: random programs in NESL.
//! - [`required`]: the switch that makes devices mandatory.
//! - [`seeded`]: bugs that the tests should find.
//! - [`stand_in`]: CUDA without a card.
#![forbid(unsafe_code)]

pub mod again;
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
