//! What a kernel is told at a launch: a block of words, in an order that generated code and launches agree on.
//!
//! | Part | Words |
//! |---|---|
//! | head | where faults are noted (2), zeros that compilers do not know (2); in CUDA C++ where counters are (2) |
//! | for each shape | kind, where offsets lie (2), how many, exact size (2), bound, mark |
//! | for each parameter | where it lies (2), length; of a view also where starts lie (2), how many. Of a scalar its bits (2), and a mark as seventh |
//! | for each result | where it lies (2), length, nothing |
//! | for each scratch | where it lies (2), length, nothing |
//!
//! In WGSL a place is counted in elements that are no larger than a word: that of bytes is the number of a byte, that of longs the number of a word.
//!
//! A number that only the device knows is copied into the block there, so that no launch waits for a length: the words that have it, and as its mark how many bits of the first
//! one come before it. In CUDA C++ the block is an argument by value: instead of the number there is the place where it lies, and a mark that says so, and every thread
//! begins with fetching it.

use crate::repr::bytes;
use nestled_ir::Kernel;

/// A segmentation whose segments are equally long, or an extent.
pub const KIND_REGULAR: u32 = 0;
/// A segmentation with offsets.
pub const KIND_OFFSETS: u32 = 1;

/// Where the counters of a launch are: words that are zero when it begins.
pub const COUNTERS: u32 = 2;

/// From an extent to its mark.
pub const EXTENT_MARK: u32 = 3;

/// A number that may be known only to the device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Number {
    /// Its first word.
    pub word: u32,
    /// How many bytes it takes.
    pub bytes: u64,
    /// The mark.
    pub mark: u32,
}

impl Number {
    /// That of an extent.
    pub fn extent(word: u32) -> Number {
        Number { word, bytes: 8, mark: word + EXTENT_MARK }
    }
}

/// Where in the block everything lies.
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
    /// Of a kernel that takes no scratch yet.
    pub fn new(kernel: &Kernel) -> Layout {
        Layout {
            shapes: kernel.shapes.len(),
            params: kernel.params.len(),
            results: kernel.ret.len(),
            scratch: 0,
        }
    }

    /// A shape: its kind.
    pub fn shape(&self, at: usize) -> u32 {
        HEAD + WIDE * at as u32
    }

    /// The exact size and bound of a shape.
    pub fn shape_size(&self, at: usize) -> u32 {
        self.shape(at) + 4
    }

    /// A parameter.
    pub fn param(&self, at: usize) -> u32 {
        self.shape(self.shapes) + WIDE * at as u32
    }

    /// The mark of a scalar parameter.
    pub fn mark(&self, at: usize) -> u32 {
        self.param(at) + 6
    }

    /// All numbers that a launch may leave to the device.
    pub fn numbers(&self, kernel: &Kernel) -> Vec<Number> {
        let extents = (0..kernel.shapes.len()).map(|at| Number::extent(self.shape_size(at)));
        let scalars = kernel.params.iter().enumerate().filter_map(|(at, param)| {
            let elem = kernel.values[param.index()].ty.as_scalar()?;
            Some(Number { word: self.param(at), bytes: bytes(elem), mark: self.mark(at) })
        });
        extents.chain(scalars).collect()
    }

    /// Where the starts of a view lie.
    pub fn starts(&self, at: usize) -> u32 {
        self.param(at) + 3
    }

    /// A result.
    pub fn result(&self, at: usize) -> u32 {
        self.param(self.params) + NARROW * at as u32
    }

    /// Scratch.
    pub fn scratch(&self, at: usize) -> u32 {
        self.result(self.results) + NARROW * at as u32
    }

    /// The number of the scratch that has its address at a word.
    pub fn scratch_at(&self, word: u32) -> usize {
        ((word - self.scratch(0)) / NARROW) as usize
    }

    /// Takes one more piece of scratch; answers its number.
    pub fn add_scratch(&mut self) -> usize {
        self.scratch += 1;
        self.scratch - 1
    }

    /// How many words there are.
    pub fn n_words(&self) -> usize {
        self.scratch(self.scratch) as usize
    }
}
