//! Nestled runs data-parallel programs at the speed of hand-written kernels.
//!
//! This crate is its face: [lazy arrays](nestled_array) for Rust.
//!
//! ```
//! use nestled::Array;
//! let x = Array::from_vec(vec![1.0f32, 2.0, 3.0]);
//! assert_eq!((&x * &x).sum().item()?, 14.0);
//! # Ok::<(), nestled::Error>(())
//! ```
#![forbid(unsafe_code)]

pub use nestled_array::*;
