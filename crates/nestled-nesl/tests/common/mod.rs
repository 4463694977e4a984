//! What several tests share.

pub mod expectations;
pub mod random;
