//! Bounds: wanted values of a column, and the row groups of Parquet that have none of them, as their statistics say.
//!
//! A group is left out only where that is certain: without statistics, or with such as may mean something else, it is read.

use super::table::Bounds;
use crate::fault::{InColumn, Outcome, fault};
use crate::meaning;
use arrow_schema::DataType;
use nestled_nested::{Meaning, Unit, Value};
use parquet::basic::{ColumnOrder, SortOrder};
use parquet::file::metadata::ParquetMetaData;
use parquet::file::statistics::{Statistics, ValueStatistics};
use std::cmp::Ordering;
use std::ops::Bound;

/// A value as statistics have them, which is compared with others of its kind only.
#[derive(Debug)]
enum Point {
    Truth(bool),
    Int(i128),
    Float(f64),
    Bytes(Vec<u8>),
}

impl PartialEq for Point {
    fn eq(&self, other: &Point) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for Point {
    fn partial_cmp(&self, other: &Point) -> Option<Ordering> {
        match (self, other) {
            (Point::Truth(one), Point::Truth(other)) => Some(one.cmp(other)),
            (Point::Int(one), Point::Int(other)) => Some(one.cmp(other)),
            (Point::Float(one), Point::Float(other)) => one.partial_cmp(other),
            (Point::Int(one), Point::Float(other)) => int_and_float(*one, *other),
            (Point::Float(one), Point::Int(other)) => int_and_float(*other, *one).map(Ordering::reverse),
            (Point::Bytes(one), Point::Bytes(other)) => Some(one.cmp(other)),
            _ => None,
        }
    }
}

/// Compares without rounding.
fn int_and_float(int: i128, float: f64) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    // Beyond 128 bits it becomes the nearest integer, which is beyond all of a column.
    let whole = float.floor();
    Some(int.cmp(&(whole as i128)).then(if float > whole { Ordering::Less } else { Ordering::Equal }))
}

/// The kind of a column's values.
enum Kind {
    Truth,
    Number,
    Text,
    Bytes,
    /// Integers that count this unit.
    Time(Meaning),
}

impl Kind {
    /// The kind of a type, if its values are compared.
    fn of(ty: &DataType) -> Outcome<Kind> {
        use DataType::*;
        Ok(match ty {
            Boolean => Kind::Truth,
            Int8 | Int16 | Int32 | Int64 | UInt8 | UInt16 | UInt32 | UInt64 | Float32 | Float64 => {
                Kind::Number
            }
            Utf8 | LargeUtf8 | Utf8View => Kind::Text,
            Binary | LargeBinary | BinaryView => Kind::Bytes,
            Dictionary(_, words) => return Kind::of(words),
            _ => match meaning::of_type(ty)? {
                Some(meaning) if !matches!(meaning, Meaning::Decimal(..)) => Kind::Time(meaning),
                _ => return fault(format!("`{ty}` has no bounds by which row groups are chosen")),
            },
        })
    }

    /// A value of a bound, as the column has them.
    fn point(&self, value: &Value) -> Outcome<Point> {
        Ok(match (self, value) {
            (Kind::Truth, Value::Bool(value)) => Point::Truth(*value),
            (Kind::Number, Value::Int(value)) => Point::Int(*value),
            (Kind::Number, Value::Float(value)) => Point::Float(*value),
            (Kind::Text, Value::String(value)) => Point::Bytes(value.clone().into_bytes()),
            (Kind::Bytes, Value::Bytes(value)) => Point::Bytes(value.clone()),
            (Kind::Time(own), Value::Meant(meaning, value)) if are_alike(own, meaning) => {
                Point::Int(i128::from(*value) * nanoseconds(meaning))
            }
            (Kind::Time(own), Value::String(text)) => match own.read(text) {
                Some(value) => Point::Int(i128::from(value) * nanoseconds(own)),
                None => return fault(format!("the bound `{text}` is no `{}`", meaning::data_type(own))),
            },
            _ => return fault(format!("the bound `{value}` is of another type than its values")),
        })
    }

    /// The least and the greatest value, as far as it is certain.
    fn extremes(&self, statistics: &Statistics, order: SortOrder) -> (Option<Point>, Option<Point>) {
        if statistics.is_min_max_deprecated() {
            // Programs did not agree on the order of these.
            return (None, None);
        }
        let int = |signed: i64, unsigned: u64| match (self, order) {
            (Kind::Time(meaning), SortOrder::SIGNED) => {
                Some(Point::Int(i128::from(signed) * nanoseconds(meaning)))
            }
            (Kind::Number, SortOrder::SIGNED) => Some(Point::Int(signed.into())),
            (Kind::Number, SortOrder::UNSIGNED) => Some(Point::Int(unsigned.into())),
            _ => None,
        };
        let is_defined = matches!(order, SortOrder::SIGNED | SortOrder::TOTAL_ORDER);
        let float = |value: f64| (is_defined && !value.is_nan()).then_some(Point::Float(value));
        match (self, statistics) {
            (Kind::Truth, Statistics::Boolean(of)) => both(of, |&value| Some(Point::Truth(value))),
            (_, Statistics::Int32(of)) => both(of, |&value| int(value.into(), (value as u32).into())),
            (_, Statistics::Int64(of)) => both(of, |&value| int(value, value as u64)),
            (Kind::Number, Statistics::Float(of)) => both(of, |&value| float(value.into())),
            (Kind::Number, Statistics::Double(of)) => both(of, |&value| float(value)),
            // Cut short they are bounds still.
            (Kind::Text | Kind::Bytes, Statistics::ByteArray(of)) if order == SortOrder::UNSIGNED => {
                both(of, |value| Some(Point::Bytes(value.data().to_vec())))
            }
            _ => (None, None),
        }
    }
}

fn both<T>(of: &ValueStatistics<T>, point: impl Fn(&T) -> Option<Point>) -> (Option<Point>, Option<Point>) {
    (of.min_opt().and_then(&point), of.max_opt().and_then(&point))
}

/// True if values of both are compared: instants are not what clocks show.
fn are_alike(one: &Meaning, other: &Meaning) -> bool {
    match (one, other) {
        (Meaning::Timestamp(_, one), Meaning::Timestamp(_, other)) => one.is_some() == other.is_some(),
        _ => std::mem::discriminant(one) == std::mem::discriminant(other),
    }
}

/// The nanoseconds of what integers count.
fn nanoseconds(meaning: &Meaning) -> i128 {
    let second = i128::from(Unit::Nano.per_second());
    match meaning {
        Meaning::Date => 86_400 * second,
        Meaning::Time(unit) | Meaning::Timestamp(unit, _) | Meaning::Duration(unit) => {
            second / i128::from(unit.per_second())
        }
        Meaning::Decimal(..) => 1,
    }
}

/// Keeps the row groups that may have wanted values of a column, which is this leaf of the file, of this type.
pub(super) fn keep(
    groups: &mut Vec<usize>,
    bounds: &Bounds,
    metadata: &ParquetMetaData,
    (leaf, ty): (usize, &DataType),
) -> Outcome<()> {
    let wanted = Kind::of(ty).and_then(|kind| {
        let point = |bound: &Bound<Value>| match bound {
            Bound::Unbounded => Ok(Bound::Unbounded),
            Bound::Included(value) => kind.point(value).map(Bound::Included),
            Bound::Excluded(value) => kind.point(value).map(Bound::Excluded),
        };
        let (low, high) = (point(&bounds.low)?, point(&bounds.high)?);
        Ok((kind, low, high))
    });
    let (kind, low, high) = wanted.in_column(&bounds.column)?;
    let orders = metadata.file_metadata().column_orders();
    let order = orders.and_then(|orders| orders.get(leaf)).map_or(ColumnOrder::UNKNOWN, |order| *order);
    groups.retain(|&group| {
        let Some(statistics) = metadata.row_group(group).column(leaf).statistics() else { return true };
        let (least, greatest) = kind.extremes(statistics, order.sort_order());
        if least.as_ref().zip(greatest.as_ref()).is_some_and(|(least, greatest)| greatest < least) {
            return true;
        }
        let is_below = greatest.is_some_and(|greatest| match &low {
            Bound::Unbounded => false,
            Bound::Included(low) => greatest < *low,
            Bound::Excluded(low) => greatest <= *low,
        });
        let is_above = least.is_some_and(|least| match &high {
            Bound::Unbounded => false,
            Bound::Included(high) => least > *high,
            Bound::Excluded(high) => least >= *high,
        });
        !is_below && !is_above
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_and_floats_are_compared_exactly() {
        let great = 1i128 << 53;
        for (int, float, wanted) in [
            (1, 1.0, Ordering::Equal),
            (1, 1.5, Ordering::Less),
            (2, 1.5, Ordering::Greater),
            (-1, -1.5, Ordering::Greater),
            (-2, -1.5, Ordering::Less),
            (great + 1, great as f64, Ordering::Greater),
            (great - 1, great as f64, Ordering::Less),
            (i128::from(u64::MAX), f64::INFINITY, Ordering::Less),
            (i128::from(i64::MIN), -1e300, Ordering::Greater),
        ] {
            assert_eq!(Point::Int(int).partial_cmp(&Point::Float(float)), Some(wanted), "{int} {float}");
            assert_eq!(Point::Float(float).partial_cmp(&Point::Int(int)), Some(wanted.reverse()));
        }
        assert_eq!(Point::Int(0).partial_cmp(&Point::Float(f64::NAN)), None);
        assert_eq!(Point::Int(0).partial_cmp(&Point::Bytes(Vec::new())), None);
    }
}
