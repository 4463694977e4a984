//! Baselines in C, compiled and opened at run time.

mod build;
mod library;
mod memory;
mod run;

pub use build::{Built, build};
pub use library::{Function, Library};
pub use memory::Memory;
pub use run::CSide;
