//! Rust types as elements: where the type is known when the program is written, it says the schema.

use crate::fault::{expect, fault, told};
use crate::nested::Nested;
use crate::schema::{Kind, Schema};
use crate::value::Value;
use nestled_array::Result;

/// A type whose values are elements of nested arrays: numbers, `bool`, `String`, `Vec`, `Option`, tuples of two or three, and what [`record!`](crate::record!) defines.
///
/// ```
/// use nestled_nested::{Nested, Row};
/// assert_eq!(<Vec<(i8, Option<f32>)>>::schema().to_string(), "var * (int8, ?float32)");
/// let rows = Nested::from_rows([vec![1u16], vec![]]);
/// assert_eq!(rows.to_rows::<Vec<u16>>()?, [vec![1], vec![]]);
/// # Ok::<(), nestled_nested::Error>(())
/// ```
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

/// Defines a struct whose values are records in nested arrays: see [`Row`].
///
/// ```
/// use nestled_nested::{Nested, record};
/// record! {
///     /// A muon.
///     #[derive(Debug, PartialEq)]
///     pub struct Muon {
///         pub pt: f64,
///         pub charge: Option<i8>,
///     }
/// }
/// let muons = Nested::from_rows([vec![Muon { pt: 20.5, charge: Some(1) }], vec![]]);
/// assert_eq!(muons.type_string(), "2 * var * {pt: float64, charge: ?int8}");
/// let negative = muons.with_field("charge", &-muons.field("charge")?)?;
/// assert_eq!(negative.to_rows::<Vec<Muon>>()?[0], [Muon { pt: 20.5, charge: Some(-1) }]);
///
/// // Fields may be such records, in lists and missing ones too.
/// record! {
///     pub struct Event {
///         pub run: u32,
///         pub muons: Vec<Muon>,
///         pub best: Option<Muon>,
///     }
/// }
/// let events = Nested::from_rows([Event { run: 1, muons: vec![Muon { pt: 2.5, charge: None }], best: None }]);
/// assert_eq!(events.field("muons")?.field("pt")?.max(1)?.to_list()?.to_string(), "[2.5]");
/// assert_eq!(events.to_rows::<Event>()?[0].muons.len(), 1);
/// # Ok::<(), nestled_nested::Error>(())
/// ```
#[macro_export]
macro_rules! record {
    ($(#[$note:meta])* $visibility:vis struct $name:ident {
        $($(#[$field_note:meta])* $field_visibility:vis $field:ident: $ty:ty),+ $(,)?
    }) => {
        $(#[$note])*
        $visibility struct $name {
            $($(#[$field_note])* $field_visibility $field: $ty,)+
        }

        impl $crate::Row for $name {
            fn schema() -> $crate::Schema {
                $crate::Schema::Record(vec![
                    $((stringify!($field).to_owned(), <$ty as $crate::Row>::schema()),)+
                ])
            }
            fn into_value(self) -> $crate::Value {
                $crate::Value::record([$((stringify!($field), $crate::Row::into_value(self.$field)),)+])
            }
            fn from_value(value: $crate::Value) -> ::std::option::Option<$name> {
                let $crate::Value::Record(mut fields) = value else { return None };
                $(
                    let place = fields.iter().position(|(name, _)| name == stringify!($field))?;
                    let $field = <$ty as $crate::Row>::from_value(fields.swap_remove(place).1)?;
                )+
                Some($name { $($field),+ })
            }
        }
    };
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
