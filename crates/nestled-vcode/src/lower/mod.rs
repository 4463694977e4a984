//! From named values to λcu.
//!
//! Each function becomes host code, written once for each way in which it is called: with which types, which vectors known to have one
//! element, and which extents known to be equal. Each instruction that touches a vector becomes a small kernel of its own; joining them is
//! the work of passes. So shapes matter most here:
//!
//! - A vector known to have one element is a λcu scalar, and what is done with it is host code.
//! - A descriptor known to have one segment is an extent, and vectors under it are flat.
//! - Any other descriptor is a segmentation `s`, and what an instruction makes under it is `[s]`. Elementwise instructions on the way to a
//!   segmented one are done over `[s]` as well (`promote`).
//! - Extents are one symbol where they are known to be equal (`facts`), and are made one by `same` where they must be.

mod call;
mod control;
mod extreme;
mod facts;
mod finish;
mod fold;
mod frame;
mod io;
mod join;
mod joiner;
mod kernel;
mod moves;
mod operands;
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

/// How numbers are represented, and what is checked.
#[derive(Clone, Debug)]
pub struct Options {
    /// What `INT` is: `i32` or `i64`.
    pub int: ScalarType,
    /// What `FLOAT` is: `f64` or `f32`.
    pub float: ScalarType,
    /// Whether wrong indices and divisions by zero are faults. Where they are not, reads take the nearest element, writes to nowhere are
    /// dropped, and a division by zero gives 0.
    pub checks: bool,
    /// What happens where vectors should have as many elements and do not.
    pub unequal: Unequal,
}

/// What happens where vectors should have as many elements and do not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unequal {
    /// A fault.
    Fault,
    /// An operand that is longer than the one it meets is cut, as by the original; one that is too short is a fault, and so is one that does not fit
    /// its segments.
    Cut,
    /// A vector is cut, or goes on with its last element.
    Fit,
}

/// Those of the original's serial library, with all checks.
impl Default for Options {
    fn default() -> Options {
        Options { int: ScalarType::I32, float: ScalarType::F64, checks: true, unequal: Unequal::Fault }
    }
}

/// What a slot of the final stack is, and which results of the λcu function `main` hold it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Output {
    /// A vector: one result.
    Vector {
        /// The type of its elements.
        elem: Elem,
        /// Which result.
        at: usize,
    },
    /// A descriptor: one result, which is a segmentation, or the length of its only segment.
    Segdes {
        /// Which result.
        at: usize,
    },
    /// A descriptor of one segment, whose length is known.
    Known(u64),
    /// Two slots in one.
    Pair(Box<Output>, Box<Output>),
}

impl Output {
    /// What the original calls its type.
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

/// A message is boxed: it is seldom.
type Lower<T> = Result<T, Box<Diagnostic>>;

/// The program as λcu, and what its results are.
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
    /// How many statements have been written, also in vain.
    work: usize,
    /// How many functions and blocks lie inside one another while they are written.
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

/// Two slots in one, unless they are too many.
fn pair(left: &Slot, right: &Slot) -> Option<Slot> {
    const MAX_LEAVES: usize = 64;
    let pair = Slot::Pair(Rc::new((left.clone(), right.clone())));
    (left.leaves() + right.leaves() <= MAX_LEAVES).then_some(pair)
}

/// The extent of what a descriptor describes is known without looking.
fn single(descr: Descr) -> Option<Axis> {
    match descr {
        Descr::Single(axis) => Some(axis),
        Descr::Many { .. } => None,
    }
}
