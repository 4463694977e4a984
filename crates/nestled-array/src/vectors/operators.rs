//! Rust's operators on vectors, component by component.

use super::{VectorOperand, Vectors, for_each_part};
use crate::array::Array;
use crate::element::{Bits, Number, Signed};
use std::ops::{
    Add, AddAssign, BitAnd, BitOr, BitXor, Div, DivAssign, Mul, MulAssign, Neg, Not, Sub, SubAssign,
};

macro_rules! operator {
    ($trait:ident $method:ident $class:ident: $($ty:ident)*) => {
        operator! { @left $trait $method $class [Vectors<T, N>] }
        operator! { @left $trait $method $class [&Vectors<T, N>] }
        $(
            operator! { @before $trait $method $ty [$ty] [Vectors<$ty, N>] }
            operator! { @before $trait $method $ty [$ty] [&Vectors<$ty, N>] }
            operator! { @before $trait $method $ty [[$ty; N]] [Vectors<$ty, N>] }
            operator! { @before $trait $method $ty [[$ty; N]] [&Vectors<$ty, N>] }
            operator! { @before $trait $method $ty [&Array<$ty>] [Vectors<$ty, N>] }
            operator! { @before $trait $method $ty [&Array<$ty>] [&Vectors<$ty, N>] }
            operator! { @before $trait $method $ty [Array<$ty>] [Vectors<$ty, N>] }
            operator! { @before $trait $method $ty [Array<$ty>] [&Vectors<$ty, N>] }
        )*
    };
    (@left $trait:ident $method:ident $class:ident [$($left:tt)*]) => {
        impl<T: $class, const N: usize, R: VectorOperand<T, N>> $trait<R> for $($left)* {
            type Output = Vectors<T, N>;
            #[track_caller]
            fn $method(self, other: R) -> Vectors<T, N> {
                let other = other.vectors();
                for_each_part!(k => $trait::$method(&self.parts[k], &other.parts[k]))
            }
        }
    };
    (@before $trait:ident $method:ident $ty:ident [$($left:tt)*] [$($right:tt)*]) => {
        impl<const N: usize> $trait<$($right)*> for $($left)* {
            type Output = Vectors<$ty, N>;
            #[track_caller]
            fn $method(self, other: $($right)*) -> Vectors<$ty, N> {
                let left: Vectors<$ty, N> = self.vectors();
                for_each_part!(k => $trait::$method(&left.parts[k], &other.parts[k]))
            }
        }
    };
}

operator! { Add add Number: i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 }
operator! { Sub sub Number: i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 }
operator! { Mul mul Number: i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 }
operator! { Div div Number: i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 }
operator! { BitAnd bitand Bits: bool }
operator! { BitOr bitor Bits: bool }
operator! { BitXor bitxor Bits: bool }

macro_rules! assigning {
    ($($trait:ident $method:ident)*) => {$(
        impl<T: Number, const N: usize, R: VectorOperand<T, N>> $trait<R> for Vectors<T, N> {
            #[track_caller]
            fn $method(&mut self, other: R) {
                let other = other.vectors();
                for (part, other) in self.parts.iter_mut().zip(&other.parts) {
                    $trait::$method(part, other);
                }
            }
        }
    )*};
}

assigning! { AddAssign add_assign SubAssign sub_assign MulAssign mul_assign DivAssign div_assign }

macro_rules! prefix {
    ($trait:ident $method:ident $class:ident) => {
        impl<T: $class, const N: usize> $trait for Vectors<T, N> {
            type Output = Vectors<T, N>;
            #[track_caller]
            fn $method(self) -> Vectors<T, N> {
                for_each_part!(k => $trait::$method(&self.parts[k]))
            }
        }
        impl<T: $class, const N: usize> $trait for &Vectors<T, N> {
            type Output = Vectors<T, N>;
            #[track_caller]
            fn $method(self) -> Vectors<T, N> {
                for_each_part!(k => $trait::$method(&self.parts[k]))
            }
        }
    };
}

prefix! { Neg neg Signed }
prefix! { Not not Bits }
