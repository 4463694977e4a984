//! Applies monoids: combines two tuples of values component by component.

use super::capture::{Captures, Point};
use super::error::Error;
use super::meter::Meter;
use super::ops;
use super::thunk::{Lane, Memory, Stop};
use crate::monoid::{Monoid, MonoidOp, MonoidPart};
use crate::op::Op;
use crate::program::Program;
use crate::scalar::{Scalar, ScalarType};
use crate::span::Span;
use std::cmp::Ordering;

/// One component of a monoid for values of given types.
#[derive(Clone, Debug)]
pub(super) struct Part {
    kind: MonoidPart,
    /// The position of its first value among those of the tuple.
    pub first: usize,
    /// Its neutral value, with one scalar for each value of the component.
    pub unit: Vec<Scalar>,
    /// True if operands may be exchanged.
    pub commutative: bool,
    /// True if any grouping gives the same bits.
    pub exact: bool,
}

impl Part {
    /// The components of a monoid.
    pub fn all(program: &Program, monoid: &Monoid, types: &[ScalarType]) -> Vec<Part> {
        let mut first = 0;
        let mut parts = Vec::new();
        for &kind in &monoid.parts {
            let types = &types[first..first + kind.width(&program.monoids)];
            let unit = kind.unit(types, &program.monoids);
            parts.push(Part {
                kind,
                first,
                unit: unit.unwrap_or_else(|| unreachable!("the verifier checks the types of monoids")),
                commutative: kind.is_commutative(&program.monoids),
                exact: kind.is_exact(types, &program.monoids),
            });
            first += types.len();
        }
        parts
    }

    /// Its built-in operation, if it has one.
    pub fn op(&self) -> Option<MonoidOp> {
        match self.kind {
            MonoidPart::Op(op) => Some(op),
            MonoidPart::ArgMin | MonoidPart::ArgMax | MonoidPart::User(_) => None,
        }
    }

    /// Its built-in operation, if it has one, and the position of its values among those of all components.
    pub fn built_in(&self) -> Option<(MonoidOp, usize)> {
        Some((self.op()?, self.first))
    }

    /// True if a scan combines it in vectors: the order shows in the result, and a built-in operation has a neutral value for lanes without a point.
    pub fn in_vectors(&self) -> bool {
        !self.exact && matches!(self.kind, MonoidPart::Op(_))
    }

    /// Number of values the component takes.
    pub fn width(&self) -> usize {
        self.unit.len()
    }
}

/// Evaluates monoids; holds the scratch memory for user-defined combine thunks.
pub(super) struct Combiner<'a> {
    program: &'a Program,
    captures: Captures<'static>,
    point: Point,
    memory: Memory,
    operands: Vec<Scalar>,
    results: Vec<Scalar>,
}

impl<'a> Combiner<'a> {
    /// An evaluator for the monoids of a program.
    pub fn new(program: &'a Program) -> Combiner<'a> {
        Combiner {
            program,
            captures: Captures::none(),
            point: Point::whole(),
            memory: Memory::default(),
            operands: Vec::new(),
            results: Vec::new(),
        }
    }

    /// Puts `left ∘ right` where `left` is.
    pub fn fold(
        &mut self,
        part: &Part,
        left: &mut [Scalar],
        right: &[Scalar],
        meter: &mut Meter,
    ) -> Result<(), Error> {
        meter.step(1)?;
        match part.kind {
            MonoidPart::Op(op) => left[0] = apply(op, left[0], right[0]),
            MonoidPart::ArgMin if is_better(right, left, Ordering::Less) => left.copy_from_slice(right),
            MonoidPart::ArgMax if is_better(right, left, Ordering::Greater) => left.copy_from_slice(right),
            MonoidPart::ArgMin | MonoidPart::ArgMax => {}
            MonoidPart::User(id) => {
                let thunk = self.program.monoid(id).combine;
                self.run(thunk, left, right, meter)?;
                left.copy_from_slice(&self.results);
            }
        }
        Ok(())
    }

    /// Puts `left ∘ right` where `right` is.
    pub fn fold_right(
        &mut self,
        part: &Part,
        left: &[Scalar],
        right: &mut [Scalar],
        meter: &mut Meter,
    ) -> Result<(), Error> {
        match part.kind {
            MonoidPart::Op(op) => {
                meter.step(1)?;
                right[0] = apply(op, left[0], right[0]);
                Ok(())
            }
            // These two are commutative to the last bit.
            MonoidPart::ArgMin | MonoidPart::ArgMax => self.fold(part, right, left, meter),
            MonoidPart::User(id) => {
                let thunk = self.program.monoid(id).combine;
                self.run(thunk, left, right, meter)?;
                right.copy_from_slice(&self.results);
                Ok(())
            }
        }
    }

    fn run(
        &mut self,
        thunk: crate::id::ThunkId,
        left: &[Scalar],
        right: &[Scalar],
        meter: &mut Meter,
    ) -> Result<(), Error> {
        self.operands.clear();
        self.operands.extend_from_slice(left);
        self.operands.extend_from_slice(right);
        self.results.clear();
        let def = self.program.thunk(thunk);
        let (captures, point, memory) = (&self.captures, &self.point, &mut self.memory);
        let mut lane = Lane { captures, point, memory, meter };
        let outcome = lane.run(self.program, &def.thunk, &self.operands, &mut self.results);
        outcome.map_err(|stop| match *stop {
            Stop::Error(error) | Stop::Broken(error) => error,
            Stop::Fault(_, kind) => {
                let message =
                    format!("`{}` combines values of a monoid and must not fault: {kind}", def.name);
                Error::Bug { message, span: Span::NONE }
            }
        })
    }
}

fn apply(op: MonoidOp, left: Scalar, right: Scalar) -> Scalar {
    // The operation of a monoid is never elementary.
    ops::plain(op.op(), &[left, right]).unwrap_or(left)
}

/// True if a (key, index) pair replaces the other in an argmin or argmax; `wanted` is the ordering of a better key to a worse one. Equal
/// keys are decided by the lower index. A NaN key is better than any number, and equal to any other NaN.
fn is_better(pair: &[Scalar], other: &[Scalar], wanted: Ordering) -> bool {
    let order = match (pair[0].is_nan(), other[0].is_nan()) {
        (true, true) => Ordering::Equal,
        (true, false) => wanted,
        (false, true) => wanted.reverse(),
        (false, false) => compare_keys(pair[0], other[0]),
    };
    order == wanted || (order == Ordering::Equal && pair[1].as_integer() < other[1].as_integer())
}

/// Compares numbers that are not NaN; −0.0 is less than +0.0.
fn compare_keys(a: Scalar, b: Scalar) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    // The minimum is one of its operands to the last bit, and knows about zeros.
    let least = ops::plain(Op::Min, &[a, b]);
    if least == Some(a) { Ordering::Less } else { Ordering::Greater }
}
