//! Structure of values around datatypes: the sequences, pairs and closures that hold values of datatypes, which encoding and decoding go through alike.

use crate::core::{CoreType, CoreTypes, Ty};
use crate::interp::Value;
use std::sync::Arc;

/// Returns a value in which each outermost value of a datatype is replaced.
pub(super) fn replace(value: &Value, ty: Ty, types: &CoreTypes, data: &dyn Fn(&Value, Ty) -> Value) -> Value {
    if !types.is_nominal(ty) {
        return value.clone();
    }
    match types.get(ty) {
        CoreType::Seq(element) => {
            Value::seq(value.elements().iter().map(|one| replace(one, *element, types, data)).collect())
        }
        CoreType::Pair(left, right) => {
            let (first, second) = value.parts();
            Value::pair(replace(first, *left, types, data), replace(second, *right, types, data))
        }
        CoreType::Closure(closure) => {
            let parts = value.captured().iter().zip(&closure.captured);
            Value::Closure(Arc::new(parts.map(|(part, ty)| replace(part, *ty, types, data)).collect()))
        }
        CoreType::Data(_) => data(value, ty),
        CoreType::Int | CoreType::Float | CoreType::Char | CoreType::Bool => value.clone(),
    }
}

/// Visits each outermost value of a datatype.
pub(super) fn visit(value: &Value, ty: Ty, types: &CoreTypes, data: &mut dyn FnMut(&Value, Ty)) {
    if !types.is_nominal(ty) {
        return;
    }
    match types.get(ty) {
        CoreType::Seq(element) => {
            value.elements().iter().for_each(|one| visit(one, *element, types, data));
        }
        CoreType::Pair(left, right) => {
            let (first, second) = value.parts();
            visit(first, *left, types, data);
            visit(second, *right, types, data);
        }
        CoreType::Closure(closure) => {
            let parts = value.captured().iter().zip(&closure.captured);
            parts.for_each(|(part, ty)| visit(part, *ty, types, data));
        }
        CoreType::Data(_) => data(value, ty),
        CoreType::Int | CoreType::Float | CoreType::Char | CoreType::Bool => {}
    }
}
