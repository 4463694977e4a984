//! Library operations: stable sort, rank and matrix multiplication.

use super::error::Error;
use super::meter::Meter;
use super::ops;
use crate::host::Order;
use crate::op::Op;
use crate::scalar::Scalar;
use crate::value::{Array, AxisValue, Buffer, same_shape};
use std::cmp::Ordering;
use std::sync::Arc;

/// The keys in order inside each row of the last axis, and then each payload moved along. Stable.
pub fn sort(
    keys: &Array,
    payload: &[Arc<Array>],
    order: Order,
    meter: &mut Meter,
) -> Result<Vec<Array>, Error> {
    if let Some(other) = payload.iter().find(|array| !same_shape(&array.shape, &keys.shape)) {
        let (found, wanted) = (other.points(), keys.points());
        return Err(Error::BadArgument(format!("{found} elements are to be moved along with {wanted} keys")));
    }
    let from = sources(keys, order, meter)?;
    let payload = payload.iter().map(|array| &**array);
    std::iter::once(keys).chain(payload).map(|array| gather(array, &from, meter)).collect()
}

/// The position that each key takes in its row when the row is sorted.
pub fn rank(keys: &Array, order: Order, meter: &mut Meter) -> Result<Array, Error> {
    let from = sources(keys, order, meter)?;
    let mut ranks = vec![0i64; from.len()];
    for (start, end) in rows(keys) {
        for (position, &source) in from[start..end].iter().enumerate() {
            ranks[source] = position as i64;
        }
    }
    Ok(Array::dense(keys.shape.clone(), Buffer::Idx(ranks)))
}

/// The sorting permutation: for each place of the sorted array, the place that its element comes from.
fn sources(keys: &Array, order: Order, meter: &mut Meter) -> Result<Vec<usize>, Error> {
    let n = keys.data.len() as u64;
    meter.step(n.saturating_mul(u64::from(n.max(2).ilog2())))?;
    meter.room_for(n.saturating_mul(32))?;
    let mut from: Vec<usize> = (0..keys.data.len()).collect();
    for (start, end) in rows(keys) {
        meter.step(1)?;
        from[start..end].sort_by(|&a, &b| compare(keys.data.get(a), keys.data.get(b), order));
    }
    Ok(from)
}

/// The rows of the last axis that have elements, as ranges of positions.
fn rows(array: &Array) -> impl Iterator<Item = (usize, usize)> {
    let layout = array.layout();
    let rank = layout.rank();
    let n_rows = if array.data.is_empty() { 0 } else { layout.points_at(rank - 1) };
    (0..n_rows).map(move |row| {
        let (start, end) = layout.below(rank - 1, rank, row, row + 1);
        (start as usize, end as usize)
    })
}

fn gather(array: &Array, from: &[usize], meter: &mut Meter) -> Result<Array, Error> {
    meter.step(from.len() as u64)?;
    meter.room_for(array.data.size())?;
    let mut data = Buffer::zeroed(array.elem, from.len());
    from.iter().enumerate().for_each(|(to, &from)| data.set(to, array.data.get(from)));
    Ok(Array::dense(array.shape.clone(), data))
}

/// Compares two keys: as numbers in either order, −0.0 below +0.0, and every NaN after all numbers.
fn compare(a: Scalar, b: Scalar, order: Order) -> Ordering {
    let ascending = match (a, b) {
        (Scalar::F32(a), Scalar::F32(b)) if a.is_nan() || b.is_nan() => return a.is_nan().cmp(&b.is_nan()),
        (Scalar::F64(a), Scalar::F64(b)) if a.is_nan() || b.is_nan() => return a.is_nan().cmp(&b.is_nan()),
        (Scalar::F32(a), Scalar::F32(b)) => a.total_cmp(&b),
        (Scalar::F64(a), Scalar::F64(b)) => a.total_cmp(&b),
        (Scalar::Bool(a), Scalar::Bool(b)) => a.cmp(&b),
        (a, b) => a.exact_integer().cmp(&b.exact_integer()),
    };
    if order == Order::Ascending { ascending } else { ascending.reverse() }
}

/// The product of two matrices; each sum is made from left to right, without fused operations.
pub fn matmul(left: &Array, right: &Array, meter: &mut Meter) -> Result<Array, Error> {
    let (&[AxisValue::Extent(n), AxisValue::Extent(k)], &[AxisValue::Extent(inner), AxisValue::Extent(m)]) =
        (left.shape.as_slice(), right.shape.as_slice())
    else {
        return Err(Error::BadArgument("`matmul` multiplies matrices".to_owned()));
    };
    if inner != k {
        return Err(Error::BadArgument(format!("rows of {k} elements meet columns of {inner}")));
    }
    let points = n.saturating_mul(m);
    meter.step(points.saturating_mul(k.saturating_add(1)))?;
    meter.room_for(points.saturating_mul(left.elem.size() as u64))?;
    let mut data = Buffer::zeroed(left.elem, points as usize);
    let apply = |op, a, b| ops::plain(op, &[a, b]).unwrap_or(a);
    for row in 0..n {
        for column in 0..m {
            let product = |at: u64| {
                let (a, b) =
                    (left.data.get((row * k + at) as usize), right.data.get((at * m + column) as usize));
                apply(Op::Mul, a, b)
            };
            let sum = (0..k).fold(Scalar::zero(left.elem), |sum, at| apply(Op::Add, sum, product(at)));
            data.set((row * m + column) as usize, sum);
        }
    }
    let shape = vec![AxisValue::Extent(n), AxisValue::Extent(m)];
    Ok(Array::dense(shape, data))
}
