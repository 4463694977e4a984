//! Elementary functions of each number.

use super::arithmetic_columns::each_bits;
use super::meant::{floats_of, keeping};
use super::term::column;
use crate::broadcast::broadcast;
use crate::column::{Column, Typed, each_number};
use crate::fault::{Outcome, fault, told};
use crate::nested::{Layout, Nested};
use crate::schema::Kind;
use nestled_array::{Array, Float, Result};

/// A function of the columns of numbers.
pub(crate) fn mapped(nested: &Nested, map: &mut dyn FnMut(&Column) -> Outcome<Column>) -> Outcome<Nested> {
    broadcast(std::slice::from_ref(nested), &|_| false, &mut |sides| {
        Ok(Nested::leaf(map(column(&sides[0])?)?))
    })
}

/// A function of numbers, and of spans and amounts, which stay such.
fn mapped_amounts(nested: &Nested, map: &mut dyn FnMut(&Column) -> Outcome<Column>) -> Outcome<Nested> {
    broadcast(std::slice::from_ref(nested), &|_| false, &mut |sides| match &sides[0].layout {
        Layout::Meant(meaning, column) => keeping(meaning, column, map),
        _ => Ok(Nested::leaf(map(column(&sides[0])?)?)),
    })
}

/// A function of what is no list, no record and never missing; it keeps the number of elements, and is called with the words of categories.
pub(super) fn mapped_leaves(
    nested: &Nested,
    map: &mut dyn FnMut(&Nested) -> Outcome<Nested>,
) -> Outcome<Nested> {
    match &nested.layout {
        Layout::Option(valid, content) => Ok(Nested::present(valid.clone(), mapped_leaves(content, map)?)),
        Layout::List(..) | Layout::Fixed(..) if nested.is_lists() => {
            nested.map_content(&mut |content| mapped_leaves(content, map))
        }
        Layout::Category(codes, words) => Ok(Nested::category(codes, &mapped_leaves(words, map)?)),
        _ => match nested.map_fields(&mut |field| mapped_leaves(field, map))? {
            Some(made) => Ok(made),
            None => map(nested),
        },
    }
}

pub(super) fn negated(nested: &Nested) -> Outcome<Nested> {
    mapped_amounts(nested, &mut |column| match column {
        Column::Bool(_) | Column::Uint8(_) | Column::Uint16(_) | Column::Uint32(_) | Column::Uint64(_) => {
            fault(format!("`{}` has no sign", column.kind()))
        }
        Column::Int8(x) => Ok(Column::from(-x)),
        Column::Int16(x) => Ok(Column::from(-x)),
        Column::Int32(x) => Ok(Column::from(-x)),
        Column::Int64(x) => Ok(Column::from(-x)),
        Column::Float16(x) => Ok(Column::from(-x.cast::<f32>())),
        Column::Float32(x) => Ok(Column::from(-x)),
        Column::Float64(x) => Ok(Column::from(-x)),
    })
}

pub(super) fn inverted(nested: &Nested) -> Outcome<Nested> {
    mapped(
        nested,
        &mut |column| each_bits!(column, x => Ok(Column::from(!x)), kind => fault(format!("`{kind}` has no bits"))),
    )
}

/// A function of floats; integers become `float64`.
trait OfFloats {
    fn apply<T: Typed + Float>(&self, x: &Array<T>) -> Array<T>;
}

fn of_floats(nested: &Nested, function: &impl OfFloats) -> Outcome<Nested> {
    mapped(nested, &mut |column| match column {
        Column::Float16(x) => Ok(Column::from(function.apply(&x.cast::<f32>()))),
        Column::Float32(x) => Ok(Column::from(function.apply(x))),
        Column::Float64(x) => Ok(Column::from(function.apply(x))),
        _ => match column.cast(Kind::Float64) {
            Column::Float64(x) => Ok(Column::from(function.apply(&x))),
            _ => unreachable!("it was converted"),
        },
    })
}

macro_rules! functions {
    ($($name:ident $what:literal $argument:literal $value:literal;)*) => {
        impl Nested {$(
            #[doc = concat!($what, " of each number; that of an integer is `float64`.")]
            ///
            /// ```
            /// use nestled_nested::Nested;
            #[doc = concat!("assert_eq!(Nested::from_iter([vec![", stringify!($argument), "]]).", stringify!($name), "()?.to_list()?.to_string(), \"[[", $value, "]]\");")]
            /// # Ok::<(), nestled_nested::Error>(())
            /// ```
            ///
            /// # Errors
            /// Elements are no numbers.
            #[track_caller]
            pub fn $name(&self) -> Result<Nested> {
                struct Function;
                impl OfFloats for Function {
                    fn apply<T: Typed + Float>(&self, x: &Array<T>) -> Array<T> {
                        x.$name()
                    }
                }
                told(stringify!($name), of_floats(self, &Function))
            }
        )*}
    };
}

functions! {
    sqrt "The square root" 4 "2.0";
    exp "The exponential" 0 "1.0";
    ln "The natural logarithm" 1 "0.0";
    sin "The sine" 0 "0.0";
    cos "The cosine" 0 "1.0";
    tan "The tangent" 0 "0.0";
    sinh "The hyperbolic sine" 0 "0.0";
    cosh "The hyperbolic cosine" 0 "1.0";
    tanh "The hyperbolic tangent" 0 "0.0";
    atan "The arc tangent" 0 "0.0";
    floor "The greatest integer below" 1.5 "1.0";
    ceil "The least integer above" 1.5 "2.0";
}

impl Nested {
    /// The absolute value of each number.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter([vec![-1, 2]]).abs()?.to_list()?.to_string(), "[[1, 2]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Elements are no numbers.
    #[track_caller]
    pub fn abs(&self) -> Result<Nested> {
        told("abs", mapped_amounts(self, &mut |column| Ok(each_number!(column, x => Column::from(x.abs())))))
    }

    /// Each number as another type; decimals as floats.
    ///
    /// ```
    /// use nestled_nested::{Kind, Nested};
    /// assert_eq!(Nested::from_iter([vec![1.5]]).cast(Kind::Int32)?.type_string(), "1 * var * int32");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Elements are no numbers.
    #[track_caller]
    pub fn cast(&self, kind: Kind) -> Result<Nested> {
        let cast = broadcast(std::slice::from_ref(self), &|_| false, &mut |sides| {
            let floats = floats_of(&sides[0]).filter(|_| kind.is_float());
            match &floats {
                Some(floats) => Ok(Nested::leaf(floats.cast(kind))),
                None => Ok(Nested::leaf(column(&sides[0])?.cast(kind))),
            }
        });
        told("cast", cast)
    }
}
