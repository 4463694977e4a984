//! Size limits of random programs.

/// Limits of a random program.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Statements of the main function.
    pub statements: usize,
    /// Combinators of a kernel.
    pub combinators: usize,
    /// Statements of a thunk before its results.
    pub thunk: usize,
    /// The greatest depth of expressions.
    pub depth: usize,
    /// The most points of a space.
    pub points: u64,
    /// Percentage of programs with one long axis.
    pub long: usize,
    /// The greatest [`weight`](super::weight) of a program with kernels; down to half of it with some seeds. One seed in
    /// eight is free.
    pub weight: Option<usize>,
    /// Percentage of places that may fault, in programs that may fault at all.
    pub faults: usize,
}

impl Size {
    /// One kernel or two, of a few statements: compiled in a moment.
    pub const TINY: Size = Size {
        statements: 2,
        combinators: 2,
        thunk: 1,
        depth: 1,
        points: 300,
        long: 2,
        faults: 9,
        weight: Some(9),
    };
    /// Small enough that thousands run in seconds.
    pub const QUICK: Size = Size {
        statements: 7,
        combinators: 4,
        thunk: 3,
        depth: 2,
        points: 600,
        long: 2,
        faults: 6,
        weight: None,
    };
    /// For runs of minutes.
    pub const NORMAL: Size = Size {
        statements: 12,
        combinators: 5,
        thunk: 5,
        depth: 3,
        points: 3_000,
        long: 5,
        faults: 4,
        weight: None,
    };
    /// For runs of hours.
    pub const LARGE: Size = Size {
        statements: 30,
        combinators: 8,
        thunk: 8,
        depth: 4,
        points: 20_000,
        long: 10,
        faults: 2,
        weight: None,
    };

    /// The size with this name.
    pub fn from_name(name: &str) -> Option<Size> {
        match name {
            "tiny" => Some(Size::TINY),
            "quick" => Some(Size::QUICK),
            "normal" => Some(Size::NORMAL),
            "large" => Some(Size::LARGE),
            _ => None,
        }
    }
}
