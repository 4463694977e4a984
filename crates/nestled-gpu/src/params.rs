//! The parameter block of a launch: words in a layout that generated code and launches agree on.
//!
//! | Part | Words |
//! |---|---|
//! | head | address of fault words (2), zeros that compilers do not know (2); in CUDA C++ address of counters (2) |
//! | for each shape | kind, address of offsets (2), their number, exact size (2), bound, mark |
//! | for each parameter | address (2), length; of a view also the address of starts (2), their number. Of a scalar its bits (2), and a mark as seventh |
//! | for each result | address (2), length, nothing |
//! | for each scratch | address (2), length, nothing |
//!
//! In WGSL an address counts elements of at most a word: that of bytes is the number of a byte, that of longs the number of a word.
//!
//! A number that only the device knows is copied into the block there, so that no launch waits for a length: the words that contain it, with a mark
//! that gives the number of bits before it in the first word. In CUDA C++ the block is an argument by value: it has the address of the number
//! instead, with a mark that says so, and every thread begins with loading it.

use crate::repr::bytes;
use nestled_ir::Kernel;

/// The kind of a segmentation with equally long segments, or an extent.
pub const KIND_REGULAR: u32 = 0;
/// The kind of a segmentation with offsets.
pub const KIND_OFFSETS: u32 = 1;

/// The word with the address of the counters of a launch, which are zero when it begins.
pub const COUNTERS: u32 = 2;

/// The distance from the words of an extent to its mark.
pub const EXTENT_MARK: u32 = 3;

/// A number that may be known only to the device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Number {
    /// Its first word.
    pub word: u32,
    /// Size in bytes.
    pub bytes: u64,
    /// The word of its mark.
    pub mark: u32,
}

impl Number {
    /// Returns the number of an extent.
    pub fn extent(word: u32) -> Number {
        Number { word, bytes: 8, mark: word + EXTENT_MARK }
    }
}

/// The layout of the block.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Layout {
    shapes: usize,
    params: usize,
    results: usize,
    scratch: usize,
}

const HEAD: u32 = 4;
const WIDE: u32 = 8;
const NARROW: u32 = 4;

impl Layout {
    /// Returns the layout of a kernel without scratch.
    pub fn new(kernel: &Kernel) -> Layout {
        Layout {
            shapes: kernel.shapes.len(),
            params: kernel.params.len(),
            results: kernel.ret.len(),
            scratch: 0,
        }
    }

    /// Returns the first word of a shape, its kind.
    pub fn shape(&self, at: usize) -> u32 {
        HEAD + WIDE * at as u32
    }

    /// Returns the first word of the exact size and bound of a shape.
    pub fn shape_size(&self, at: usize) -> u32 {
        self.shape(at) + 4
    }

    /// Returns the first word of a parameter.
    pub fn param(&self, at: usize) -> u32 {
        self.shape(self.shapes) + WIDE * at as u32
    }

    /// Returns the mark of a scalar parameter.
    pub fn mark(&self, at: usize) -> u32 {
        self.param(at) + 6
    }

    /// Returns all numbers that a launch may leave to the device.
    pub fn numbers(&self, kernel: &Kernel) -> Vec<Number> {
        let extents = (0..kernel.shapes.len()).map(|at| Number::extent(self.shape_size(at)));
        let scalars = kernel.params.iter().enumerate().filter_map(|(at, param)| {
            let elem = kernel.values[param.index()].ty.as_scalar()?;
            Some(Number { word: self.param(at), bytes: bytes(elem), mark: self.mark(at) })
        });
        extents.chain(scalars).collect()
    }

    /// Returns the word with the address of a view's starts.
    pub fn starts(&self, at: usize) -> u32 {
        self.param(at) + 3
    }

    /// Returns the first word of a result.
    pub fn result(&self, at: usize) -> u32 {
        self.param(self.params) + NARROW * at as u32
    }

    /// Returns the first word of a piece of scratch.
    pub fn scratch(&self, at: usize) -> u32 {
        self.result(self.results) + NARROW * at as u32
    }

    /// Returns the number of the scratch whose address is at a word.
    pub fn scratch_at(&self, word: u32) -> usize {
        ((word - self.scratch(0)) / NARROW) as usize
    }

    /// Adds a piece of scratch and returns its number.
    pub fn add_scratch(&mut self) -> usize {
        self.scratch += 1;
        self.scratch - 1
    }

    /// Returns the number of words.
    pub fn n_words(&self) -> usize {
        self.scratch(self.scratch) as usize
    }
}
