//! Values: nested data as a tree on the host, one node for each number. It is what goes in, and what comes out, a piece at a time.

use crate::schema::Meaning;
use std::fmt;

/// A nested value: a number, a text, a list, a record …
///
/// Two values are equal if they are the same tree; a NaN equals a NaN, so that what came back can be compared with what went in.
///
/// ```
/// use nestled_nested::Value;
/// let event = Value::record([("met", 2.5.into()), ("jets", vec![1, 2].into())]);
/// assert_eq!(event.to_string(), "{met: 2.5, jets: [1, 2]}");
/// ```
#[derive(Clone, Debug)]
pub enum Value {
    /// A missing value.
    Missing,
    /// A boolean.
    Bool(bool),
    /// An integer of any of the types; those beyond `u64` and `i64` fit none.
    Int(i128),
    /// A float.
    Float(f64),
    /// A text.
    String(String),
    /// Bytes that need not be a text.
    Bytes(Vec<u8>),
    /// Any number of values.
    List(Vec<Value>),
    /// Values at numbered places, which may have different types.
    Tuple(Vec<Value>),
    /// Values under names.
    Record(Vec<(String, Value)>),
    /// A date, a time, a duration or a decimal, as an integer.
    Meant(Meaning, i64),
}

impl Value {
    /// A record of named values.
    ///
    /// ```
    /// use nestled_nested::Value;
    /// assert_eq!(Value::record([("x", 1.into())]).to_string(), "{x: 1}");
    /// ```
    pub fn record<N: Into<String>>(fields: impl IntoIterator<Item = (N, Value)>) -> Value {
        Value::Record(fields.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }

    /// A list of values.
    ///
    /// ```
    /// use nestled_nested::Value;
    /// assert_eq!(Value::list([1.into(), Value::Missing]).to_string(), "[1, None]");
    /// ```
    pub fn list(values: impl IntoIterator<Item = Value>) -> Value {
        Value::List(values.into_iter().collect())
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Missing, Value::Missing) => true,
            (Value::Bool(one), Value::Bool(other)) => one == other,
            (Value::Int(one), Value::Int(other)) => one == other,
            (Value::Float(one), Value::Float(other)) => one == other || one.is_nan() && other.is_nan(),
            (Value::String(one), Value::String(other)) => one == other,
            (Value::Bytes(one), Value::Bytes(other)) => one == other,
            (Value::List(one), Value::List(other)) | (Value::Tuple(one), Value::Tuple(other)) => one == other,
            (Value::Record(one), Value::Record(other)) => one == other,
            (Value::Meant(meaning, one), Value::Meant(other_meaning, other)) => {
                meaning == other_meaning && one == other
            }
            _ => false,
        }
    }
}

macro_rules! from {
    ($($ty:ty: $value:ident => $made:expr;)*) => {$(
        impl From<$ty> for Value {
            fn from($value: $ty) -> Value {
                $made
            }
        }
    )*};
}

from! {
    bool: value => Value::Bool(value);
    i8: value => Value::Int(value.into());
    u8: value => Value::Int(value.into());
    i16: value => Value::Int(value.into());
    u16: value => Value::Int(value.into());
    i32: value => Value::Int(value.into());
    u32: value => Value::Int(value.into());
    i64: value => Value::Int(value.into());
    u64: value => Value::Int(value.into());
    nestled_array::F16: value => Value::Float(value.to_f64());
    f32: value => Value::Float(value.into());
    f64: value => Value::Float(value);
    &str: value => Value::String(value.to_owned());
    String: value => Value::String(value);
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(values: Vec<T>) -> Value {
        Value::List(values.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::Missing, Into::into)
    }
}

impl<A: Into<Value>, B: Into<Value>> From<(A, B)> for Value {
    fn from((a, b): (A, B)) -> Value {
        Value::Tuple(vec![a.into(), b.into()])
    }
}

impl<A: Into<Value>, B: Into<Value>, C: Into<Value>> From<(A, B, C)> for Value {
    fn from((a, b, c): (A, B, C)) -> Value {
        Value::Tuple(vec![a.into(), b.into(), c.into()])
    }
}

fn listed(f: &mut fmt::Formatter<'_>, ends: [&str; 2], values: &[Value]) -> fmt::Result {
    f.write_str(ends[0])?;
    for (place, value) in values.iter().enumerate() {
        write!(f, "{}{value}", if place == 0 { "" } else { ", " })?;
    }
    f.write_str(ends[1])
}

/// On one line, as Python would write it.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Missing => f.write_str("None"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Int(value) => write!(f, "{value}"),
            Value::Float(value) if value.is_nan() => f.write_str("nan"),
            Value::Float(value) => write!(f, "{value:?}"),
            Value::String(value) => write!(f, "{value:?}"),
            Value::Bytes(value) => write!(f, "b\"{}\"", value.escape_ascii()),
            Value::List(values) => listed(f, ["[", "]"], values),
            Value::Meant(meaning, value) => f.write_str(&meaning.written(*value)),
            Value::Tuple(values) if values.len() == 1 => write!(f, "({},)", values[0]),
            Value::Tuple(values) => listed(f, ["(", ")"], values),
            Value::Record(fields) => {
                f.write_str("{")?;
                for (place, (name, value)) in fields.iter().enumerate() {
                    write!(
                        f,
                        "{}{}: {value}",
                        if place == 0 { "" } else { ", " },
                        crate::schema::quoted(name)
                    )?;
                }
                f.write_str("}")
            }
        }
    }
}
