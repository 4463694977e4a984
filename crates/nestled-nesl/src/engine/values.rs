//! Conversion of values: nested values of the session to flat arrays of λcu, and back.

use crate::core::{CoreType, CoreTypes, Ty};
use crate::dialect::Dialect;
use crate::interp::{Sequence, Source, Value};
use crate::session::{Column, Elements as OutsideElements};
use nestled_ir::value::{Array, AxisValue, Buffer, Lengths, Segmentation, Value as Flat};
use nestled_ir::{Scalar, ScalarType};
use std::ops::Range;
use std::sync::Arc;

/// Arguments of a λcu function.
#[derive(Default)]
pub(crate) struct Given {
    pub shapes: Vec<AxisValue>,
    pub args: Vec<Flat>,
}

impl Given {
    fn add(&mut self, part: Flat) {
        match part.as_axis() {
            Some(axis) => self.shapes.push(axis),
            None => self.args.push(part),
        }
    }
}

/// Cache of flat arrays: sequences that λcu computed keep their flat form as long as the session keeps them.
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
    /// Records the flat arrays of a sequence.
    fn keep(&mut self, value: &Value, parts: Vec<Flat>) {
        self.entries.retain(|entry| Arc::strong_count(&entry.elements) > 1);
        let elements = Arc::clone(value.elements());
        self.entries.push(Entry { elements, parts });
    }

    /// Flattens a value, from the cache if possible.
    pub fn give(&self, value: &Value, ty: Ty, types: &CoreTypes, dialect: Dialect, given: &mut Given) {
        if let (Value::Pair(parts), CoreType::Pair(left, right)) = (value, types.get(ty)) {
            self.give(&parts.0, *left, types, dialect, given);
            return self.give(&parts.1, *right, types, dialect, given);
        }
        let known = match value {
            Value::Seq(elements) => self.entries.iter().find(|entry| Arc::ptr_eq(&entry.elements, elements)),
            _ => None,
        };
        match known {
            Some(known) => known.parts.iter().for_each(|part| given.add(part.clone())),
            None => give(value, ty, types, dialect, given),
        }
    }

    /// Rebuilds a value from results, and records its sequences.
    pub fn take(&mut self, ty: Ty, types: &CoreTypes, results: &mut &[Flat]) -> Value {
        if let CoreType::Pair(left, right) = types.get(ty) {
            let left = self.take(*left, types, results);
            return Value::pair(left, self.take(*right, types, results));
        }
        let all = *results;
        let mut rest = all.iter();
        let columns = Columns::of(ty, types, &mut rest);
        *results = rest.as_slice();
        let value = match &*columns {
            Columns::Seqs(length, elements) => {
                // Also a short one, so that λcu need not be given it again.
                let (start, len) = (0, extent(length) as usize);
                let elements = Elements { all: Arc::clone(elements), start, len };
                Value::Seq(Arc::new(Sequence::later(len, Box::new(elements))))
            }
            _ => columns.values(0..1).pop().expect("there is one value"),
        };
        if matches!(value, Value::Seq(_)) {
            self.keep(&value, all[..all.len() - results.len()].to_vec());
        }
        value
    }
}

/// Flattens a value: shapes before the arrays over them, in the layout of level 0.
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
        CoreType::Data(_) => unreachable!("datatypes were translated"),
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

/// Makes a buffer of scalars.
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

/// Returns the flat arrays of the single value of a column from outside: shapes before the arrays over them.
pub(crate) fn parts_of(column: Column, dialect: Dialect) -> Vec<Flat> {
    let mut parts = Vec::new();
    add_parts(column, Vec::new(), dialect, &mut parts);
    parts
}

fn add_parts(column: Column, mut axes: Vec<AxisValue>, dialect: Dialect, parts: &mut Vec<Flat>) {
    match column {
        Column::Elements { shape, elements, .. } => {
            for extent in shape {
                axes = match axes.is_empty() {
                    true => vec![AxisValue::Extent(extent as u64)],
                    false => vec![AxisValue::Seg(Arc::new(Segmentation::regular(axes, extent as u64)))],
                };
                parts.extend(axes.iter().cloned().map(Flat::from));
            }
            parts.push(match axes.is_empty() {
                true => Flat::Scalar(buffer_of(elements, dialect).get(0)),
                false => Flat::Array(Array::dense(axes, buffer_of(elements, dialect))),
            });
        }
        Column::Rows { lengths, elements } => {
            axes = match axes.is_empty() {
                true => vec![AxisValue::Extent(lengths[0] as u64)],
                false => {
                    let lengths = lengths.into_iter().map(|length| length as u64);
                    let seg = Segmentation::from_lengths(axes, lengths.collect::<Vec<_>>().into_iter());
                    vec![AxisValue::Seg(Arc::new(seg.expect("what is in memory can be counted")))]
                }
            };
            parts.extend(axes.iter().cloned().map(Flat::from));
            add_parts(*elements, axes, dialect, parts);
        }
        Column::Pairs(left, right) => {
            add_parts(*left, axes.clone(), dialect, parts);
            add_parts(*right, axes, dialect, parts);
        }
    }
}

fn buffer_of(elements: OutsideElements, dialect: Dialect) -> Buffer {
    let narrow = |ty: ScalarType| ty.size() == 4;
    match elements {
        OutsideElements::Ints(values) if narrow(dialect.int_type()) => {
            Buffer::I32(values.into_iter().map(|value| value as i32).collect())
        }
        OutsideElements::Ints(values) => Buffer::I64(values),
        OutsideElements::Floats(values) if narrow(dialect.float_type()) => {
            Buffer::F32(values.into_iter().map(|value| value as f32).collect())
        }
        OutsideElements::Floats(values) => Buffer::F64(values),
        OutsideElements::Bools(values) => Buffer::Bool(values),
        OutsideElements::Chars(values) => Buffer::U8(values),
    }
}

/// Values of one type, stored column-wise in flat arrays.
enum Columns {
    /// A scalar, or an array of scalars.
    Scalars(Flat),
    Pairs(Arc<Columns>, Arc<Columns>),
    /// Sequences: their lengths, and all their elements.
    Seqs(Flat, Arc<Columns>),
    /// The captured values of closures.
    Closures(Vec<Arc<Columns>>),
}

/// Rows up to this length are made at once: a lazy row would take as much memory.
const SHORT: usize = 16;

impl Columns {
    /// Takes the results that represent values of a type.
    fn of(ty: Ty, types: &CoreTypes, results: &mut std::slice::Iter<'_, Flat>) -> Arc<Columns> {
        Arc::new(match types.get(ty) {
            CoreType::Seq(element) => {
                let lengths = results.next().expect("a shape for each sequence").clone();
                Columns::Seqs(lengths, Columns::of(*element, types, results))
            }
            CoreType::Pair(left, right) => {
                let left = Columns::of(*left, types, results);
                Columns::Pairs(left, Columns::of(*right, types, results))
            }
            CoreType::Closure(closure) => {
                let captured = closure.captured.iter();
                Columns::Closures(captured.map(|ty| Columns::of(*ty, types, results)).collect())
            }
            _ => Columns::Scalars(results.next().expect("a result for each scalar").clone()),
        })
    }

    /// Rebuilds a range of the values.
    fn values(&self, range: Range<usize>) -> Vec<Value> {
        match self {
            Columns::Scalars(Flat::Array(array)) => scalars(array, range),
            Columns::Scalars(other) => other.as_scalar().map(from_scalar).into_iter().collect(),
            Columns::Pairs(left, right) => {
                let (left, right) = (left.values(range.clone()), right.values(range));
                left.into_iter().zip(right).map(|(left, right)| Value::pair(left, right)).collect()
            }
            Columns::Seqs(Flat::Seg(seg), elements) => {
                let rows = range.start as u64..(range.end as u64).min(seg.n_segments());
                rows.map(|row| sequence(elements, seg.lengths.start(row), seg.lengths.length(row))).collect()
            }
            Columns::Seqs(extent, elements) => vec![sequence(elements, 0, self::extent(extent))],
            Columns::Closures(captured) => {
                let columns: Vec<Vec<Value>> = captured.iter().map(|all| all.values(range.clone())).collect();
                let of = |at: usize| columns.iter().map(|column| column[at].clone()).collect();
                (0..range.len()).map(|at| Value::Closure(Arc::new(of(at)))).collect()
            }
        }
    }
}

/// Makes a sequence of a number of elements from a position on; long ones are lazy.
fn sequence(elements: &Arc<Columns>, start: u64, length: u64) -> Value {
    let (start, len) = (start as usize, length as usize);
    if len <= SHORT {
        return Value::seq(elements.values(start..start + len));
    }
    let elements = Elements { all: Arc::clone(elements), start, len };
    Value::Seq(Arc::new(Sequence::later(len, Box::new(elements))))
}

/// The elements of one sequence, as a slice of the elements of all.
struct Elements {
    all: Arc<Columns>,
    start: usize,
    len: usize,
}

impl Source for Elements {
    fn elements(&self, range: Range<usize>) -> Vec<Value> {
        self.all.values(self.start + range.start..self.start + range.end)
    }

    fn characters(&self) -> Option<&[u8]> {
        match &*self.all {
            Columns::Scalars(Flat::Array(Array { starts: None, data, .. })) => match &**data {
                Buffer::U8(all) => all.get(self.start..self.start + self.len),
                _ => None,
            },
            _ => None,
        }
    }
}

fn extent(shape: &Flat) -> u64 {
    match shape {
        Flat::Dim(extent) => *extent,
        other => other.as_scalar().and_then(Scalar::as_integer).unwrap_or(0).max(0) as u64,
    }
}

/// Reads scalars of an array, in the order of its points.
fn scalars(array: &Array, range: Range<usize>) -> Vec<Value> {
    let (Some(starts), Some(AxisValue::Seg(seg))) = (&array.starts, array.shape.first()) else {
        return stored(&array.data, range);
    };
    let mut values = Vec::with_capacity(range.len());
    let (mut at, end) = (range.start as u64, (range.end as u64).min(seg.total()));
    let mut segment = segment_of(seg, at);
    while at < end {
        let skipped = at - seg.lengths.start(segment);
        let taken = (seg.lengths.length(segment) - skipped).min(end - at);
        let from = (starts[segment as usize] as u64 + skipped) as usize;
        values.extend(stored(&array.data, from..from + taken as usize));
        (at, segment) = (at + taken, segment + 1);
    }
    values
}

/// Returns the segment of a point.
fn segment_of(seg: &Segmentation, point: u64) -> u64 {
    match &seg.lengths {
        Lengths::Regular { length } => point.checked_div(*length).unwrap_or(0),
        // Empty ones before it begin where it does.
        Lengths::Offsets(offsets) => {
            offsets.partition_point(|offset| *offset as u64 <= point).saturating_sub(1) as u64
        }
    }
}

/// Reads scalars at consecutive places of a buffer.
fn stored(data: &Buffer, range: Range<usize>) -> Vec<Value> {
    match data {
        Buffer::I64(all) | Buffer::Idx(all) => all[range].iter().map(|value| Value::Int(*value)).collect(),
        Buffer::I32(all) => all[range].iter().map(|value| Value::Int(i64::from(*value))).collect(),
        Buffer::F64(all) => all[range].iter().map(|value| Value::Float(*value)).collect(),
        Buffer::F32(all) => all[range].iter().map(|value| Value::Float(f64::from(*value))).collect(),
        Buffer::Bool(all) => all[range].iter().map(|value| Value::Bool(*value)).collect(),
        Buffer::U8(all) => all[range].iter().map(|code| Value::Char(*code)).collect(),
        other => range.map(|at| from_scalar(other.get(at))).collect(),
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
