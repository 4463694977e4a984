//! Rust's operators, on arrays, references and numbers.

use super::map;
use crate::array::Array;
use crate::element::{Bits, Integer, Number, Signed};
use nestled_ir::Op as ScalarOp;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Shl, Shr, Sub};

macro_rules! operator {
    ($trait:ident $method:ident $class:ident $op:ident: $($ty:ident)*) => {
        operator! { @pair $trait $method $class $op: [Array<T>] [Array<T>] }
        operator! { @pair $trait $method $class $op: [Array<T>] [&Array<T>] }
        operator! { @pair $trait $method $class $op: [&Array<T>] [Array<T>] }
        operator! { @pair $trait $method $class $op: [&Array<T>] [&Array<T>] }
        impl<T: $class> $trait<T> for Array<T> {
            type Output = Array<T>;
            #[track_caller]
            fn $method(self, other: T) -> Array<T> {
                map(ScalarOp::$op, &[&self.node, &Array::scalar(other).node])
            }
        }
        impl<T: $class> $trait<T> for &Array<T> {
            type Output = Array<T>;
            #[track_caller]
            fn $method(self, other: T) -> Array<T> {
                map(ScalarOp::$op, &[&self.node, &Array::scalar(other).node])
            }
        }
        $(
            impl $trait<Array<$ty>> for $ty {
                type Output = Array<$ty>;
                #[track_caller]
                fn $method(self, other: Array<$ty>) -> Array<$ty> {
                    map(ScalarOp::$op, &[&Array::scalar(self).node, &other.node])
                }
            }
            impl $trait<&Array<$ty>> for $ty {
                type Output = Array<$ty>;
                #[track_caller]
                fn $method(self, other: &Array<$ty>) -> Array<$ty> {
                    map(ScalarOp::$op, &[&Array::scalar(self).node, &other.node])
                }
            }
        )*
    };
    (@pair $trait:ident $method:ident $class:ident $op:ident: [$($left:tt)*] [$($right:tt)*]) => {
        impl<T: $class> $trait<$($right)*> for $($left)* {
            type Output = Array<T>;
            #[track_caller]
            fn $method(self, other: $($right)*) -> Array<T> {
                map(ScalarOp::$op, &[&self.node, &other.node])
            }
        }
    };
}

operator! { Add add Number Add: u8 i32 u32 i64 f32 f64 }
operator! { Sub sub Number Sub: u8 i32 u32 i64 f32 f64 }
operator! { Mul mul Number Mul: u8 i32 u32 i64 f32 f64 }
operator! { Div div Number Div: u8 i32 u32 i64 f32 f64 }
operator! { Rem rem Integer Rem: u8 i32 u32 i64 }
operator! { BitAnd bitand Bits And: bool u8 i32 u32 i64 }
operator! { BitOr bitor Bits Or: bool u8 i32 u32 i64 }
operator! { BitXor bitxor Bits Xor: bool u8 i32 u32 i64 }
operator! { Shl shl Integer Shl: u8 i32 u32 i64 }
operator! { Shr shr Integer Shr: u8 i32 u32 i64 }

macro_rules! prefix {
    ($trait:ident $method:ident $class:ident $op:ident) => {
        impl<T: $class> $trait for Array<T> {
            type Output = Array<T>;
            #[track_caller]
            fn $method(self) -> Array<T> {
                map(ScalarOp::$op, &[&self.node])
            }
        }
        impl<T: $class> $trait for &Array<T> {
            type Output = Array<T>;
            #[track_caller]
            fn $method(self) -> Array<T> {
                map(ScalarOp::$op, &[&self.node])
            }
        }
    };
}

prefix! { Neg neg Signed Neg }
prefix! { Not not Bits Not }
