//! The GPU code generator: lowers a kernel to a module of entry points, and says when each is dispatched.

mod combine;
mod element;
mod entry;
mod filter;
mod generate;
mod home;
mod interior;
mod library;
mod look_back;
mod module;
mod ordered_scan;
mod pack;
mod partition;
mod permute;
mod places;
mod point;
mod privatised_scatter;
mod product;
mod read;
mod reduce;
mod reduce_across;
mod rows;
mod scan;
mod scatter;
mod segment_search;
mod single_pass_ordered_scan;
mod single_pass_scan;
mod single_pass_sort;
mod sizes;
mod sort_partition;
mod sort_scatter;
mod thunk;
mod thunk_control;
mod thunk_ops;
mod tile;
mod vectorise;
mod writer;

pub use generate::{generate, generate_for};
pub use library::used as library_of;
pub use module::{Entry, Module, Scratch, Sorting};
pub use product::generate_native;
pub use single_pass_sort::{Moving, SWEEP_DIGIT, SWEEP_TABLE, Sweep, SweepWords};
pub use sizes::{Grid, Size, When};

use std::fmt;

/// The reason why no code can be generated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsupported {
    /// The unsupported construct.
    pub what: String,
}

impl Unsupported {
    /// Creates the error.
    pub fn new(what: impl Into<String>) -> Unsupported {
        Unsupported { what: what.into() }
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no code can be made for {}", self.what)
    }
}

impl std::error::Error for Unsupported {}
