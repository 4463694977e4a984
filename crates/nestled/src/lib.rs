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
//!
//! [`nested`] has data of any schema: lists, records, missing values and strings ([guide](ragged_guide), [queries on it](queries_guide)).
//!
//! The [guide] begins with loops and with NumPy, and goes on to rows of different lengths, GPUs, programs as values and functions in NESL.
//!
//! # Features
//!
//! | Feature | On by default | What it brings |
//! |---|---|---|
//! | `cuda` | yes | Cards of NVIDIA's, by CUDA; driver and NVRTC are found at run time. |
//! | `wgpu` | yes | GPUs through WebGPU: Vulkan, Metal, DirectX 12. The crate `wgpu` takes long to build. |
//! | `ndarray` | no | `Array::from_ndarray` and `to_ndarray`. |
//! | `arrow` | no | `tables`: Apache Arrow, Parquet, Feather, CSV, JSON lines. |
//! | `image` | no | `Array::from_image` and `to_image`. |
#![forbid(unsafe_code)]

pub use nestled_array::*;
#[doc(hidden)]
pub use nestled_nested::derived;
pub use nestled_nested::{Datatype, Record};

/// Apache Arrow, and files of tables: Parquet, Feather, CSV, JSON lines.
#[cfg(feature = "arrow")]
pub mod tables {
    pub use nestled_arrow::*;
}

/// Nested data of any schema.
pub mod nested {
    pub use nestled_nested::*;
}

pub mod ragged_guide {
    #![doc = include_str!("../../../docs/ragged.md")]
}

pub mod queries_guide {
    #![doc = include_str!("../../../docs/queries.md")]
}

pub mod guide {
    #![doc = include_str!("../../../docs/arrays.md")]
}
