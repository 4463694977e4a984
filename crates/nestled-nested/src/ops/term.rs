//! Operands: arrays, and numbers that take the type of an array.

use crate::column::Column;
use crate::fault::{Outcome, fault};
use crate::nested::{Layout, Nested};
use crate::schema::Kind;
use nestled_array::Array;

/// An operand: a nested array, or a number, a boolean or a text. A number takes the type of the array, unless that is too narrow in kind: an integer and 0.5 make `float64`.
///
/// ```
/// use nestled_nested::Nested;
/// let pt = Nested::from_values_as(&"float32".parse()?, [1.5, 2.5])?;
/// assert_eq!((&pt * 2).type_string(), "2 * float32");
/// assert_eq!((&Nested::from_iter([1, 2]) * 0.5).type_string(), "2 * float64");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Term {
    /// An array.
    Nested(Nested),
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// A boolean.
    Bool(bool),
    /// A text.
    String(String),
}

macro_rules! terms {
    ($($ty:ty: $value:ident => $made:expr;)*) => {$(
        impl From<$ty> for Term {
            fn from($value: $ty) -> Term {
                $made
            }
        }
    )*};
}

terms! {
    Nested: value => Term::Nested(value);
    &Nested: value => Term::Nested(value.clone());
    i32: value => Term::Int(value.into());
    i64: value => Term::Int(value);
    f32: value => Term::Float(value.into());
    f64: value => Term::Float(value);
    bool: value => Term::Bool(value);
    &str: value => Term::String(value.to_owned());
    &String: value => Term::String(value.clone());
    String: value => Term::String(value);
}

/// A number as a column of no axis, in the type that goes with a column.
pub(crate) fn literal(term: &Term, with: Kind) -> Outcome<Column> {
    match term {
        Term::Int(value) => {
            let fits = with.is_float() || with != Kind::Bool && fits(*value, with);
            Ok(Column::from(Array::scalar(*value)).cast(if fits { with } else { Kind::Int64 }))
        }
        Term::Float(value) => {
            Ok(Column::from(Array::scalar(*value)).cast(if with.is_float() { with } else { Kind::Float64 }))
        }
        Term::Bool(value) => Ok(Column::from(Array::scalar(*value)).cast(with)),
        Term::String(text) => fault(format!("{text:?} is no number, and `{with}` is one")),
        Term::Nested(_) => unreachable!("an array is no literal"),
    }
}

fn fits(value: i64, kind: Kind) -> bool {
    match kind {
        Kind::Int8 => i8::try_from(value).is_ok(),
        Kind::Uint8 => u8::try_from(value).is_ok(),
        Kind::Int16 => i16::try_from(value).is_ok(),
        Kind::Uint16 => u16::try_from(value).is_ok(),
        Kind::Int32 => i32::try_from(value).is_ok(),
        Kind::Uint32 => u32::try_from(value).is_ok(),
        Kind::Uint64 => u64::try_from(value).is_ok(),
        Kind::Int64 | Kind::Bool | Kind::Float16 | Kind::Float32 | Kind::Float64 => true,
    }
}

/// The column of a leaf, or an error that says what is there instead.
pub(crate) fn column(nested: &Nested) -> Outcome<&Column> {
    match &nested.layout {
        Layout::Leaf(column) => Ok(column),
        Layout::Record(_) | Layout::Tuple(_) => {
            fault(format!("`{}` is a record: choose a field", nested.schema()))
        }
        Layout::Union(..) => {
            fault(format!("`{}` is a union: `project` takes one of its variants", nested.schema()))
        }
        Layout::Meant(meaning, _) => {
            fault(format!("`{meaning}` is no number; `as_integers` gives its integers"))
        }
        _ => fault(format!("`{}` is no number", nested.schema())),
    }
}
