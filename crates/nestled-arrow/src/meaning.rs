//! Dates, times, durations and decimals: Arrow's types as meanings of integers, and back. Decimals are narrowed to 64 bits, dates in milliseconds to days; other columns are not copied.

use crate::fault::{Outcome, fault};
use crate::memory::{buffer, numbers};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, DecimalType, TimestampMillisecondType,
};
use arrow_array::{Array as _, ArrayRef, ArrowPrimitiveType, PrimitiveArray, make_array};
use arrow_buffer::{Buffer, NullBuffer, i256};
use arrow_data::ArrayData;
use arrow_schema::{DataType, TimeUnit};
use nestled_nested::{Array, Kind, Meaning, Nested, Unit};

/// Milliseconds of a day.
const DAY: i64 = 86_400_000;

fn unit(unit: TimeUnit) -> Unit {
    match unit {
        TimeUnit::Second => Unit::Second,
        TimeUnit::Millisecond => Unit::Milli,
        TimeUnit::Microsecond => Unit::Micro,
        TimeUnit::Nanosecond => Unit::Nano,
    }
}

fn time_unit(unit: Unit) -> TimeUnit {
    match unit {
        Unit::Second => TimeUnit::Second,
        Unit::Milli => TimeUnit::Millisecond,
        Unit::Micro => TimeUnit::Microsecond,
        Unit::Nano => TimeUnit::Nanosecond,
    }
}

/// The meaning of a type of times or decimals.
pub(crate) fn of_type(ty: &DataType) -> Outcome<Option<Meaning>> {
    Ok(Some(match ty {
        DataType::Date32 | DataType::Date64 => Meaning::Date,
        DataType::Time32(of) | DataType::Time64(of) => Meaning::Time(unit(*of)),
        DataType::Timestamp(of, zone) => Meaning::Timestamp(unit(*of), zone.clone()),
        DataType::Duration(of) => Meaning::Duration(unit(*of)),
        DataType::Decimal32(precision, scale)
        | DataType::Decimal64(precision, scale)
        | DataType::Decimal128(precision, scale)
        | DataType::Decimal256(precision, scale) => match u8::try_from(*scale) {
            Ok(scale) if scale <= 18 => Meaning::Decimal((*precision).min(38), scale),
            _ => return fault(format!("`{ty}` has {scale} digits after the point, and at most 18 are read")),
        },
        _ => return Ok(None),
    }))
}

/// The type that a meaning has in Arrow.
pub(crate) fn data_type(meaning: &Meaning) -> DataType {
    match meaning {
        Meaning::Date => DataType::Date32,
        Meaning::Time(of @ (Unit::Second | Unit::Milli)) => DataType::Time32(time_unit(*of)),
        Meaning::Time(of @ (Unit::Micro | Unit::Nano)) => DataType::Time64(time_unit(*of)),
        Meaning::Timestamp(of, zone) => DataType::Timestamp(time_unit(*of), zone.clone()),
        Meaning::Duration(of) => DataType::Duration(time_unit(*of)),
        Meaning::Decimal(precision, scale) => DataType::Decimal128(*precision, *scale as i8),
    }
}

/// The integers of an array with a meaning.
pub(crate) fn integers(array: &ArrayRef, meaning: &Meaning, nulls: Option<&NullBuffer>) -> Outcome<Nested> {
    let bare = match array.data_type() {
        DataType::Date64 => {
            let days = |ms: i64| i32::try_from(ms.div_euclid(DAY)).ok();
            let millis =
                array.to_data().into_builder().data_type(DataType::Timestamp(TimeUnit::Millisecond, None));
            let array = make_array(millis.build()?);
            let days = narrowed(array.as_primitive::<TimestampMillisecondType>(), nulls, days, |ms| {
                format!("the date at {ms} ms is beyond 32 bits of days")
            })?;
            Nested::from(Array::from_vec(days))
        }
        DataType::Decimal32(..) => decimals::<Decimal32Type>(array, nulls, |value| Some(value.into()))?,
        DataType::Decimal64(..) => decimals::<Decimal64Type>(array, nulls, Some)?,
        DataType::Decimal128(..) => decimals::<Decimal128Type>(array, nulls, |value| value.try_into().ok())?,
        DataType::Decimal256(..) => {
            decimals::<Decimal256Type>(array, nulls, |value: i256| value.to_i128()?.try_into().ok())?
        }
        _ if meaning.kind() == Kind::Int32 => Nested::from(numbers::<i32>(array)?),
        _ => Nested::from(numbers::<i64>(array)?),
    };
    Ok(bare.with_meaning(meaning)?)
}

fn decimals<T: DecimalType>(
    array: &ArrayRef,
    nulls: Option<&NullBuffer>,
    narrow: impl Fn(T::Native) -> Option<i64>,
) -> Outcome<Nested> {
    let too_great = |value: T::Native| {
        let text = T::format_decimal(value, 38, array_scale(array.data_type()));
        format!("the decimal {text} has more digits than 64 bits")
    };
    let values = narrowed(array.as_primitive::<T>(), nulls, narrow, too_great)?;
    Ok(Nested::from(Array::from_vec(values)))
}

fn array_scale(ty: &DataType) -> i8 {
    match ty {
        DataType::Decimal32(_, scale)
        | DataType::Decimal64(_, scale)
        | DataType::Decimal128(_, scale)
        | DataType::Decimal256(_, scale) => *scale,
        _ => 0,
    }
}

/// Narrower integers; where one is missing it may be anything, and becomes 0.
fn narrowed<T: ArrowPrimitiveType, N: Default>(
    array: &PrimitiveArray<T>,
    nulls: Option<&NullBuffer>,
    narrow: impl Fn(T::Native) -> Option<N>,
    why: impl Fn(T::Native) -> String,
) -> Outcome<Vec<N>> {
    let one = |(place, &value): (usize, &T::Native)| match narrow(value) {
        _ if nulls.is_some_and(|nulls| nulls.is_null(place)) => Ok(N::default()),
        Some(value) => Ok(value),
        None => fault(why(value)),
    };
    array.values().iter().enumerate().map(one).collect()
}

/// The array of integers with a meaning.
pub(crate) fn array(nested: &Nested, meaning: &Meaning, nulls: Option<NullBuffer>) -> Outcome<ArrayRef> {
    let bare = nested.as_integers()?;
    let values = match meaning {
        Meaning::Decimal(..) => wide(Array::<i64>::try_from(&bare)?.to_vec()?),
        _ if meaning.kind() == Kind::Int32 => buffer(&Array::<i32>::try_from(&bare)?)?,
        _ => buffer(&Array::<i64>::try_from(&bare)?)?,
    };
    of_buffer(meaning, nested.len(), values, nulls)
}

/// The array of integers that may be missing.
pub(crate) fn of_values(meaning: &Meaning, values: Vec<Option<i64>>) -> Outcome<ArrayRef> {
    let (length, nulls) = (values.len(), NullBuffer::from_iter(values.iter().map(Option::is_some)));
    let bare = values.into_iter().map(Option::unwrap_or_default);
    let values = match meaning.kind() {
        Kind::Int32 => Buffer::from_vec(bare.map(|value| value as i32).collect()),
        _ => Buffer::from_vec(bare.collect()),
    };
    of_buffer(meaning, length, values, Some(nulls))
}

fn of_buffer(
    meaning: &Meaning,
    length: usize,
    values: Buffer,
    nulls: Option<NullBuffer>,
) -> Outcome<ArrayRef> {
    let data = ArrayData::builder(data_type(meaning)).len(length).add_buffer(values).nulls(nulls);
    Ok(make_array(data.build()?))
}

fn wide(values: Vec<i64>) -> Buffer {
    let wide: Vec<i128> = values.into_iter().map(i128::from).collect();
    Buffer::from_vec(wide)
}
