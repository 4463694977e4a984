//! Lowering of named values to λcu.
//!
//! Each function becomes host code, in one copy for each combination of operand types, vectors known to have one element, and extents known to be equal. Each
//! instruction on vectors becomes a small kernel; fusion is left to the passes. Shapes are therefore what matters most here:
//!
//! - A vector known to have one element is a λcu scalar, and operations on it are host code.
//! - A descriptor known to have one segment is an extent, and vectors under it are flat.
//! - Any other descriptor is a segmentation `s`, and results under it are `[s]`. Elementwise instructions whose results a segmented instruction uses are done
//!   over `[s]` as well (`promote`).
//! - Extents known to be equal are one symbol (`facts`); where they must be equal, `same` makes them one.

mod call;
mod control;
mod equal_extents;
mod extreme;
mod finish;
mod fold;
mod frame;
mod io;
mod join;
mod joiner;
mod kernel;
mod operands;
mod permute;
mod point;
mod promote;
mod random;
mod segments;
mod shape;
mod slot;
mod vector;

use crate::stack::ir;
use crate::syntax::instr::Elem;
use crate::syntax::listing::Listing;
use call::{Instances, Key};
use frame::Frame;
use nestled_ir::build::ProgramBuilder;
use nestled_ir::{Axis, Diagnostic, Program, ScalarType, SourceMap};
use slot::{Descr, Slot};
use std::rc::Rc;

pub use io::{EXIT, protocol};
pub use point::BY_ZERO;

/// Number types, checks, and the treatment of unequal lengths.
#[derive(Clone, Debug)]
pub struct Options {
    /// The λcu type of `INT`: `i32` or `i64`.
    pub int: ScalarType,
    /// The λcu type of `FLOAT`: `f64` or `f32`.
    pub float: ScalarType,
    /// Whether wrong indices and divisions by zero are faults. If not, reads out of range take the nearest element, writes out of range are dropped, and a
    /// division by zero gives 0.
    pub checks: bool,
    /// The treatment of vectors that should have equal lengths and do not.
    pub unequal: Unequal,
}

/// The treatment of vectors that should have equal lengths and do not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unequal {
    /// A fault.
    Fault,
    /// A longer operand is cut to the length of the other, as by the original. An operand that is too short is a fault, and so is one that does not fit its
    /// segments.
    Cut,
    /// A vector is cut, or extended by its last element.
    Fit,
}

/// The options of the original's serial library, with all checks.
impl Default for Options {
    fn default() -> Options {
        Options { int: ScalarType::I32, float: ScalarType::F64, checks: true, unequal: Unequal::Fault }
    }
}

/// The type of a slot of the final stack, and the results of the λcu function `main` that hold it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Output {
    /// A vector: one result.
    Vector {
        /// The type of its elements.
        elem: Elem,
        /// The number of the result.
        at: usize,
    },
    /// A descriptor: one result, which is a segmentation, or the length of its only segment.
    Segdes {
        /// The number of the result.
        at: usize,
    },
    /// A descriptor of one segment, whose length is known.
    Known(u64),
    /// A pair of slots.
    Pair(Box<Output>, Box<Output>),
}

impl Output {
    /// Returns the original's name of its type.
    pub fn type_name(&self) -> &'static str {
        match self {
            Output::Vector { elem: Elem::Int, .. } => "Int",
            Output::Vector { elem: Elem::Bool, .. } => "Bool",
            Output::Vector { elem: Elem::Float, .. } => "Float",
            Output::Segdes { .. } | Output::Known(_) => "Segdes",
            Output::Pair(..) => "Pair",
        }
    }
}

/// The result of lowering. The message is boxed because it is rare.
type Lower<T> = Result<T, Box<Diagnostic>>;

/// Lowers a program to λcu; returns it with the meaning of its results.
pub fn lower(
    source: &ir::Program,
    listing: &Listing,
    options: &Options,
    sources: SourceMap,
) -> Result<(Program, Vec<Output>), Vec<Diagnostic>> {
    let mut lowering = Lowering {
        source,
        listing,
        options,
        out: ProgramBuilder::new(sources),
        instances: Instances::default(),
        frame: Frame::default(),
        work: 0,
        depth: 0,
    };
    match lowering.entry() {
        Ok(outputs) => Ok((finish::finish(lowering.out.into_program()), outputs)),
        Err(diagnostic) => Err(vec![*diagnostic]),
    }
}

/// The state of lowering.
struct Lowering<'a> {
    source: &'a ir::Program,
    listing: &'a Listing,
    options: &'a Options,
    out: ProgramBuilder,
    instances: Instances,
    /// The function that is being written.
    frame: Frame,
    /// Number of statements written, discarded ones included.
    work: usize,
    /// Nesting depth of functions and blocks that are being written.
    depth: usize,
}

impl Lowering<'_> {
    fn entry(&mut self) -> Lower<Vec<Output>> {
        let span = self.source.functions[self.source.entry].span;
        let key = Key { function: self.source.entry, ..Key::default() };
        let (_, sig) = self.instance(key, span)?;
        let Some(sig) = sig else { return Ok(Vec::new()) };
        // Results are extents, then segmentations, then vectors.
        let mut next = sig.dims + sig.segs.len();
        Ok(sig.slots.iter().map(|slot| slot.output(&sig, &mut next)).collect())
    }
}

/// Makes a pair of two slots, unless it has too many leaves.
fn pair(left: &Slot, right: &Slot) -> Option<Slot> {
    const MAX_LEAVES: usize = 64;
    let pair = Slot::Pair(Rc::new((left.clone(), right.clone())));
    (left.leaves() + right.leaves() <= MAX_LEAVES).then_some(pair)
}

/// Returns the extent of a descriptor known to have one segment.
fn single(descr: Descr) -> Option<Axis> {
    match descr {
        Descr::Single(axis) => Some(axis),
        Descr::Many { .. } => None,
    }
}
