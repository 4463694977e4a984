//! Strategy of scatters: how points that meet at a place are combined, or which of them wins.

use super::view::View;
use crate::repr::Repr;
use nestled_ir::{Collision, Combinator, Monoid, MonoidOp, MonoidPart, ScalarType, Shape};
use nestled_rt::device::Math;

/// Atomic functions that shared memory has a counterpart of (`code/privatised_scatter.rs`).
pub(crate) const SHARED: [&str; 9] =
    ["add_u32", "or_u32", "xor_u32", "and_u32", "max_u32", "min_u32", "max_i32", "min_i32", "add_f32"];

/// How a scatter runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scatter {
    /// Each point is written to its place: no two meet, or nobody needs the results.
    Direct,
    /// Atomic minima note the point that wins each place, then those points are written.
    Claims,
    /// Each point is combined with its place by an atomic.
    Atomics,
    /// Each workgroup combines its points in shared memory first, and then that with the destination, if places are few.
    Privatised,
    /// Points are sorted by their places, and runs of them are folded (`code/sort_scatter.rs`).
    Sort(LongRuns),
}

/// The way in which long runs of points of one place are folded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LongRuns {
    /// Cut into pieces, by many threads.
    Cut,
    /// From left to right, by a workgroup.
    Workgroup,
    /// From left to right, by one thread, like short ones.
    Thread,
}

impl View<'_> {
    pub fn scatter(&self, step: &Combinator, dest: &Shape, collision: &Collision) -> Scatter {
        let is_used = step.binds.iter().any(|&bind| self.is_result(bind));
        match collision {
            Collision::Proved => Scatter::Direct,
            Collision::First | Collision::Last if !is_used => Scatter::Direct,
            Collision::First | Collision::Last | Collision::Fault(_) => Scatter::Claims,
            Collision::Combine(monoid) => {
                let types = self.result_types(step);
                self.combining(step, monoid, &types[dest_rank(self, dest)..], is_used)
            }
        }
    }

    fn combining(&self, step: &Combinator, monoid: &Monoid, types: &[ScalarType], is_used: bool) -> Scatter {
        let long = match (self.may_join_in_any_order(monoid, types), self.has_warps()) {
            (true, _) => LongRuns::Cut,
            (false, true) => LongRuns::Workgroup,
            (false, false) => LongRuns::Thread,
        };
        let once = |bind| self.kernel.ret.iter().filter(|&&value| value == bind).count() == 1;
        match atomics(monoid, types, self.dialect.math).as_deref() {
            _ if !is_used => Scatter::Direct,
            None => Scatter::Sort(long),
            Some([one]) if self.has_warps() && once(step.binds[0]) && SHARED.contains(&one.name) => {
                Scatter::Privatised
            }
            Some(_) => Scatter::Atomics,
        }
    }
}

/// Number of leading values of a point that are indices of the destination.
fn dest_rank(view: &View<'_>, dest: &Shape) -> usize {
    super::step::steps_of(view.kernel, &dest.axes).len()
}

/// An atomic function that combines a value with the value of a place.
#[derive(Clone, Copy)]
pub(crate) struct Atomic {
    /// Its name, such as `add_u32`.
    pub name: &'static str,
    /// Whether it takes other values of 32 bits as unsigned numbers.
    pub cast: bool,
}

/// Returns the atomics of all components, if each has one: for operations that do not depend on the order, or where any order is accepted.
pub(crate) fn atomics(monoid: &Monoid, types: &[ScalarType], math: Math) -> Option<Vec<Atomic>> {
    let one = |(part, &ty): (&MonoidPart, _)| match part {
        MonoidPart::Op(op) => atomic(*op, Repr::of(ty), math),
        MonoidPart::ArgMin | MonoidPart::ArgMax | MonoidPart::User(_) => None,
    };
    (monoid.parts.len() == types.len()).then(|| monoid.parts.iter().zip(types).map(one).collect())?
}

fn atomic(op: MonoidOp, repr: Repr, math: Math) -> Option<Atomic> {
    use MonoidOp::{Add, And, Max, Min, Mul, Or, Xor};
    let (name, cast) = match (op, repr) {
        (Add, Repr::I32 | Repr::U32) => ("add_u32", true),
        (Mul, Repr::I32 | Repr::U32) => ("mul_u32", true),
        (And, Repr::I32 | Repr::U32) => ("and_u32", true),
        (Or, Repr::I32 | Repr::U32) => ("or_u32", true),
        (Xor, Repr::I32 | Repr::U32) => ("xor_u32", true),
        (And | Min, Repr::Bool) => ("and_u8", true),
        (Or | Max, Repr::Bool) => ("or_u8", true),
        (Xor, Repr::Bool) => ("xor_u8", true),
        (Add, Repr::I8) => ("add_i8", false),
        (Mul, Repr::I8) => ("mul_i8", false),
        (Min, Repr::I8) => ("min_i8", false),
        (Max, Repr::I8) => ("max_i8", false),
        (And, Repr::I8) => ("and_i8", false),
        (Or, Repr::I8) => ("or_i8", false),
        (Xor, Repr::I8) => ("xor_i8", false),
        (Add, Repr::U8) => ("add_u8", false),
        (Mul, Repr::U8) => ("mul_u8", false),
        (Min, Repr::U8) => ("min_u8", false),
        (Max, Repr::U8) => ("max_u8", false),
        (And, Repr::U8) => ("and_u8", false),
        (Or, Repr::U8) => ("or_u8", false),
        (Xor, Repr::U8) => ("xor_u8", false),
        (Add, Repr::I16) => ("add_i16", false),
        (Mul, Repr::I16) => ("mul_i16", false),
        (Min, Repr::I16) => ("min_i16", false),
        (Max, Repr::I16) => ("max_i16", false),
        (And, Repr::I16) => ("and_i16", false),
        (Or, Repr::I16) => ("or_i16", false),
        (Xor, Repr::I16) => ("xor_i16", false),
        (Add, Repr::U16) => ("add_u16", false),
        (Mul, Repr::U16) => ("mul_u16", false),
        (Min, Repr::U16) => ("min_u16", false),
        (Max, Repr::U16) => ("max_u16", false),
        (And, Repr::U16) => ("and_u16", false),
        (Or, Repr::U16) => ("or_u16", false),
        (Xor, Repr::U16) => ("xor_u16", false),
        (Min, Repr::U32) => ("min_u32", false),
        (Max, Repr::U32) => ("max_u32", false),
        (Min, Repr::I32) => ("min_i32", false),
        (Max, Repr::I32) => ("max_i32", false),
        (Min, Repr::F32) => ("min_f32", false),
        (Max, Repr::F32) => ("max_f32", false),
        (Add, Repr::I64) => ("add_i64", false),
        (And, Repr::I64) => ("and_i64", false),
        (Or, Repr::I64) => ("or_i64", false),
        (Xor, Repr::I64) => ("xor_i64", false),
        (Add, Repr::U64) => ("add_u64", false),
        (And, Repr::U64) => ("and_u64", false),
        (Or, Repr::U64) => ("or_u64", false),
        (Xor, Repr::U64) => ("xor_u64", false),
        (Add, Repr::F32) if math == Math::FastSums => ("add_f32", false),
        (Add, Repr::F64) if math == Math::FastSums => ("add_f64", false),
        (Mul | Min | Max, Repr::I64 | Repr::U64)
        | (Add | Mul, Repr::F32 | Repr::Bool)
        | (And | Or | Xor, Repr::F32)
        | (_, Repr::F64 | Repr::F16) => return None,
    };
    Some(Atomic { name, cast })
}
