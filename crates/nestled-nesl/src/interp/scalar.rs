//! Interpreter of scalar primitives. Elementary functions agree with λcu to the last bit.

use super::value::{Outcome, Value};
use crate::dialect::{Dialect, Width};
use crate::fault::FaultCode;
use crate::primitive::Primitive;
use nestled_ir::{Op, Scalar, interp::eval_op};

/// Evaluates a scalar primitive. If not `checked`, it gives some value instead of a fault.
pub(super) fn scalar(
    primitive: Primitive,
    args: &[Value],
    dialect: Dialect,
    checked: bool,
) -> Option<Outcome> {
    use Primitive::*;
    let value = match primitive {
        Not | And | Or | Xor => logical(primitive, args),
        Equal | NotEqual | Less | Greater | LessEqual | GreaterEqual => {
            Value::Bool(compare(primitive, &args[0], &args[1]))
        }
        Add | Subtract | Multiply | Negate => arithmetic(primitive, args, dialect),
        Divide | Remainder => return Some(divide(primitive, args, dialect, checked)),
        ShiftLeft | ShiftRight => shift(primitive, args, dialect),
        Sqrt | Ln if checked && args[0].float() < 0.0 => {
            return Some(Err(if primitive == Sqrt { FaultCode::Sqrt } else { FaultCode::Ln }));
        }
        Sqrt | Ln | Exp | Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh => {
            elementary(primitive, args[0].float(), dialect)
        }
        BoolToInt => Value::Int(i64::from(args[0].bool())),
        CodeChar => Value::Char(args[0].int() as u8),
        CharCode => match args[0] {
            Value::Char(code) => Value::Int(i64::from(code)),
            _ => unreachable!("char_code takes a char"),
        },
        IntToFloat => Value::Float(dialect.round(args[0].int() as f64)),
        Floor => Value::Int(saturate(args[0].float().floor(), dialect)),
        Truncate => Value::Int(saturate(args[0].float(), dialect)),
        IntToAny => match args[1] {
            Value::Float(_) => Value::Float(dialect.round(args[0].int() as f64)),
            _ => args[0].clone(),
        },
        AnyToFloat => match args[0] {
            Value::Int(value) => Value::Float(dialect.round(value as f64)),
            _ => args[0].clone(),
        },
        FloatToAny => match args[1] {
            Value::Int(_) => Value::Int(saturate((args[0].float() + 0.5).floor(), dialect)),
            _ => args[0].clone(),
        },
        MaxInt => Value::Int(dialect.max_int()),
        _ => return None,
    };
    Some(Ok(value))
}

fn logical(primitive: Primitive, args: &[Value]) -> Value {
    match (&args[0], args.get(1)) {
        (Value::Bool(a), None) => Value::Bool(!a),
        (Value::Int(a), None) => Value::Int(!a),
        (Value::Bool(a), Some(b)) => Value::Bool(match primitive {
            Primitive::And => a & b.bool(),
            Primitive::Or => a | b.bool(),
            _ => a ^ b.bool(),
        }),
        (a, Some(b)) => Value::Int(match primitive {
            Primitive::And => a.int() & b.int(),
            Primitive::Or => a.int() | b.int(),
            _ => a.int() ^ b.int(),
        }),
        (other, None) => unreachable!("{other:?} is not logical"),
    }
}

pub(super) fn compare(primitive: Primitive, a: &Value, b: &Value) -> bool {
    let order = match (a, b) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Char(a), Value::Char(b)) => Some(a.cmp(b)),
        (a, b) => a.float().partial_cmp(&b.float()),
    };
    match primitive {
        Primitive::Equal => order.is_some_and(|order| order.is_eq()),
        Primitive::NotEqual => !order.is_some_and(|order| order.is_eq()),
        Primitive::Less => order.is_some_and(|order| order.is_lt()),
        Primitive::Greater => order.is_some_and(|order| order.is_gt()),
        Primitive::LessEqual => order.is_some_and(|order| order.is_le()),
        _ => order.is_some_and(|order| order.is_ge()),
    }
}

pub(super) fn arithmetic(primitive: Primitive, args: &[Value], dialect: Dialect) -> Value {
    if let Value::Int(a) = args[0] {
        return Value::Int(dialect.wrap(match primitive {
            Primitive::Add => a.wrapping_add(args[1].int()),
            Primitive::Subtract => a.wrapping_sub(args[1].int()),
            Primitive::Multiply => a.wrapping_mul(args[1].int()),
            _ => 0i64.wrapping_sub(a),
        }));
    }
    let a = args[0].float();
    Value::Float(dialect.round(match primitive {
        Primitive::Add => a + args[1].float(),
        Primitive::Subtract => a - args[1].float(),
        Primitive::Multiply => a * args[1].float(),
        _ => 0.0 - a,
    }))
}

fn divide(primitive: Primitive, args: &[Value], dialect: Dialect, checked: bool) -> Outcome {
    match (&args[0], &args[1]) {
        (Value::Int(_), Value::Int(0)) if checked => Err(FaultCode::Divide),
        (Value::Int(_), Value::Int(0)) => Ok(Value::Int(0)),
        (Value::Int(a), Value::Int(b)) => Ok(Value::Int(dialect.wrap(match primitive {
            Primitive::Divide => a.wrapping_div(*b),
            _ => a.wrapping_rem(*b),
        }))),
        (a, b) if checked && b.float() == 0.0 => {
            debug_assert!(matches!(a, Value::Float(_)));
            Err(FaultCode::Divide)
        }
        (a, b) => Ok(Value::Float(dialect.round(a.float() / b.float()))),
    }
}

/// Shifts an integer; the count is masked to the width, as everywhere below NESL.
fn shift(primitive: Primitive, args: &[Value], dialect: Dialect) -> Value {
    let (value, count) = (args[0].int(), args[1].int() as u32 & (dialect.int_bits() - 1));
    Value::Int(match primitive {
        Primitive::ShiftLeft => dialect.wrap(value.wrapping_shl(count)),
        _ => value >> count,
    })
}

fn elementary(primitive: Primitive, value: f64, dialect: Dialect) -> Value {
    let op = match primitive {
        Primitive::Sqrt => Op::Sqrt,
        Primitive::Ln => Op::Ln,
        Primitive::Exp => Op::Exp,
        Primitive::Sin => Op::Sin,
        Primitive::Cos => Op::Cos,
        Primitive::Tan => Op::Tan,
        Primitive::Asin => Op::Asin,
        Primitive::Acos => Op::Acos,
        Primitive::Atan => Op::Atan,
        Primitive::Sinh => Op::Sinh,
        Primitive::Cosh => Op::Cosh,
        _ => Op::Tanh,
    };
    let operand = match dialect.float {
        Width::W32 => Scalar::F32(value as f32),
        Width::W64 => Scalar::F64(value),
    };
    Value::Float(match eval_op(op, &[operand]) {
        Scalar::F32(value) => f64::from(value),
        Scalar::F64(value) => value,
        other => unreachable!("{other:?} is no float"),
    })
}

/// Converts a float to an integer as λcu does: out of range to the nearest integer, NaN to 0.
fn saturate(value: f64, dialect: Dialect) -> i64 {
    (value as i64).clamp(dialect.min_int(), dialect.max_int())
}
