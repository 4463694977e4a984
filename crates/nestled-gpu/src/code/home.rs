//! Homes: where the values of combinators are stored, and the functions that load and store them there.

use crate::repr::Repr;

/// The storage class of elements. Narrow elements are packed in buffers, but not in scratch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lies {
    /// In an array of the program.
    InBuffer,
    /// In scratch memory of the launch.
    InScratch,
}

impl Lies {
    /// Returns the suffix of the functions that load and store the representation there.
    pub fn name(self, repr: Repr) -> &'static str {
        match self {
            Lies::InBuffer => repr.name(),
            Lies::InScratch => repr.cell_name(),
        }
    }

    /// `ld_f32(address(12u), at)`
    pub fn load(self, repr: Repr, word: u32, at: &str) -> String {
        format!("ld_{}(address({word}u), {at})", self.name(repr))
    }

    /// `st_f32(address(12u), at, value);`
    pub fn store(self, repr: Repr, word: u32, at: &str, value: &str) -> String {
        format!("st_{}(address({word}u), {at}, {value});", self.name(repr))
    }
}

/// The storage of a value that a combinator binds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Home {
    /// The word of the parameter block with its address.
    pub word: u32,
    /// The level of its points.
    pub level: usize,
    /// The storage class.
    pub lies: Lies,
}
