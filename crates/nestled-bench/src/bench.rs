//! Benchmarks: a λcu program, its sizes, a plain reference and the C that does the same.

use nestled_ir::ScalarType;
use nestled_ir::value::{AxisValue, Buffer, Value};
use std::sync::Arc;

/// One benchmark.
#[derive(Clone, Copy, Debug)]
pub struct Bench {
    /// Its name on the command line, that of its program in `benches/`, and, with `_`, of its C.
    pub name: &'static str,
    /// The computation, in a line.
    pub title: &'static str,
    /// The λcu text; its `main` is run.
    pub program: &'static str,
    /// The unit of the size, and the sizes for tiny, small, large.
    pub sizes: Sizes,
    /// The tolerance of results against the reference.
    pub tolerance: Tolerance,
    /// Makes inputs and reference.
    pub case: fn(usize) -> Case,
}

impl Bench {
    /// The name with `_` for `-`, as files and functions in C have it.
    pub fn file(&self) -> String {
        self.name.replace('-', "_")
    }
}

/// The size class of inputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Size {
    /// Checked within a second by an interpreter.
    Tiny,
    /// In the caches, mostly.
    Small,
    /// In memory, mostly.
    Large,
}

/// The sizes of a benchmark.
#[derive(Clone, Copy, Debug)]
pub enum Sizes {
    /// Elements of a vector. The memory that is needed grows with it, so that it can be swept.
    Elements([usize; 3]),
    /// The side of a square.
    Side([usize; 3]),
}

impl Sizes {
    /// The number for a size class.
    pub fn of(self, size: Size) -> usize {
        let (Sizes::Elements(sizes) | Sizes::Side(sizes)) = self;
        sizes[size as usize]
    }

    /// Formats a size.
    pub fn show(self, n: usize) -> String {
        match self {
            Sizes::Elements(_) if n >= 1_000_000 && n.is_multiple_of(1_000_000) => {
                format!("{} M", n / 1_000_000)
            }
            Sizes::Elements(_) if n >= 1000 && n.is_multiple_of(1000) => format!("{} k", n / 1000),
            Sizes::Elements(_) => n.to_string(),
            Sizes::Side(_) => format!("{n}²"),
        }
    }
}

/// The tolerance of results against the reference.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Tolerance {
    /// To the last bit.
    Exact,
    /// The greatest difference, as a part of the greatest absolute value in the reference.
    OfGreatest(f64),
    /// The part of elements that may differ.
    Mismatches(f64),
}

/// A benchmark of one size: inputs, reference and the work there is.
#[derive(Debug)]
pub struct Case {
    /// The shape arguments of `main`, if they cannot be read off the arguments.
    pub shapes: Option<Vec<AxisValue>>,
    /// The arguments of `main`.
    pub args: Vec<Value>,
    /// The arguments of the C function.
    pub c: CArguments,
    /// The results of `main`, an extent or number as a buffer of one element.
    pub reference: Vec<Buffer>,
    /// The least work that any implementation has to do.
    pub work: Work,
}

/// The arguments of the C function.
#[derive(Debug)]
pub struct CArguments {
    /// Arrays to read.
    pub inputs: Vec<Arc<Buffer>>,
    /// Arrays to write, with room for so many elements: first those of the reference, then whatever C needs for itself.
    pub outputs: Vec<(ScalarType, usize)>,
    /// Numbers.
    pub sizes: Vec<usize>,
}

/// The least work that any implementation has to do, in bytes and in floating-point operations.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// Bytes of inputs that have to be read and of results that have to be written.
    pub bytes: u64,
    /// Floating-point operations; a fused multiply-add is two.
    pub flops: u64,
    /// The resource that bounds the benchmark.
    pub bound: Bound,
}

/// The resource that bounds a benchmark, if it is done well.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Bound {
    /// Reading memory.
    Read,
    /// Reading and writing equal amounts.
    Copy,
    /// Reading twice as much as is written.
    Triad,
    /// Floating-point operations.
    Compute,
}
