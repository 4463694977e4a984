//! Operators between values of a row, and with numbers and texts.

use super::results::of_frame;
use super::{InRow, together};
use crate::fault::{expect, told};
use crate::ops::Term;
use nestled_array::Result;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

/// An operand beside a value of a row: another one, or a number or a text, which takes its type.
///
/// ```
/// use nestled_nested::Nested;
/// let rows = Nested::from_iter([vec![3, 1], vec![5]]);
/// let made = rows.map_rows_with(|row| row.maximum(2)?.minimum(row.num(0)? * 2))?;
/// assert_eq!(made.to_list()?.to_string(), "[[3, 2], [2]]");
/// # Ok::<(), nestled_nested::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct InRowTerm(pub(super) Operand);

#[derive(Clone, Debug)]
pub(super) enum Operand {
    InRow(InRow),
    Value(Term),
}

impl From<InRow> for InRowTerm {
    fn from(value: InRow) -> InRowTerm {
        InRowTerm(Operand::InRow(value))
    }
}

impl From<&InRow> for InRowTerm {
    fn from(value: &InRow) -> InRowTerm {
        InRowTerm(Operand::InRow(value.clone()))
    }
}

macro_rules! values {
    ($($ty:ty)*) => {$(
        impl From<$ty> for InRowTerm {
            fn from(value: $ty) -> InRowTerm {
                InRowTerm(Operand::Value(value.into()))
            }
        }
    )*};
}

values! { i32 i64 f32 f64 bool &str &String String }

/// Applies an operation of arrays to a value and an operand of rows.
macro_rules! applied {
    ($name:expr, $own:expr, $other:expr, $x:ident, $y:ident => $made:expr) => {
        match $other.into().0 {
            $crate::in_row::operators::Operand::Value($y) => {
                let $x = &$own.across;
                Ok($own.with($made?))
            }
            $crate::in_row::operators::Operand::InRow(other) => {
                let (frame, sides) = $crate::fault::told($name, $crate::in_row::together(&[$own, &other]))?;
                let ($x, $y) = (&sides[0], &sides[1]);
                Ok($crate::in_row::results::of_frame(frame, $made?))
            }
        }
    };
}
pub(super) use applied;

macro_rules! operators {
    ($($trait:ident $method:ident $try_method:ident $sign:literal;)*) => {$(
        impl InRow {
            #[doc = concat!("As `", $sign, "`, but an error instead of a panic.")]
            ///
            /// # Errors
            /// The operands do not go together.
            #[track_caller]
            pub fn $try_method(&self, other: impl Into<InRowTerm>) -> Result<InRow> {
                applied!($sign, self, other, x, y => x.$try_method(y))
            }
        }

        operators! { @pair $trait $method $try_method [InRow] }
        operators! { @pair $trait $method $try_method [&InRow] }
        operators! { @before $trait $method $sign: i32 [InRow] }
        operators! { @before $trait $method $sign: i32 [&InRow] }
        operators! { @before $trait $method $sign: i64 [InRow] }
        operators! { @before $trait $method $sign: i64 [&InRow] }
        operators! { @before $trait $method $sign: f64 [InRow] }
        operators! { @before $trait $method $sign: f64 [&InRow] }
    )*};
    (@pair $trait:ident $method:ident $try_method:ident [$($left:tt)*]) => {
        impl<T: Into<InRowTerm>> $trait<T> for $($left)* {
            type Output = InRow;
            #[track_caller]
            fn $method(self, other: T) -> InRow {
                expect(self.$try_method(other))
            }
        }
    };
    (@before $trait:ident $method:ident $sign:literal: $ty:ident [$($right:tt)*]) => {
        impl $trait<$($right)*> for $ty {
            type Output = InRow;
            #[track_caller]
            fn $method(self, other: $($right)*) -> InRow {
                other.with($trait::$method(self, &other.across))
            }
        }
    };
}

operators! {
    Add add try_add "+";
    Sub sub try_sub "-";
    Mul mul try_mul "*";
    Div div try_div "/";
    BitAnd bitand try_and "&";
    BitOr bitor try_or "|";
    BitXor bitxor try_xor "^";
}

macro_rules! prefix {
    ($($trait:ident $method:ident [$($own:tt)*];)*) => {$(
        impl $trait for $($own)* {
            type Output = InRow;
            #[track_caller]
            fn $method(self) -> InRow {
                self.with($trait::$method(&self.across))
            }
        }
    )*};
}

prefix! {
    Neg neg [InRow];
    Neg neg [&InRow];
    Not not [InRow];
    Not not [&InRow];
}

macro_rules! with_another {
    ($($name:ident)*) => {
        impl InRow {$(
            #[doc = concat!("[`", stringify!($name), "`](crate::Nested::", stringify!($name), ") of each element.")]
            ///
            /// # Errors
            /// As there.
            #[track_caller]
            pub fn $name(&self, other: impl Into<InRowTerm>) -> Result<InRow> {
                applied!(stringify!($name), self, other, x, y => x.$name(y))
            }
        )*}
    };
}

with_another! { eq ne lt le gt ge minimum maximum fill_missing full_like }

impl InRow {
    /// [`choose`](crate::Nested::choose): values of `yes` where this mask holds, else those of `no`. A mask that is one value of the row chooses between whole values.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![3, 1], vec![5]]);
    /// let made = rows.map_rows_with(|row| row.num(0)?.gt(1)?.choose(row.sort(0, true)?, row * 10))?;
    /// assert_eq!(made.to_list()?.to_string(), "[[1, 3], [50]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// As there.
    #[track_caller]
    pub fn choose(&self, yes: impl Into<InRowTerm>, no: impl Into<InRowTerm>) -> Result<InRow> {
        let (yes, no) = (yes.into().0, no.into().0);
        let in_row = |operand: &Operand| match operand {
            Operand::InRow(value) => value.clone(),
            Operand::Value(_) => self.clone(),
        };
        let (frame, sides) = told("choose", together(&[self, &in_row(&yes), &in_row(&no)]))?;
        let term = |operand: Operand, side: &crate::Nested| match operand {
            Operand::InRow(_) => Term::from(side),
            Operand::Value(term) => term,
        };
        Ok(of_frame(frame, sides[0].choose(term(yes, &sides[1]), term(no, &sides[2]))?))
    }

    /// [`with_field`](crate::Nested::with_field): records with one more field, or another one.
    ///
    /// ```
    /// use nestled_nested::{InRow, Nested};
    /// let rows = Nested::from_iter([vec![3, 1], vec![5]]);
    /// let made = rows.map_rows_with(|row| InRow::zip(&[("x", row)])?.with_field("most", row.max(0)?))?;
    /// assert_eq!(made.to_list()?.to_string(), "[[{x: 3, most: 3}, {x: 1, most: 3}], [{x: 5, most: 5}]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// As there.
    #[track_caller]
    pub fn with_field(&self, name: &str, value: impl Into<InRowTerm>) -> Result<InRow> {
        applied!("with_field", self, value, x, y => x.with_field(name, y))
    }
}
