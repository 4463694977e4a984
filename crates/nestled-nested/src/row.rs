//! Rust types as elements: where the type is known when the program is written, it says the schema.

use crate::fault::{expect, fault, told};
use crate::nested::Nested;
use crate::schema::{Kind, Schema};
use crate::value::Value;
use nestled_array::Result;

/// A type whose values are elements of nested arrays: numbers, `bool`, `String`, `Vec`, `Option`, tuples of two or three, and
/// structs of [`#[derive(Record)]`](derive@crate::Record).
///
/// ```
/// use nestled_nested::{Nested, Row};
/// assert_eq!(<Vec<(i8, Option<f32>)>>::schema().to_string(), "var * (int8, ?float32)");
/// let rows = Nested::from_rows([vec![1u16], vec![]]);
/// assert_eq!(rows.to_rows::<Vec<u16>>()?, [vec![1], vec![]]);
/// # Ok::<(), nestled_nested::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no element of nested data",
    note = "elements are numbers, `bool`, `String`, `Vec`, `Option`, tuples of two or three, and structs of `#[derive(Record)]`"
)]
pub trait Row: Sized {
    /// The schema of such elements.
    fn schema() -> Schema;
    /// The element as a value.
    fn into_value(self) -> Value;
    /// The element that a value is, if it is of this type.
    fn from_value(value: Value) -> Option<Self>;
}

macro_rules! rows {
    ($($ty:ident $kind:ident $variant:ident $found:ident => $made:expr;)*) => {$(
        impl Row for $ty {
            fn schema() -> Schema {
                Schema::Number(Kind::$kind)
            }
            fn into_value(self) -> Value {
                self.into()
            }
            fn from_value(value: Value) -> Option<$ty> {
                if let Value::$variant($found) = value { $made } else { None }
            }
        }
    )*};
}

rows! {
    bool Bool Bool value => Some(value);
    i8 Int8 Int value => value.try_into().ok();
    u8 Uint8 Int value => value.try_into().ok();
    i16 Int16 Int value => value.try_into().ok();
    u16 Uint16 Int value => value.try_into().ok();
    i32 Int32 Int value => value.try_into().ok();
    u32 Uint32 Int value => value.try_into().ok();
    i64 Int64 Int value => value.try_into().ok();
    u64 Uint64 Int value => value.try_into().ok();
    f32 Float32 Float value => Some(value as f32);
    f64 Float64 Float value => Some(value);
}

impl Row for String {
    fn schema() -> Schema {
        Schema::String
    }
    fn into_value(self) -> Value {
        self.into()
    }
    fn from_value(value: Value) -> Option<String> {
        if let Value::String(text) = value { Some(text) } else { None }
    }
}

impl<T: Row> Row for Vec<T> {
    fn schema() -> Schema {
        Schema::List(Box::new(T::schema()))
    }
    fn into_value(self) -> Value {
        Value::list(self.into_iter().map(T::into_value))
    }
    fn from_value(value: Value) -> Option<Vec<T>> {
        if let Value::List(values) = value { values.into_iter().map(T::from_value).collect() } else { None }
    }
}

impl<T: Row> Row for Option<T> {
    fn schema() -> Schema {
        Schema::Option(Box::new(T::schema()))
    }
    fn into_value(self) -> Value {
        self.map_or(Value::Missing, T::into_value)
    }
    fn from_value(value: Value) -> Option<Option<T>> {
        if let Value::Missing = value { Some(None) } else { T::from_value(value).map(Some) }
    }
}

impl<A: Row, B: Row> Row for (A, B) {
    fn schema() -> Schema {
        Schema::Tuple(vec![A::schema(), B::schema()])
    }
    fn into_value(self) -> Value {
        Value::Tuple(vec![self.0.into_value(), self.1.into_value()])
    }
    fn from_value(value: Value) -> Option<(A, B)> {
        let Value::Tuple(values) = value else { return None };
        let [a, b] = <[Value; 2]>::try_from(values).ok()?;
        Some((A::from_value(a)?, B::from_value(b)?))
    }
}

impl<A: Row, B: Row, C: Row> Row for (A, B, C) {
    fn schema() -> Schema {
        Schema::Tuple(vec![A::schema(), B::schema(), C::schema()])
    }
    fn into_value(self) -> Value {
        Value::Tuple(vec![self.0.into_value(), self.1.into_value(), self.2.into_value()])
    }
    fn from_value(value: Value) -> Option<(A, B, C)> {
        let Value::Tuple(values) = value else { return None };
        let [a, b, c] = <[Value; 3]>::try_from(values).ok()?;
        Some((A::from_value(a)?, B::from_value(b)?, C::from_value(c)?))
    }
}

impl Nested {
    /// An array of values of a Rust type, which says the schema.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_rows([(1i8, vec![0.5f32]), (2, vec![])]);
    /// assert_eq!(rows.type_string(), "2 * (int8, var * float32)");
    /// ```
    #[track_caller]
    pub fn from_rows<T: Row>(rows: impl IntoIterator<Item = T>) -> Nested {
        expect(Nested::from_values_as(&T::schema(), rows.into_iter().map(T::into_value)))
    }

    /// The elements as values of a Rust type. Computes all columns together.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let pairs = Nested::from_iter([vec![1, 2], vec![3]]).combinations(2, 1)?;
    /// assert_eq!(pairs.to_rows::<Vec<(i64, i64)>>()?, [vec![(1, 2)], vec![]]);
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// The schema is not that of the type, but that lists may be of one length; and errors of evaluation.
    #[track_caller]
    pub fn to_rows<T: Row>(&self) -> Result<Vec<T>> {
        let rows = self.to_values()?.into_iter().map(T::from_value).collect::<Option<Vec<T>>>();
        match rows {
            Some(rows) => Ok(rows),
            None => told("to_rows", fault(format!("`{}` is not `{}`", self.schema(), T::schema()))),
        }
    }
}
