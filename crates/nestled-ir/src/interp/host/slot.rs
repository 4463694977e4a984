//! Slots: the run-time contents of the values of a function.

use crate::scalar::Scalar;
use crate::value::{Array, AxisValue, Segmentation, Value};
use std::sync::Arc;

/// The contents of a value of a function. Small, since deep recursion keeps many.
#[derive(Clone, Debug)]
pub(super) enum Slot {
    /// Nothing yet.
    Empty,
    /// The value of a statement that faulted, or of one that depends on such a value.
    Lost,
    /// A scalar.
    Scalar(Scalar),
    /// An extent.
    Dim(u64),
    /// A segmentation.
    Seg(Arc<Segmentation>),
    /// An array.
    Array(Arc<Array>),
}

impl Slot {
    /// The value for those outside.
    pub fn value(&self) -> Value {
        match self {
            Slot::Scalar(scalar) => Value::Scalar(*scalar),
            Slot::Dim(extent) => Value::Dim(*extent),
            Slot::Seg(seg) => Value::Seg(Arc::clone(seg)),
            Slot::Array(array) => Value::Array(Array::clone(array)),
            Slot::Empty | Slot::Lost => unreachable!("the verifier lets only what is bound be used"),
        }
    }

    /// The scalar; an extent counts as an `idx`.
    pub fn scalar(&self) -> Scalar {
        match self {
            Slot::Scalar(scalar) => *scalar,
            Slot::Dim(extent) => Scalar::Idx(*extent as i64),
            Slot::Seg(_) | Slot::Array(_) | Slot::Empty | Slot::Lost => {
                unreachable!("the verifier lets only scalars be used so")
            }
        }
    }

    /// The axis.
    pub fn axis(&self) -> AxisValue {
        match self {
            Slot::Dim(extent) => AxisValue::Extent(*extent),
            Slot::Seg(seg) => AxisValue::Seg(Arc::clone(seg)),
            Slot::Scalar(_) | Slot::Array(_) | Slot::Empty | Slot::Lost => {
                unreachable!("the verifier lets only extents and segmentations be axes")
            }
        }
    }
}

impl From<Value> for Slot {
    fn from(value: Value) -> Slot {
        match value {
            Value::Scalar(scalar) => Slot::Scalar(scalar),
            Value::Dim(extent) => Slot::Dim(extent),
            Value::Seg(seg) => Slot::Seg(seg),
            Value::Array(array) => Slot::Array(Arc::new(array)),
        }
    }
}

impl From<AxisValue> for Slot {
    fn from(axis: AxisValue) -> Slot {
        Slot::from(Value::from(axis))
    }
}
