//! Elementwise operations, by the names that the array API standard has for them.

use crate::any::{AnyArray, bits, each, floats, integers, numbers, ordered, signed};
use crate::array::Array;
use crate::errors::OrRaise;
use crate::integers as exact;
use crate::operand::{Pair, pair};
use nestled_array as lazy;
use nestled_nested::Kind;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// An operation of one operand.
pub fn unary(name: &str, operand: &AnyArray) -> PyResult<AnyArray> {
    let kind = operand.kind();
    let operand = &operand.wide();
    let made = match name {
        "abs" => absolute(operand),
        "negative" => signed!(name, operand, x => Ok(AnyArray::from(-x))),
        "square" => numbers!(name, operand, x => Ok(AnyArray::from(x.square()))),
        "sign" => sign(operand),
        "invert" => bits!(name, operand, x => Ok(AnyArray::from(!x))),
        "isnan" | "isinf" | "isfinite" => classified(name, operand),
        "signbit" => floats!(name, operand, x => Ok(AnyArray::from(exact::sign_bit(x)))),
        "floor" | "ceil" | "trunc" | "round" => rounded(name, operand),
        "popcount" => integers!(name, operand, x => Ok(AnyArray::from(x.popcount()))),
        _ => function(name, operand),
    };
    made.map(|made| made.narrowed(kind))
}

/// The magnitude. Unsigned integers are their own.
fn absolute(operand: &AnyArray) -> PyResult<AnyArray> {
    match operand {
        AnyArray::Uint8(_) | AnyArray::Uint16(_) | AnyArray::Uint32(_) | AnyArray::Uint64(_) => {
            Ok(operand.clone())
        }
        _ => numbers!("abs", operand, x => Ok(AnyArray::from(x.abs()))),
    }
}

/// −1, 0 or 1; NaN of NaN.
fn sign(operand: &AnyArray) -> PyResult<AnyArray> {
    match operand {
        AnyArray::Float32(x) => Ok(AnyArray::from(x.is_nan().select(x, x.signum()))),
        AnyArray::Float64(x) => Ok(AnyArray::from(x.is_nan().select(x, x.signum()))),
        _ => numbers!("sign", operand, x => Ok(AnyArray::from(x.signum()))),
    }
}

/// Tests of floats; integers are finite numbers.
fn classified(name: &str, operand: &AnyArray) -> PyResult<AnyArray> {
    if !matches!(operand, AnyArray::Float32(_) | AnyArray::Float64(_)) {
        let finite = lazy::Array::fill(name == "isfinite", operand.shape());
        return numbers!(name, operand, _x => Ok(AnyArray::from(finite)));
    }
    floats!(name, operand, x => Ok(AnyArray::from(match name {
        "isnan" => x.is_nan(),
        "isinf" => x.is_infinite(),
        _ => x.is_finite(),
    })))
}

/// Roundings; integers are their own.
fn rounded(name: &str, operand: &AnyArray) -> PyResult<AnyArray> {
    if !matches!(operand, AnyArray::Float32(_) | AnyArray::Float64(_)) {
        return numbers!(name, operand, _x => Ok(operand.clone()));
    }
    floats!(name, operand, x => Ok(AnyArray::from(match name {
        "floor" => x.floor(),
        "ceil" => x.ceil(),
        "trunc" => x.trunc(),
        _ => x.round_even(),
    })))
}

/// Elementary functions of floats, and of integers as `float64`.
fn function(name: &str, operand: &AnyArray) -> PyResult<AnyArray> {
    let operand = match operand {
        AnyArray::Float32(_) | AnyArray::Float64(_) => operand.clone(),
        other => numbers!(name, other, x => Ok(AnyArray::from(x.cast::<f64>())))?,
    };
    floats!(name, &operand, x => Ok(AnyArray::from(elementary(name, x)?)))
}

fn elementary<T: lazy::Float>(name: &str, x: &lazy::Array<T>) -> PyResult<lazy::Array<T>> {
    Ok(match name {
        "acos" => x.acos(),
        "acosh" => x.acosh(),
        "asin" => x.asin(),
        "asinh" => x.asinh(),
        "atan" => x.atan(),
        "atanh" => x.atanh(),
        "cos" => x.cos(),
        "cosh" => x.cosh(),
        "erf" => x.erf(),
        "exp" => x.exp(),
        "exp2" => x.exp2(),
        "expm1" => x.expm1(),
        "log" => x.ln(),
        "log10" => x.log10(),
        "log1p" => x.log1p(),
        "log2" => x.log2(),
        "reciprocal" => x.recip(),
        "rsqrt" => x.rsqrt(),
        "sin" => x.sin(),
        "sinh" => x.sinh(),
        "sqrt" => x.sqrt(),
        "tan" => x.tan(),
        "tanh" => x.tanh(),
        _ => return Err(PyTypeError::new_err(format!("there is no operation {name}"))),
    })
}

/// Runs the body with both arrays, which have one type of a class.
macro_rules! both {
    ($class:ident, $name:expr, $left:expr, $right:expr, $x:ident, $y:ident => $body:expr) => {
        $class!($name, $left, $x => {
            let $y = $right.typed()?;
            Ok(AnyArray::from($body.or_raise()?))
        })
    };
}

/// An operation of two operands of one type.
pub fn binary(name: &str, left: &AnyArray, right: &AnyArray) -> PyResult<AnyArray> {
    let kind = left.kind();
    let (left, right) = (&left.wide(), &right.wide());
    let made = match name {
        "add" => both!(numbers, name, left, right, x, y => x.try_add(y)),
        "subtract" => both!(numbers, name, left, right, x, y => x.try_sub(y)),
        "multiply" => both!(numbers, name, left, right, x, y => x.try_mul(y)),
        "divide" => divided(left, right),
        "floor_divide" => match left {
            AnyArray::Float32(_) | AnyArray::Float64(_) => {
                both!(floats, name, left, right, x, y => exact::floor_divide(x, y))
            }
            _ => both!(integers, name, left, right, x, y => x.try_div_floor(y)),
        },
        "remainder" => match left {
            AnyArray::Float32(_) | AnyArray::Float64(_) => {
                both!(floats, name, left, right, x, y => exact::remainder(x, y))
            }
            _ => both!(integers, name, left, right, x, y => x.try_rem_floor(y)),
        },
        "pow" => match left {
            AnyArray::Float32(_) | AnyArray::Float64(_) => {
                both!(floats, name, left, right, x, y => x.try_pow(y))
            }
            _ => both!(integers, name, left, right, x, y => exact::power(x, y)),
        },
        "atan2" => both!(floats, name, left, right, x, y => x.try_atan2(y)),
        "copysign" => both!(floats, name, left, right, x, y => exact::copied_sign(x, y)),
        "maximum" => both!(numbers, name, left, right, x, y => x.try_maximum(y)),
        "minimum" => both!(numbers, name, left, right, x, y => x.try_minimum(y)),
        "bitwise_and" => both!(bits, name, left, right, x, y => x.try_and(y)),
        "bitwise_or" => both!(bits, name, left, right, x, y => x.try_or(y)),
        "bitwise_xor" => both!(bits, name, left, right, x, y => x.try_xor(y)),
        "bitwise_left_shift" => both!(integers, name, left, right, x, y => x.try_shift_left(y)),
        "bitwise_right_shift" => both!(integers, name, left, right, x, y => x.try_shift_right(y)),
        "equal" => both!(ordered, name, left, right, x, y => x.try_eq(y)),
        "not_equal" => both!(ordered, name, left, right, x, y => x.try_ne(y)),
        "less" => both!(ordered, name, left, right, x, y => x.try_lt(y)),
        "less_equal" => both!(ordered, name, left, right, x, y => x.try_le(y)),
        "greater" => both!(ordered, name, left, right, x, y => x.try_gt(y)),
        "greater_equal" => both!(ordered, name, left, right, x, y => x.try_ge(y)),
        _ => Err(PyTypeError::new_err(format!("there is no operation {name}"))),
    };
    made.map(|made| made.narrowed(kind))
}

/// The quotient; that of integers is `float64`.
fn divided(left: &AnyArray, right: &AnyArray) -> PyResult<AnyArray> {
    match left {
        AnyArray::Float32(_) | AnyArray::Float64(_) => {
            both!(floats, "divide", left, right, x, y => x.try_div(y))
        }
        _ => {
            let (left, right) = (left.cast(Kind::Float64), right.cast(Kind::Float64));
            both!(floats, "divide", &left, &right, x, y => x.try_div(y))
        }
    }
}

/// An operation of one array.
#[pyfunction]
#[pyo3(name = "unary")]
fn unary_of(name: &str, x: &Array) -> PyResult<Array> {
    Ok(Array::from(unary(name, &x.any)?))
}

/// An operation of two arrays, or of an array and a number; `NotImplemented` if an operand is neither.
#[pyfunction]
#[pyo3(name = "binary")]
pub fn binary_of<'py>(
    name: &str,
    x1: &Bound<'py, PyAny>,
    x2: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(Pair { left, right }) = pair(x1, x2)? else {
        return Ok(x1.py().NotImplemented().into_bound(x1.py()));
    };
    Ok(Bound::new(x1.py(), Array::from(binary(name, &left, &right)?))?.into_any())
}

/// The elements of one array where a mask holds, and those of another elsewhere.
#[pyfunction]
fn select(mask: &Array, x1: &Bound<'_, PyAny>, x2: &Bound<'_, PyAny>) -> PyResult<Array> {
    let mask: &lazy::Array<bool> = mask.any.typed()?;
    let Some(Pair { left, right }) = pair(x1, x2)? else {
        return Err(PyTypeError::new_err("where takes arrays and numbers"));
    };
    each!(&left, x => Ok(Array::from(AnyArray::from(mask.try_select(x, right.typed()?).or_raise()?))))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(unary_of, module)?)?;
    module.add_function(wrap_pyfunction!(binary_of, module)?)?;
    module.add_function(wrap_pyfunction!(select, module)?)
}
