//! Accuracy of the elementary functions: promised bounds, and measured errors.
//!
//! - [`bounds`]: the promised error of each function, read from the text that defines it.
//! - [`ulp`]: errors in units in the last place.
//! - [`exact`]: values of the functions of `f32`, precise enough to judge them.
//! - [`mod@reference`]: values of all functions from `tests/math/`, precise enough to judge those of `f64`.
//! - [`to_rust`]: thunks as Rust functions, so that all 2³² arguments of a function can be tried in minutes.
//!
//! `docs/math.md` has the table of bounds and errors.

pub mod bounds;
pub mod exact;
pub mod exhaustive;
pub mod reference;
pub mod to_rust;
pub mod ulp;
