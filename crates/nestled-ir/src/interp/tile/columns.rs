//! Columns: the values of a register in the lanes of a tile, and moving some of them.

use crate::scalar::Scalar;
use crate::value::Buffer;

/// Instantiates an expression for every variant of two buffers of the same type.
macro_rules! both {
    ($a:expr, $b:expr, |$x:ident, $y:ident| $body:expr) => {
        match ($a, $b) {
            (Buffer::Bool($x), Buffer::Bool($y)) => $body,
            (Buffer::I8($x), Buffer::I8($y)) => $body,
            (Buffer::U8($x), Buffer::U8($y)) => $body,
            (Buffer::I16($x), Buffer::I16($y)) => $body,
            (Buffer::U16($x), Buffer::U16($y)) => $body,
            (Buffer::I32($x), Buffer::I32($y)) => $body,
            (Buffer::U32($x), Buffer::U32($y)) => $body,
            (Buffer::I64($x), Buffer::I64($y)) => $body,
            (Buffer::U64($x), Buffer::U64($y)) => $body,
            (Buffer::F16($x), Buffer::F16($y)) => $body,
            (Buffer::F32($x), Buffer::F32($y)) => $body,
            (Buffer::F64($x), Buffer::F64($y)) => $body,
            (Buffer::Idx($x), Buffer::Idx($y)) => $body,
            (a, b) => unreachable!("the verifier types thunks: {} and {}", a.elem(), b.elem()),
        }
    };
}

/// Overwrites a column with the first `n` lanes of another.
pub(super) fn copy(to: &mut Buffer, from: &Buffer, n: usize) {
    both!(to, from, |to, from| {
        to.clear();
        to.extend_from_slice(&from[..n]);
    });
}

/// Overwrites a column with some lanes of another.
pub(super) fn pack(to: &mut Buffer, from: &Buffer, lanes: &[u32]) {
    both!(to, from, |to, from| {
        to.clear();
        to.extend(lanes.iter().map(|&lane| from[lane as usize]));
    });
}

/// Keeps some lanes of a column only.
pub(super) fn keep(column: &mut Buffer, spare: &mut Buffer, lanes: &[u32]) {
    both!(&mut *column, &mut *spare, |column, spare| {
        spare.clear();
        spare.extend(lanes.iter().map(|&lane| column[lane as usize]));
        std::mem::swap(column, spare);
    });
}

/// Puts the lanes of a column at places of another, which has them.
pub(super) fn unpack(to: &mut Buffer, from: &Buffer, lanes: &[u32]) {
    both!(to, from, |to, from| {
        lanes.iter().zip(from).for_each(|(&lane, &value)| to[lane as usize] = value);
    });
}

/// Puts the lanes of a column at places of a buffer, which has them.
pub(in crate::interp) fn put_at(to: &mut Buffer, from: &Buffer, places: &[usize]) {
    both!(to, from, |to, from| places.iter().zip(from).for_each(|(&at, &value)| to[at] = value));
}

/// Puts some lanes of a column at places of another, which has them.
pub(super) fn unpack_some(to: &mut Buffer, from: &Buffer, pairs: impl Iterator<Item = (u32, u32)>) {
    both!(to, from, |to, from| {
        pairs.for_each(|(lane, at)| to[lane as usize] = from[at as usize]);
    });
}

/// Gives a column `n` lanes, whatever they hold.
pub(super) fn resize(column: &mut Buffer, n: usize) {
    match column {
        Buffer::Bool(values) => values.resize(n, false),
        Buffer::I8(values) => values.resize(n, 0),
        Buffer::U8(values) => values.resize(n, 0),
        Buffer::I16(values) => values.resize(n, 0),
        Buffer::U16(values) | Buffer::F16(values) => values.resize(n, 0),
        Buffer::I32(values) => values.resize(n, 0),
        Buffer::U32(values) => values.resize(n, 0),
        Buffer::I64(values) | Buffer::Idx(values) => values.resize(n, 0),
        Buffer::U64(values) => values.resize(n, 0),
        Buffer::F32(values) => values.resize(n, 0.0),
        Buffer::F64(values) => values.resize(n, 0.0),
    }
}

/// A column with the same value in each of `n` lanes.
pub(super) fn broadcast(scalar: Scalar, n: usize) -> Buffer {
    match scalar {
        Scalar::Bool(value) => Buffer::Bool(vec![value; n]),
        Scalar::I8(value) => Buffer::I8(vec![value; n]),
        Scalar::U8(value) => Buffer::U8(vec![value; n]),
        Scalar::I16(value) => Buffer::I16(vec![value; n]),
        Scalar::U16(value) => Buffer::U16(vec![value; n]),
        Scalar::I32(value) => Buffer::I32(vec![value; n]),
        Scalar::U32(value) => Buffer::U32(vec![value; n]),
        Scalar::I64(value) => Buffer::I64(vec![value; n]),
        Scalar::U64(value) => Buffer::U64(vec![value; n]),
        Scalar::F16(value) => Buffer::F16(vec![value; n]),
        Scalar::F32(value) => Buffer::F32(vec![value; n]),
        Scalar::F64(value) => Buffer::F64(vec![value; n]),
        Scalar::Idx(value) => Buffer::Idx(vec![value; n]),
    }
}

/// The first `n` lanes of a column of truth values.
#[inline]
pub(super) fn truths(column: &Buffer, n: usize) -> &[bool] {
    match column {
        Buffer::Bool(values) => &values[..n],
        other => unreachable!("the verifier types conditions: {}", other.elem()),
    }
}

/// The first `n` lanes of a column of indices.
pub(super) fn indices(column: &Buffer, n: usize) -> &[i64] {
    match column {
        Buffer::Idx(values) => &values[..n],
        other => unreachable!("the verifier types indices: {}", other.elem()),
    }
}

/// The values of a column of indices, to be changed.
pub(super) fn indices_mut(column: &mut Buffer) -> &mut Vec<i64> {
    match column {
        Buffer::Idx(values) => values,
        other => unreachable!("the verifier types indices: {}", other.elem()),
    }
}

/// True if each position is one more than that before it.
#[inline(always)]
pub(super) fn are_consecutive(positions: &[i64]) -> bool {
    let Some(&first) = positions.first() else { return true };
    let mut differ = 0;
    for (lane, &position) in positions.iter().enumerate() {
        differ |= position ^ first.wrapping_add(lane as i64);
    }
    differ == 0
}

pub(super) use both;
