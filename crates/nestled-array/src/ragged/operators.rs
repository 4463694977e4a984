//! Rust's operators on ragged arrays, element by element: lazy, and fused with all else.

use super::{Ragged, RaggedOperand};
use crate::array::Array;
use crate::element::{Bits, Integer, Number, Signed};
use crate::error::{Result, expect};
use std::ops::{
    Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Div, DivAssign, Mul,
    MulAssign, Neg, Not, Rem, RemAssign, Shl, ShlAssign, Shr, ShrAssign, Sub, SubAssign,
};

macro_rules! operator {
    ($trait:ident $method:ident $assign:ident $assign_method:ident $class:ident $sign:literal: $($ty:ident)*) => {
        operator! { @left $trait $method $class $sign [Ragged<T>] }
        operator! { @left $trait $method $class $sign [&Ragged<T>] }
        impl<T: $class, R: RaggedOperand<T>> $assign<R> for Ragged<T> {
            #[track_caller]
            fn $assign_method(&mut self, other: R) {
                let other = expect(other.beside(&self.segments, concat!($sign, "=")));
                self.values = $trait::$method(&self.values, other);
            }
        }
        operator! { @array $trait $method $class $sign [Array<T>] [Ragged<T>] }
        operator! { @array $trait $method $class $sign [Array<T>] [&Ragged<T>] }
        operator! { @array $trait $method $class $sign [&Array<T>] [Ragged<T>] }
        operator! { @array $trait $method $class $sign [&Array<T>] [&Ragged<T>] }
        $(
            operator! { @number $trait $method $sign $ty [Ragged<$ty>] }
            operator! { @number $trait $method $sign $ty [&Ragged<$ty>] }
        )*
    };
    (@left $trait:ident $method:ident $class:ident $sign:literal [$($left:tt)*]) => {
        impl<T: $class, R: RaggedOperand<T>> $trait<R> for $($left)* {
            type Output = Ragged<T>;
            #[track_caller]
            fn $method(self, other: R) -> Ragged<T> {
                let other = expect(other.beside(&self.segments, $sign));
                Ragged { values: $trait::$method(&self.values, other), segments: self.segments.clone() }
            }
        }
    };
    (@array $trait:ident $method:ident $class:ident $sign:literal [$($left:tt)*] [$($right:tt)*]) => {
        impl<T: $class> $trait<$($right)*> for $($left)* {
            type Output = Ragged<T>;
            #[track_caller]
            fn $method(self, other: $($right)*) -> Ragged<T> {
                let own = expect(self.beside(&other.segments, $sign));
                Ragged { values: $trait::$method(own, &other.values), segments: other.segments.clone() }
            }
        }
    };
    (@number $trait:ident $method:ident $sign:literal $ty:ident [$($right:tt)*]) => {
        impl $trait<$($right)*> for $ty {
            type Output = Ragged<$ty>;
            #[track_caller]
            fn $method(self, other: $($right)*) -> Ragged<$ty> {
                Ragged { values: $trait::$method(self, &other.values), segments: other.segments.clone() }
            }
        }
    };
}

operator! { Add add AddAssign add_assign Number "+": i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 }
operator! { Sub sub SubAssign sub_assign Number "-": i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 }
operator! { Mul mul MulAssign mul_assign Number "*": i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 }
operator! { Div div DivAssign div_assign Number "/": i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 }
operator! { Rem rem RemAssign rem_assign Number "%": i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 }
operator! { BitAnd bitand BitAndAssign bitand_assign Bits "&": bool i8 u8 i16 u16 i32 u32 i64 u64 }
operator! { BitOr bitor BitOrAssign bitor_assign Bits "|": bool i8 u8 i16 u16 i32 u32 i64 u64 }
operator! { BitXor bitxor BitXorAssign bitxor_assign Bits "^": bool i8 u8 i16 u16 i32 u32 i64 u64 }
operator! { Shl shl ShlAssign shl_assign Integer "<<": i8 u8 i16 u16 i32 u32 i64 u64 }
operator! { Shr shr ShrAssign shr_assign Integer ">>": i8 u8 i16 u16 i32 u32 i64 u64 }

macro_rules! prefix {
    ($trait:ident $method:ident $class:ident [$($own:tt)*]) => {
        impl<T: $class> $trait for $($own)* {
            type Output = Ragged<T>;
            #[track_caller]
            fn $method(self) -> Ragged<T> {
                Ragged { values: $trait::$method(&self.values), segments: self.segments.clone() }
            }
        }
    };
}

prefix! { Neg neg Signed [Ragged<T>] }
prefix! { Neg neg Signed [&Ragged<T>] }
prefix! { Not not Bits [Ragged<T>] }
prefix! { Not not Bits [&Ragged<T>] }

/// Defines the forms of operators that give an error: `a.try_add(&b)`.
macro_rules! tried {
    ($class:ident: $($(#[$doc:meta])* $name:ident $trait:ident $method:ident $sign:literal;)*) => {
        impl<T: $class> Ragged<T> {$(
            $(#[$doc])*
            ///
            /// # Errors
            /// The segments have other lengths, or there is not a value for each; and errors of evaluation, where lengths have to be compared.
            #[track_caller]
            pub fn $name(&self, other: impl RaggedOperand<T>) -> Result<Ragged<T>> {
                let other = other.beside(&self.segments, $sign)?;
                Ok(Ragged { values: $trait::$method(&self.values, other), segments: self.segments.clone() })
            }
        )*}
    };
}

tried! { Number:
    /// As `+`, but an error instead of a panic.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let (a, b) = (Ragged::from_rows(&[vec![1, 2], vec![3]]), Ragged::from_rows(&[vec![1], vec![2, 3]]));
    /// assert_eq!(a.try_add(&a)?.to_rows()?, [vec![2, 4], vec![6]]);
    /// assert!(a.try_add(&b).unwrap_err().to_string().ends_with("row 0 has 2 elements on one side and 1 on the other"));
    /// # Ok::<(), Error>(())
    /// ```
    try_add Add add "+";
    /// As `-`, but an error instead of a panic.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let rows = Ragged::from_rows(&[vec![1, 2], vec![3]]);
    /// assert!(rows.try_sub(&Array::from([1, 2, 3])).is_err());
    /// # Ok::<(), Error>(())
    /// ```
    try_sub Sub sub "-";
    /// As `*`, but an error instead of a panic.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let rows = Ragged::from_rows(&[vec![1, 2], vec![3]]);
    /// assert_eq!(rows.try_mul(&Array::from([2, 3]))?.to_rows()?, [vec![2, 4], vec![9]]);
    /// # Ok::<(), Error>(())
    /// ```
    try_mul Mul mul "*";
    /// As `/`, but an error instead of a panic.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let rows = Ragged::from_rows(&[vec![1.0, 2.0], vec![3.0]]);
    /// assert_eq!(rows.try_div(&rows.sum())?.to_rows()?, [vec![1.0 / 3.0, 2.0 / 3.0], vec![1.0]]);
    /// # Ok::<(), Error>(())
    /// ```
    try_div Div div "/";
    /// As `%`, but an error instead of a panic.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Ragged::from_rows(&[vec![7, 8], vec![9]]).try_rem(4)?.to_rows()?, [vec![3, 0], vec![1]]);
    /// # Ok::<(), Error>(())
    /// ```
    try_rem Rem rem "%";
}

tried! { Bits:
    /// As `&`, but an error instead of a panic.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Ragged::from_rows(&[vec![7, 8]]).try_and(3)?.to_rows()?, [[3, 0]]);
    /// # Ok::<(), Error>(())
    /// ```
    try_and BitAnd bitand "&";
    /// As `|`, but an error instead of a panic.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Ragged::from_rows(&[vec![7, 8]]).try_or(3)?.to_rows()?, [[7, 11]]);
    /// # Ok::<(), Error>(())
    /// ```
    try_or BitOr bitor "|";
    /// As `^`, but an error instead of a panic.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Ragged::from_rows(&[vec![7, 8]]).try_xor(3)?.to_rows()?, [[4, 11]]);
    /// # Ok::<(), Error>(())
    /// ```
    try_xor BitXor bitxor "^";
}
