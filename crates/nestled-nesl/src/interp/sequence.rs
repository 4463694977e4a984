//! Interpreter of primitives on sequences.

use super::order::{reduce, scan};
use super::scalar::{arithmetic, compare};
use super::value::{Outcome, Value};
use crate::core::CoreType;
use crate::dialect::Dialect;
use crate::fault::FaultCode;
use crate::primitive::Primitive;
use nestled_ir::interp::eval_op;
use nestled_ir::{Op, Scalar};

/// Evaluates a primitive on sequences. `element` is the element type of a scan or reduction.
pub(super) fn sequence(
    primitive: Primitive,
    args: &[Value],
    element: &CoreType,
    dialect: Dialect,
    checked: bool,
) -> Option<Outcome> {
    use Primitive::*;
    let outcome = match primitive {
        Length => Ok(Value::Int(args[0].elements().len() as i64)),
        Distribute => distribute(&args[0], args[1].int(), checked),
        Index => {
            let length = args[0].int();
            if length < 0 && checked {
                return Some(Err(FaultCode::Range));
            }
            Ok(Value::seq((0..length).map(Value::Int).collect()))
        }
        Element => position(args[0].elements(), args[1].int(), FaultCode::Index, checked),
        Slice => slice(args[0].elements(), args[1].int(), args[2].int(), checked),
        Gather => gather(args[0].elements(), args[1].elements(), checked),
        Put => put(&args[0], &args[1], &args[2], checked),
        Pack => Ok(Value::seq(
            args[0]
                .elements()
                .iter()
                .filter(|pair| pair.parts().1.bool())
                .map(|pair| pair.parts().0.clone())
                .collect(),
        )),
        Append => {
            let mut joined = Vec::clone(args[0].elements());
            joined.extend_from_slice(args[1].elements());
            Ok(Value::seq(joined))
        }
        Flatten => Ok(Value::seq(
            args[0].elements().iter().flat_map(|inner| inner.elements().iter().cloned()).collect(),
        )),
        Partition => partition(args[0].elements(), args[1].elements(), checked),
        PlusScan | MultScan | MaxScan | MinScan | OrScan | AndScan | XorScan => {
            let step = monoid(primitive);
            let mut total = unit(step, element, dialect);
            if let (CoreType::Float, Monoid::Plus | Monoid::Times) = (element, step) {
                let values: Vec<f64> = args[0].elements().iter().map(Value::float).collect();
                let both = |a, b| combine(step, &Value::Float(a), &Value::Float(b), dialect).float();
                let prefixes = scan(values, total.float(), &both);
                return Some(Ok(Value::seq(prefixes.into_iter().map(Value::Float).collect())));
            }
            let mut prefixes = Vec::with_capacity(args[0].elements().len());
            for value in args[0].elements().iter() {
                let next = combine(step, &total, value, dialect);
                prefixes.push(std::mem::replace(&mut total, next));
            }
            Ok(Value::seq(prefixes))
        }
        Sum | Product | MaxVal | MinVal | Any | All | Parity => {
            let step = monoid(primitive);
            let first = unit(step, element, dialect);
            let elements = args[0].elements();
            Ok(match (element, step) {
                (CoreType::Float, Monoid::Plus | Monoid::Times) => {
                    let values: Vec<f64> = elements.iter().map(Value::float).collect();
                    let both = |a, b| combine(step, &Value::Float(a), &Value::Float(b), dialect).float();
                    reduce(&values, &both).map_or(first, Value::Float)
                }
                _ => elements.iter().fold(first, |total, value| combine(step, &total, value, dialect)),
            })
        }
        Rank | RankDown => Ok(rank(args[0].elements(), primitive == RankDown)),
        AreRanks => Ok(Value::Bool(false)),
        _ => return None,
    };
    Some(outcome)
}

fn distribute(value: &Value, length: i64, checked: bool) -> Outcome {
    match usize::try_from(length) {
        Ok(length) => Ok(Value::seq(vec![value.clone(); length])),
        Err(_) if checked => Err(FaultCode::Range),
        Err(_) => Ok(Value::seq(Vec::new())),
    }
}

/// Reads the element at a position. Without checks a wrong position gives the nearest element; an empty sequence faults all the same, because there is no
/// element.
fn position(elements: &[Value], position: i64, code: FaultCode, checked: bool) -> Outcome {
    let found = usize::try_from(position).ok().and_then(|at| elements.get(at));
    if let Some(found) = found {
        return Ok(found.clone());
    }
    match elements.len() {
        length if length > 0 && !checked => {
            Ok(elements[position.clamp(0, length as i64 - 1) as usize].clone())
        }
        _ => Err(code),
    }
}

fn gather(elements: &[Value], indices: &[Value], checked: bool) -> Outcome {
    let one = |index: &Value| position(elements, index.int(), FaultCode::Gather, checked);
    Ok(Value::seq(indices.iter().map(one).collect::<Result<_, _>>()?))
}

/// Returns a number of elements from a position on.
fn slice(elements: &[Value], start: i64, length: i64, checked: bool) -> Outcome {
    let bounds = usize::try_from(start).ok().zip(usize::try_from(length).ok());
    let part = bounds.and_then(|(start, length)| elements.get(start..start.checked_add(length)?));
    match part {
        Some(part) => Ok(Value::seq(part.to_vec())),
        None if checked => Err(FaultCode::Subseq),
        None => Ok(Value::seq(Vec::new())),
    }
}

/// Scatters values into a copy of a sequence; of equal positions the last one stays.
fn put(values: &Value, indices: &Value, destination: &Value, checked: bool) -> Outcome {
    let mut result = Vec::clone(destination.elements());
    let (values, indices) = (values.elements(), indices.elements());
    if values.len() != indices.len() && checked {
        return Err(FaultCode::Length);
    }
    for (value, index) in values.iter().zip(indices.iter()) {
        match usize::try_from(index.int()).ok().and_then(|at| result.get_mut(at)) {
            Some(place) => *place = value.clone(),
            None if checked => return Err(FaultCode::Write),
            None => {}
        }
    }
    Ok(Value::seq(result))
}

fn partition(elements: &[Value], counts: &[Value], checked: bool) -> Outcome {
    let mut rest = elements;
    let mut parts = Vec::with_capacity(counts.len());
    for count in counts {
        let count = match usize::try_from(count.int()) {
            Ok(count) if count <= rest.len() => count,
            _ if checked => return Err(FaultCode::Partition),
            Ok(_) => rest.len(),
            Err(_) => 0,
        };
        let (part, after) = rest.split_at(count);
        parts.push(Value::seq(part.to_vec()));
        rest = after;
    }
    if !rest.is_empty() && checked {
        return Err(FaultCode::Partition);
    }
    Ok(Value::seq(parts))
}

/// The monoid of a scan or reduction.
#[derive(Clone, Copy)]
enum Monoid {
    Plus,
    Times,
    Max,
    Min,
    Or,
    And,
    Xor,
}

fn monoid(primitive: Primitive) -> Monoid {
    match primitive {
        Primitive::PlusScan | Primitive::Sum => Monoid::Plus,
        Primitive::MultScan | Primitive::Product => Monoid::Times,
        Primitive::MaxScan | Primitive::MaxVal => Monoid::Max,
        Primitive::MinScan | Primitive::MinVal => Monoid::Min,
        Primitive::OrScan | Primitive::Any => Monoid::Or,
        Primitive::AndScan | Primitive::All => Monoid::And,
        _ => Monoid::Xor,
    }
}

/// The original's identity of `max_scan` on floats, in single precision.
const ORIGINAL_LIMIT: f64 = 1.0e36_f32 as f64;

fn unit(monoid: Monoid, element: &CoreType, dialect: Dialect) -> Value {
    let limit = if dialect.compat { ORIGINAL_LIMIT } else { f64::INFINITY };
    match (element, monoid) {
        (CoreType::Int, Monoid::Times) => Value::Int(1),
        (CoreType::Int, Monoid::Max) => Value::Int(dialect.min_int()),
        (CoreType::Int, Monoid::Min) => Value::Int(dialect.max_int()),
        (CoreType::Int, Monoid::And) => Value::Int(-1),
        (CoreType::Int, _) => Value::Int(0),
        (CoreType::Float, Monoid::Times) => Value::Float(1.0),
        (CoreType::Float, Monoid::Max) => Value::Float(-limit),
        (CoreType::Float, Monoid::Min) => Value::Float(limit),
        (CoreType::Float, _) => Value::Float(0.0),
        (CoreType::Char, Monoid::Min) => Value::Char(255),
        (CoreType::Char, _) => Value::Char(0),
        (_, Monoid::And) => Value::Bool(true),
        _ => Value::Bool(false),
    }
}

fn combine(monoid: Monoid, a: &Value, b: &Value, dialect: Dialect) -> Value {
    let logical = |ints: fn(i64, i64) -> i64, bools: fn(bool, bool) -> bool| match (a, b) {
        (Value::Int(a), Value::Int(b)) => Value::Int(ints(*a, *b)),
        (a, b) => Value::Bool(bools(a.bool(), b.bool())),
    };
    match monoid {
        Monoid::Plus => arithmetic(Primitive::Add, &[a.clone(), b.clone()], dialect),
        Monoid::Times => arithmetic(Primitive::Multiply, &[a.clone(), b.clone()], dialect),
        Monoid::Max => extreme(Op::Max, Primitive::Greater, a, b),
        Monoid::Min => extreme(Op::Min, Primitive::Less, a, b),
        Monoid::Or => logical(|a, b| a | b, |a, b| a | b),
        Monoid::And => logical(|a, b| a & b, |a, b| a & b),
        Monoid::Xor => logical(|a, b| a ^ b, |a, b| a ^ b),
    }
}

/// Returns the maximum or minimum. Floats follow λcu, whose rule for NaN is associative.
fn extreme(op: Op, better: Primitive, a: &Value, b: &Value) -> Value {
    match (a, b) {
        (Value::Float(x), Value::Float(y)) => match eval_op(op, &[Scalar::F64(*x), Scalar::F64(*y)]) {
            Scalar::F64(value) => Value::Float(value),
            other => unreachable!("{other:?} is no f64"),
        },
        _ if compare(better, a, b) => a.clone(),
        _ => b.clone(),
    }
}

/// Ranks elements by a stable sort. −0.0 is below +0.0; all NaNs are equal, and last in both orders.
fn rank(elements: &[Value], down: bool) -> Value {
    let mut order: Vec<usize> = (0..elements.len()).collect();
    order.sort_by(|&i, &j| {
        let ascending = match (&elements[i], &elements[j]) {
            (Value::Int(a), Value::Int(b)) => a.cmp(b),
            (a, b) => match (a.float(), b.float()) {
                (a, b) if a.is_nan() || b.is_nan() => return a.is_nan().cmp(&b.is_nan()),
                (a, b) => a.total_cmp(&b),
            },
        };
        if down { ascending.reverse() } else { ascending }
    });
    let mut ranks = vec![Value::Int(0); order.len()];
    for (rank, &from) in order.iter().enumerate() {
        ranks[from] = Value::Int(rank as i64);
    }
    Value::seq(ranks)
}
