//! Values of the session as those of λcu, and back.

use crate::core::{CoreType, CoreTypes, Ty};
use crate::dialect::Dialect;
use crate::interp::{Sequence, Value};
use nestled_ir::value::{Array, AxisValue, Buffer, Segmentation, Value as Flat};
use nestled_ir::{Scalar, ScalarType};
use std::sync::Arc;

/// Arguments of a λcu function.
#[derive(Default)]
pub(crate) struct Given {
    pub shapes: Vec<AxisValue>,
    pub args: Vec<Flat>,
}

/// Sequences of the session that λcu has already: those that it made, as long as the session keeps them.
#[derive(Debug, Default)]
pub(crate) struct Known {
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    elements: Arc<Sequence>,
    parts: Vec<Flat>,
}

impl Known {
    /// Keeps what a sequence is made of.
    fn keep(&mut self, value: &Value, parts: Vec<Flat>) {
        self.entries.retain(|entry| Arc::strong_count(&entry.elements) > 1);
        let elements = Arc::clone(value.elements());
        self.entries.push(Entry { elements, parts });
    }

    /// Gives a value, from what is known of it if possible.
    pub fn give(&self, value: &Value, ty: Ty, types: &CoreTypes, dialect: Dialect, given: &mut Given) {
        let known = match value {
            Value::Seq(elements) => self.entries.iter().find(|entry| Arc::ptr_eq(&entry.elements, elements)),
            _ => None,
        };
        let Some(known) = known else { return give(value, ty, types, dialect, given) };
        for part in &known.parts {
            match part.as_axis() {
                Some(axis) => given.shapes.push(axis),
                None => given.args.push(part.clone()),
            }
        }
    }

    /// The value that results are; its sequences are kept.
    pub fn take(&mut self, ty: Ty, types: &CoreTypes, results: &mut &[Flat]) -> Value {
        match types.get(ty) {
            CoreType::Pair(left, right) => {
                let left = self.take(*left, types, results);
                Value::pair(left, self.take(*right, types, results))
            }
            CoreType::Seq(_) => {
                let all = *results;
                let mut rest = all.iter();
                let value = take(ty, types, &mut rest);
                let used = all.len() - rest.len();
                *results = &all[used..];
                self.keep(&value, all[..used].to_vec());
                value
            }
            _ => {
                let mut rest = results.iter();
                let value = take(ty, types, &mut rest);
                *results = rest.as_slice();
                value
            }
        }
    }
}

/// Gives a value: shapes before what lies in them, as the layout of level 0 says.
fn give(value: &Value, ty: Ty, types: &CoreTypes, dialect: Dialect, given: &mut Given) {
    give_all(&[value], ty, types, dialect, &[], given);
}

fn give_all(
    values: &[&Value],
    ty: Ty,
    types: &CoreTypes,
    dialect: Dialect,
    axis: &[AxisValue],
    given: &mut Given,
) {
    match types.get(ty) {
        CoreType::Seq(element) => {
            let lengths = values.iter().map(|value| value.elements().len() as u64);
            let shape = match axis {
                [] => AxisValue::Extent(values[0].elements().len() as u64),
                _ => {
                    let seg =
                        Segmentation::from_lengths(axis.to_vec(), lengths.collect::<Vec<_>>().into_iter());
                    AxisValue::Seg(Arc::new(seg.expect("what is in memory can be counted")))
                }
            };
            given.shapes.push(shape.clone());
            let inner: Vec<&Value> = values.iter().flat_map(|value| value.elements().iter()).collect();
            give_all(&inner, *element, types, dialect, &[shape], given);
        }
        CoreType::Pair(left, right) => {
            let firsts: Vec<&Value> = values.iter().map(|value| &value.parts().0).collect();
            give_all(&firsts, *left, types, dialect, axis, given);
            let seconds: Vec<&Value> = values.iter().map(|value| &value.parts().1).collect();
            give_all(&seconds, *right, types, dialect, axis, given);
        }
        CoreType::Closure(closure) => {
            for (at, ty) in closure.captured.iter().enumerate() {
                let parts: Vec<&Value> = values.iter().map(|value| &value.captured()[at]).collect();
                give_all(&parts, *ty, types, dialect, axis, given);
            }
        }
        scalar => given.args.push(match axis {
            [] => Flat::Scalar(as_scalar(values[0], dialect)),
            _ => Flat::Array(Array::dense(axis.to_vec(), buffer(values, scalar, dialect))),
        }),
    }
}

/// The scalars as a buffer.
fn buffer(values: &[&Value], ty: &CoreType, dialect: Dialect) -> Buffer {
    let values = values.iter();
    match scalar_type(ty, dialect) {
        ScalarType::I64 => Buffer::I64(values.map(|value| value.int()).collect()),
        ScalarType::I32 => Buffer::I32(values.map(|value| value.int() as i32).collect()),
        ScalarType::F64 => Buffer::F64(values.map(|value| value.float()).collect()),
        ScalarType::F32 => Buffer::F32(values.map(|value| value.float() as f32).collect()),
        ScalarType::Bool => Buffer::Bool(values.map(|value| value.bool()).collect()),
        elem => {
            Buffer::from_scalars(elem, &values.map(|value| as_scalar(value, dialect)).collect::<Vec<_>>())
        }
    }
}

fn scalar_type(ty: &CoreType, dialect: Dialect) -> ScalarType {
    match ty {
        CoreType::Int => dialect.int_type(),
        CoreType::Float => dialect.float_type(),
        CoreType::Char => ScalarType::U8,
        _ => ScalarType::Bool,
    }
}

fn as_scalar(value: &Value, dialect: Dialect) -> Scalar {
    match value {
        Value::Int(value) => dialect.int_scalar(*value),
        Value::Float(value) => dialect.float_scalar(*value),
        Value::Char(code) => Scalar::U8(*code),
        other => Scalar::Bool(other.bool()),
    }
}

/// What the values of a type are made of.
enum Form {
    Scalar,
    Pair(Box<Form>, Box<Form>),
    Seq(Box<Form>),
    Closure(Vec<Form>),
}

impl Form {
    fn of(ty: Ty, types: &CoreTypes) -> Form {
        match types.get(ty) {
            CoreType::Seq(element) => Form::Seq(Box::new(Form::of(*element, types))),
            CoreType::Pair(left, right) => {
                Form::Pair(Box::new(Form::of(*left, types)), Box::new(Form::of(*right, types)))
            }
            CoreType::Closure(closure) => {
                Form::Closure(closure.captured.iter().map(|ty| Form::of(*ty, types)).collect())
            }
            _ => Form::Scalar,
        }
    }

    /// How many results make a value.
    fn width(&self) -> usize {
        match self {
            Form::Scalar => 1,
            Form::Pair(left, right) => left.width() + right.width(),
            Form::Seq(element) => 1 + element.width(),
            Form::Closure(captured) => captured.iter().map(Form::width).sum(),
        }
    }
}

/// The value that results are. The elements of a sequence are made when somebody looks at them.
fn take(ty: Ty, types: &CoreTypes, results: &mut std::slice::Iter<'_, Flat>) -> Value {
    let form = Form::of(ty, types);
    let Form::Seq(element) = form else {
        return take_all(&form, 1, results).pop().expect("there is one value");
    };
    let len = extent(results.next().expect("a shape for each sequence"));
    let parts: Vec<Flat> = results.by_ref().take(element.width()).cloned().collect();
    let first = move |most: usize| take_all(&element, most, &mut parts.iter());
    Value::Seq(Arc::new(Sequence::later(len, Box::new(first))))
}

fn extent(shape: &Flat) -> usize {
    match shape {
        Flat::Dim(extent) => *extent as usize,
        other => other.as_scalar().and_then(Scalar::as_integer).unwrap_or(0) as usize,
    }
}

/// The values at the first points of an axis.
fn take_all(form: &Form, points: usize, results: &mut std::slice::Iter<'_, Flat>) -> Vec<Value> {
    match form {
        Form::Seq(element) => {
            let lengths: Vec<usize> = match results.next().expect("a shape for each sequence") {
                Flat::Seg(seg) => (0..seg.n_segments().min(points as u64))
                    .map(|at| seg.lengths.length(at) as usize)
                    .collect(),
                other => vec![extent(other)],
            };
            let total = lengths.iter().sum();
            let mut elements = take_all(element, total, results).into_iter();
            lengths.into_iter().map(|length| Value::seq(elements.by_ref().take(length).collect())).collect()
        }
        Form::Pair(left, right) => {
            let left = take_all(left, points, results);
            let right = take_all(right, points, results);
            left.into_iter().zip(right).map(|(left, right)| Value::pair(left, right)).collect()
        }
        Form::Closure(captured) => {
            let columns: Vec<Vec<Value>> =
                captured.iter().map(|form| take_all(form, points, results)).collect();
            (0..points)
                .map(|at| Value::Closure(Arc::new(columns.iter().map(|column| column[at].clone()).collect())))
                .collect()
        }
        Form::Scalar => match results.next().expect("a result for each scalar") {
            Flat::Array(array) => match (&*array.data, &array.starts) {
                (Buffer::I64(all), None) => all.iter().take(points).map(|value| Value::Int(*value)).collect(),
                (Buffer::F64(all), None) => {
                    all.iter().take(points).map(|value| Value::Float(*value)).collect()
                }
                (Buffer::F32(all), None) => {
                    all.iter().take(points).map(|value| Value::Float(f64::from(*value))).collect()
                }
                _ => array.elements().take(points).map(from_scalar).collect(),
            },
            other => other.as_scalar().map(from_scalar).into_iter().collect(),
        },
    }
}

fn from_scalar(scalar: Scalar) -> Value {
    match scalar {
        Scalar::Bool(value) => Value::Bool(value),
        Scalar::U8(code) => Value::Char(code),
        Scalar::F32(value) => Value::Float(f64::from(value)),
        Scalar::F64(value) => Value::Float(value),
        other => Value::Int(other.as_integer().unwrap_or(0)),
    }
}
