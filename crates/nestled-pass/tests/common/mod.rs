//! What several tests share.

pub mod chain;
