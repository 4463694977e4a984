//! Interoperation with other crates, each behind a feature of its name.

#[cfg(feature = "image")]
mod image;
#[cfg(feature = "ndarray")]
mod ndarray;
