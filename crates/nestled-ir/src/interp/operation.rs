//! Evaluation of one scalar operation: plain ones by their rule, elementary functions by their text.

use super::capture::{Captures, Point};
use super::math::math_thunk;
use super::meter::{Limits, Meter};
use super::ops;
use super::thunk::{Lane, Memory};
use crate::op::Op;
use crate::scalar::Scalar;

/// Computes a scalar operation.
///
/// # Panics
/// If the operation does not take operands of these types.
pub fn eval_op(op: Op, args: &[Scalar]) -> Scalar {
    ops::plain(op, args).unwrap_or_else(|| elementary(op, args))
}

/// Computes an elementary function by its text.
fn elementary(op: Op, args: &[Scalar]) -> Scalar {
    let (program, thunk) = math_thunk(op, args[0].ty());
    let mut meter = Meter::new(&Limits::default());
    let mut lane = Lane {
        captures: &Captures::none(),
        point: &Point::whole(),
        memory: &mut Memory::default(),
        meter: &mut meter,
    };
    let mut results = Vec::new();
    let outcome = lane.run(program, thunk, args, &mut results);
    outcome.unwrap_or_else(|stop| panic!("`{op}` stops: {stop:?}"));
    results[0]
}
