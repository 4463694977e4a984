//! Columns that differ from one another, or in themselves from element to element.

use super::arithmetic_columns::{Binary, binary};
use crate::column::{Column, each};
use crate::schema::Kind;
use nestled_array::{Array, Outside};

/// True for elements that differ from the one before; the first is equal to itself.
pub(super) fn differ_from_before(
    column: &Column,
    valid: Option<&Array<bool>>,
    equal_nan: bool,
) -> Array<bool> {
    let before = (Array::<i64>::range(column.len()) - 1).maximum(0);
    let other = column.take(&before);
    let differ = if equal_nan { differ(column, &other) } else { differing(column, &other) };
    let Some(valid) = valid else { return differ };
    let valid_before = valid.take(0, &before, Outside::Clamp);
    valid.ne(&valid_before).or(differ.and(valid).and(valid_before))
}

/// True where two columns of one type differ; NaN is equal to NaN.
pub(super) fn differ(left: &Column, right: &Column) -> Array<bool> {
    if left.kind() == Kind::Float16 {
        return differ(&left.cast(Kind::Float32), &right.cast(Kind::Float32));
    }
    let nans = if left.kind().is_float() { nan(left).and(nan(right)) } else { Array::scalar(false) };
    differing(left, right).and(!nans)
}

/// True where a number is NaN.
pub(super) fn nan(column: &Column) -> Array<bool> {
    differing(column, column)
}

/// As [`differ`], but NaN is equal to none.
pub(super) fn differing(left: &Column, right: &Column) -> Array<bool> {
    match binary(Binary::Ne, left, right) {
        Ok(Column::Bool(differ)) => differ,
        _ => each!(left, x => Array::fill(true, &[x.size()])),
    }
}
