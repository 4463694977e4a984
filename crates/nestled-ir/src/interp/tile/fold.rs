//! Built-in monoids on columns: a loop for each operation and type, into which reductions and scans put what they do with it.

use super::primitives::{greatest, least};
use crate::monoid::MonoidOp;
use crate::scalar::Scalar;
use crate::value::Buffer;
use nestled_multiversion::{Job, with_avx2};
use std::ops::Range;

/// A loop over values of one type, which are combined by a function.
pub(in crate::interp) trait Combining {
    /// Runs the loop on two buffers of the same type.
    fn run<T: Copy>(self, held: &mut [T], values: &[T], combine: impl Fn(T, T) -> T);
}

/// Runs a loop with an operation, on buffers of the same type.
pub(in crate::interp) fn combine(
    op: MonoidOp,
    held: &mut Buffer,
    values: &Buffer,
    combining: impl Combining,
) {
    with_avx2(Combine { op, held, values, combining });
}

struct Combine<'a, C> {
    op: MonoidOp,
    held: &'a mut Buffer,
    values: &'a Buffer,
    combining: C,
}

impl<C: Combining> Job for Combine<'_, C> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Combine { op, held, values, combining } = self;
        macro_rules! run {
            (|$x:ident, $y:ident| int $int:expr $(; float $float:expr)? $(; bool $bool:expr)?) => {
                match (held, values) {
                    (Buffer::I8(held), Buffer::I8(values)) => combining.run(held, values, |$x, $y| $int),
                    (Buffer::U8(held), Buffer::U8(values)) => combining.run(held, values, |$x, $y| $int),
                    (Buffer::I16(held), Buffer::I16(values)) => combining.run(held, values, |$x, $y| $int),
                    (Buffer::U16(held), Buffer::U16(values)) => combining.run(held, values, |$x, $y| $int),
                    (Buffer::I32(held), Buffer::I32(values)) => combining.run(held, values, |$x, $y| $int),
                    (Buffer::U32(held), Buffer::U32(values)) => combining.run(held, values, |$x, $y| $int),
                    (Buffer::I64(held), Buffer::I64(values)) => combining.run(held, values, |$x, $y| $int),
                    (Buffer::U64(held), Buffer::U64(values)) => combining.run(held, values, |$x, $y| $int),
                    (Buffer::Idx(held), Buffer::Idx(values)) => combining.run(held, values, |$x, $y| $int),
                    $((Buffer::F32(held), Buffer::F32(values)) => combining.run(held, values, |$x, $y| $float),
                    (Buffer::F64(held), Buffer::F64(values)) => combining.run(held, values, |$x, $y| $float),)?
                    $((Buffer::Bool(held), Buffer::Bool(values)) => combining.run(held, values, |$x, $y| $bool),)?
                    (held, values) => unreachable!("the verifier types monoids: {} and {}", held.elem(), values.elem()),
                }
            };
        }
        match op {
            MonoidOp::Add => run!(|x, y| int x.wrapping_add(y); float x + y),
            MonoidOp::Mul => run!(|x, y| int x.wrapping_mul(y); float x * y),
            MonoidOp::Min => run!(|x, y| int x.min(y); float least(x, y); bool x & y),
            MonoidOp::Max => run!(|x, y| int x.max(y); float greatest(x, y); bool x | y),
            MonoidOp::And => run!(|x, y| int x & y; bool x & y),
            MonoidOp::Or => run!(|x, y| int x | y; bool x | y),
            MonoidOp::Xor => run!(|x, y| int x ^ y; bool x ^ y),
        }
    }
}

/// Combines consecutive values with lanes: the first value with lane `first`, the next with the lane after it, and so on around.
pub(in crate::interp) struct IntoLanes<'f> {
    /// True for each lane that has a value.
    pub filled: &'f mut [bool],
    /// The lane of the first value.
    pub first: usize,
}

impl Combining for IntoLanes<'_> {
    #[inline(always)]
    fn run<T: Copy>(self, lanes: &mut [T], values: &[T], combine: impl Fn(T, T) -> T) {
        let IntoLanes { filled, first } = self;
        let mut one = |lane: usize, value: T, lanes: &mut [T]| {
            lanes[lane] = if filled[lane] { combine(lanes[lane], value) } else { value };
            filled[lane] = true;
        };
        // Once around, after which all lanes have a value; then without asking.
        let once = (2 * lanes.len() - first).min(values.len());
        let (begin, rest) = values.split_at(once);
        for (position, &value) in begin.iter().enumerate() {
            one((first + position) % lanes.len(), value, lanes);
        }
        for round in rest.chunks(lanes.len()) {
            lanes.iter_mut().zip(round).for_each(|(lane, &value)| *lane = combine(*lane, value));
        }
    }
}

/// Combines each value with what is held at its place.
pub(in crate::interp) struct IntoPlaces<'p>(pub &'p [usize]);

impl Combining for IntoPlaces<'_> {
    #[inline(always)]
    fn run<T: Copy>(self, held: &mut [T], values: &[T], combine: impl Fn(T, T) -> T) {
        for (&at, &value) in self.0.iter().zip(values) {
            held[at] = combine(held[at], value);
        }
    }
}

/// Combines the values of each group from left to right, and holds the result at its place.
pub(in crate::interp) struct GroupsInto<'g>(pub &'g [(Range<usize>, usize)]);

impl Combining for GroupsInto<'_> {
    #[inline(always)]
    fn run<T: Copy>(self, held: &mut [T], values: &[T], combine: impl Fn(T, T) -> T) {
        for (group, at) in self.0 {
            let values = values[group.clone()].iter().copied();
            if let Some(result) = values.reduce(&combine) {
                held[*at] = result;
            }
        }
    }
}

/// Combines some consecutive values of a column with lanes.
pub(in crate::interp) fn into_lanes(
    op: MonoidOp,
    (lanes, filled, first): (&mut [Scalar], &mut [bool], usize),
    values: &Buffer,
) {
    let mut held = Buffer::from_scalars(values.elem(), lanes);
    combine(op, &mut held, values, IntoLanes { filled, first });
    lanes.iter_mut().enumerate().for_each(|(lane, scalar)| *scalar = held.get(lane));
}
