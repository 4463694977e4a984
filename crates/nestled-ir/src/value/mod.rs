//! Run-time values: scalars, extents, segmentations and arrays, and their text.
//!
//! The reference interpreter, the executor of host code, the tests and the command line share these types. Arrays and
//! segmentations are immutable and shared; a clone copies no elements.

mod array;
mod bindings;
mod layout;
mod parse;
mod print;
mod segmentation;
#[cfg(test)]
mod tests;

pub use array::{Array, Buffer, MARGIN, f16_from_f64, f16_to_f64};
pub use bindings::{Bindings, ShapeError, infer_shapes};
pub use layout::{Coordinates, Layout, Outside, Step};
pub use parse::{
    Arguments, ValueError, parse_args, parse_call, parse_results, parse_scalar, parse_value, split_list,
};
pub use print::{Abridged, print_to};
pub use segmentation::{AxisValue, Lengths, Segmentation, count_points, same_shape};

use crate::scalar::{Scalar, ScalarType};
use std::sync::Arc;

/// A value of host code.
#[derive(Clone, Debug)]
pub enum Value {
    /// A scalar.
    Scalar(Scalar),
    /// An extent.
    Dim(u64),
    /// A segmentation.
    Seg(Arc<Segmentation>),
    /// An array of rank 1 or more.
    Array(Array),
}

impl Value {
    /// The scalar; an extent counts as an `idx`.
    pub fn as_scalar(&self) -> Option<Scalar> {
        match self {
            Value::Scalar(scalar) => Some(*scalar),
            Value::Dim(extent) => Some(Scalar::Idx(*extent as i64)),
            Value::Seg(_) | Value::Array(_) => None,
        }
    }

    /// The array.
    pub fn as_array(&self) -> Option<&Array> {
        match self {
            Value::Array(array) => Some(array),
            Value::Scalar(_) | Value::Dim(_) | Value::Seg(_) => None,
        }
    }

    /// The value as an axis of a shape.
    pub fn as_axis(&self) -> Option<AxisValue> {
        match self {
            Value::Dim(extent) => Some(AxisValue::Extent(*extent)),
            Value::Seg(seg) => Some(AxisValue::Seg(Arc::clone(seg))),
            Value::Scalar(_) | Value::Array(_) => None,
        }
    }

    /// True if the value is consistent: as many elements as points, offsets that rise, segments of views inside their buffers. Parsers and
    /// interpreters make valid values only; check values from elsewhere before use.
    pub fn is_valid(&self) -> bool {
        match self {
            Value::Scalar(_) => true,
            Value::Dim(extent) => *extent <= i64::MAX as u64,
            Value::Seg(seg) => seg.is_valid(),
            Value::Array(array) => array.is_valid(),
        }
    }

    /// An array of rank 1 of the given scalars, all of type `elem`.
    pub fn vector(elem: ScalarType, elements: &[Scalar]) -> Value {
        Value::Array(Array::vector(Buffer::from_scalars(elem, elements)))
    }
}

impl From<AxisValue> for Value {
    fn from(axis: AxisValue) -> Value {
        match axis {
            AxisValue::Extent(extent) => Value::Dim(extent),
            AxisValue::Seg(seg) => Value::Seg(seg),
        }
    }
}

/// True if two values are the same to the last bit, where every NaN equals every other NaN of its type. Arrays are compared by shape and
/// elements, not by placement.
pub fn same_bits(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Scalar(a), Value::Scalar(b)) => same_scalar(*a, *b),
        (Value::Dim(a), Value::Dim(b)) => a == b,
        (Value::Seg(a), Value::Seg(b)) => a.same(b),
        (Value::Array(a), Value::Array(b)) => {
            a.elem == b.elem
                && same_shape(&a.shape, &b.shape)
                && a.elements().zip(b.elements()).all(|(x, y)| same_scalar(x, y))
        }
        (Value::Scalar(_) | Value::Dim(_) | Value::Seg(_) | Value::Array(_), _) => false,
    }
}

fn same_scalar(left: Scalar, right: Scalar) -> bool {
    left == right || (left.ty() == right.ty() && left.is_nan() && right.is_nan())
}
