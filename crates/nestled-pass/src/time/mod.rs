//! Time model: predicts the time of a launch from the kernel, the sizes of its data, and rates measured on a device.
//!
//! ```text
//! kernel + sizes ── features.rs ──> Features: work by class, bytes in order, random accesses by the size of their array
//! Features + Rates ── predict ──> nanoseconds
//! ```
//!
//! The prediction depends on nothing else, so that plans made with the same rates are the same.

pub mod features;
pub mod index_form;
pub mod rates;

pub use features::{Features, Work};
pub use rates::Rates;
