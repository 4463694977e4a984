//! Operands of Python: arrays, and numbers that take the type of an array.

use crate::any::{AnyArray, each};
use crate::array::Array;
use crate::errors::OrRaise;
use nestled_array as lazy;
use nestled_array::F16;
use nestled_nested::Kind;
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt};

/// Two operands of one type.
pub struct Pair {
    pub left: AnyArray,
    pub right: AnyArray,
}

/// A number of Python, which has a kind but no width.
enum Number {
    Bool(bool),
    Int(i128),
    Float(f64),
}

fn number(value: &Bound<'_, PyAny>) -> PyResult<Option<Number>> {
    if let Ok(value) = value.cast::<PyBool>() {
        return Ok(Some(Number::Bool(value.is_true())));
    }
    if value.cast::<PyFloat>().is_ok() {
        return Ok(Some(Number::Float(value.extract()?)));
    }
    if value.cast::<PyInt>().is_ok() {
        return Ok(Some(Number::Int(value.extract().map_err(|_| {
            PyOverflowError::new_err(format!("{value} is beyond all integers that arrays have"))
        })?)));
    }
    Ok(None)
}

/// A single element as an array of no axis.
pub fn scalar(value: &Bound<'_, PyAny>, kind: Kind) -> PyResult<AnyArray> {
    let Some(number) = number(value)? else {
        return Err(PyTypeError::new_err(format!("{value} is no number")));
    };
    made(&number, kind)
}

fn made(number: &Number, kind: Kind) -> PyResult<AnyArray> {
    Ok(match (number, kind) {
        (Number::Bool(value), Kind::Bool) => lazy::Array::scalar(*value).into(),
        (Number::Bool(value), _) => return made(&Number::Int(i128::from(*value)), kind),
        (Number::Int(value), Kind::Bool) => lazy::Array::scalar(*value != 0).into(),
        (Number::Float(value), Kind::Bool) => lazy::Array::scalar(*value != 0.0).into(),
        (Number::Int(value), Kind::Float64) => lazy::Array::scalar(*value as f64).into(),
        (Number::Int(value), Kind::Float32) => lazy::Array::scalar(*value as f32).into(),
        (Number::Int(value), Kind::Float16) => lazy::Array::scalar(F16::of(*value as f64)).into(),
        (Number::Float(value), Kind::Float64) => lazy::Array::scalar(*value).into(),
        (Number::Float(value), Kind::Float32) => lazy::Array::scalar(*value as f32).into(),
        (Number::Float(value), Kind::Float16) => lazy::Array::scalar(F16::of(*value)).into(),
        (Number::Int(value), kind) => integer(*value, kind)?,
        (Number::Float(value), kind) => return made(&Number::Int(value.trunc() as i128), kind),
    })
}

fn integer(value: i128, kind: Kind) -> PyResult<AnyArray> {
    fn fit<T: TryFrom<i128> + nestled_array::Element>(value: i128, kind: Kind) -> PyResult<AnyArray>
    where
        AnyArray: From<lazy::Array<T>>,
    {
        match T::try_from(value) {
            Ok(value) => Ok(lazy::Array::scalar(value).into()),
            Err(_) => Err(PyOverflowError::new_err(format!("{value} is no {kind}"))),
        }
    }
    match kind {
        Kind::Int8 => fit::<i8>(value, kind),
        Kind::Uint8 => fit::<u8>(value, kind),
        Kind::Int16 => fit::<i16>(value, kind),
        Kind::Uint16 => fit::<u16>(value, kind),
        Kind::Int32 => fit::<i32>(value, kind),
        Kind::Uint32 => fit::<u32>(value, kind),
        Kind::Int64 => fit::<i64>(value, kind),
        Kind::Uint64 => fit::<u64>(value, kind),
        Kind::Bool | Kind::Float16 | Kind::Float32 | Kind::Float64 => {
            Err(PyTypeError::new_err(format!("{kind} is no type of integers")))
        }
    }
}

fn is_float(kind: Kind) -> bool {
    matches!(kind, Kind::Float16 | Kind::Float32 | Kind::Float64)
}

/// The type in which a number meets elements of a type: theirs, unless a kind of numbers is needed that they are not.
fn meeting(number: &Number, kind: Kind) -> Kind {
    match number {
        Number::Float(_) if !is_float(kind) => Kind::Float64,
        Number::Int(_) if kind == Kind::Bool => Kind::Int64,
        Number::Bool(_) | Number::Int(_) | Number::Float(_) => kind,
    }
}

/// The default type of a number that meets another.
fn own(number: &Number) -> Kind {
    match number {
        Number::Bool(_) => Kind::Bool,
        Number::Int(_) => Kind::Int64,
        Number::Float(_) => Kind::Float64,
    }
}

/// An operand, as far as it is one.
enum Operand<'a> {
    Array(&'a AnyArray),
    Number(Number),
}

fn operand<'a>(value: &'a Bound<'_, PyAny>) -> PyResult<Option<Operand<'a>>> {
    if let Ok(array) = value.cast::<Array>() {
        return Ok(Some(Operand::Array(&array.get().any)));
    }
    Ok(number(value)?.map(Operand::Number))
}

/// Two operands in their common type; `None` if one is neither an array nor a number.
pub fn pair(left: &Bound<'_, PyAny>, right: &Bound<'_, PyAny>) -> PyResult<Option<Pair>> {
    let (Some(left), Some(right)) = (operand(left)?, operand(right)?) else { return Ok(None) };
    let (left, right) = match (left, right) {
        (Operand::Array(left), Operand::Array(right)) => {
            let common = left.kind().common(right.kind());
            (left.cast(common), right.cast(common))
        }
        (Operand::Array(left), Operand::Number(right)) => {
            let kind = meeting(&right, left.kind());
            (left.cast(kind), made(&right, kind)?)
        }
        (Operand::Number(left), Operand::Array(right)) => {
            let kind = meeting(&left, right.kind());
            (made(&left, kind)?, right.cast(kind))
        }
        (Operand::Number(left), Operand::Number(right)) => {
            let kind = own(&left).common(own(&right));
            (made(&left, kind)?, made(&right, kind)?)
        }
    };
    Ok(Some(Pair { left, right }))
}

/// An array and a number in the type in which they meet.
pub fn with_number(array: &AnyArray, value: &Bound<'_, PyAny>) -> PyResult<(AnyArray, AnyArray)> {
    let Some(number) = number(value)? else {
        return Err(PyTypeError::new_err(format!("{value} is no number")));
    };
    let kind = meeting(&number, array.kind());
    Ok((array.cast(kind), made(&number, kind)?))
}

/// Elements of a shape that are all one number.
pub fn filled(value: &Bound<'_, PyAny>, shape: &[usize], kind: Kind) -> PyResult<AnyArray> {
    let one = scalar(value, kind)?;
    each!(&one, x => Ok(x.try_broadcast_to(shape).or_raise()?.into()))
}
