//! Rust's operators, on arrays, references and numbers.

use super::remainder::remainder;
use super::{map_as, try_map_as};
use crate::array::Array;
use crate::element::{Bits, Element, Integer, Number, Signed};
use crate::error::{Error, Reason, expect};
use nestled_ir::{Op as ScalarOp, ScalarType};
use std::ops::{
    Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Div, DivAssign, Mul,
    MulAssign, Neg, Not, Rem, RemAssign, Shl, ShlAssign, Shr, ShrAssign, Sub, SubAssign,
};

macro_rules! operator {
    ($trait:ident $method:ident $assign:ident $assign_method:ident $class:ident $sign:literal $op:ident: $($ty:ident)*) => {
        operator! { @pair $trait $method $class $sign $op: [Array<T>] [Array<T>] }
        operator! { @pair $trait $method $class $sign $op: [Array<T>] [&Array<T>] }
        operator! { @pair $trait $method $class $sign $op: [&Array<T>] [Array<T>] }
        operator! { @pair $trait $method $class $sign $op: [&Array<T>] [&Array<T>] }
        operator! { @number $trait $method $class $sign $op: [Array<T>] }
        operator! { @number $trait $method $class $sign $op: [&Array<T>] }
        impl<T: $class> $assign<Array<T>> for Array<T> {
            #[track_caller]
            fn $assign_method(&mut self, other: Array<T>) {
                assign(ScalarOp::$op, concat!($sign, "="), self, &other);
            }
        }
        impl<T: $class> $assign<&Array<T>> for Array<T> {
            #[track_caller]
            fn $assign_method(&mut self, other: &Array<T>) {
                assign(ScalarOp::$op, concat!($sign, "="), self, other);
            }
        }
        impl<T: $class> $assign<T> for Array<T> {
            #[track_caller]
            fn $assign_method(&mut self, other: T) {
                assign(ScalarOp::$op, concat!($sign, "="), self, &Array::scalar(other));
            }
        }
        $(
            operator! { @before $trait $method $sign $op: $ty [Array<$ty>] }
            operator! { @before $trait $method $sign $op: $ty [&Array<$ty>] }
        )*
    };
    (@pair $trait:ident $method:ident $class:ident $sign:literal $op:ident: [$($left:tt)*] [$($right:tt)*]) => {
        impl<T: $class> $trait<$($right)*> for $($left)* {
            type Output = Array<T>;
            #[track_caller]
            fn $method(self, other: $($right)*) -> Array<T> {
                arithmetic(ScalarOp::$op, $sign, &self, &other)
            }
        }
    };
    (@number $trait:ident $method:ident $class:ident $sign:literal $op:ident: [$($left:tt)*]) => {
        impl<T: $class> $trait<T> for $($left)* {
            type Output = Array<T>;
            #[track_caller]
            fn $method(self, other: T) -> Array<T> {
                arithmetic(ScalarOp::$op, $sign, &self, &Array::scalar(other))
            }
        }
    };
    (@before $trait:ident $method:ident $sign:literal $op:ident: $ty:ident [$($right:tt)*]) => {
        impl $trait<$($right)*> for $ty {
            type Output = Array<$ty>;
            #[track_caller]
            fn $method(self, other: $($right)*) -> Array<$ty> {
                arithmetic(ScalarOp::$op, $sign, &Array::scalar(self), &other)
            }
        }
    };
}

/// An elementwise operator. λcu has no `%` of floats; they take [`remainder`].
#[track_caller]
fn arithmetic<T: Element>(op: ScalarOp, name: &'static str, left: &Array<T>, right: &Array<T>) -> Array<T> {
    expect(match (op, T::TYPE) {
        (ScalarOp::Rem, ScalarType::F32 | ScalarType::F64) => remainder(name, left, right),
        _ => try_map_as(name, op, &[&left.node, &right.node]),
    })
}

/// Assigns to an array, which keeps its shape: only the other operand is broadcast.
#[track_caller]
fn assign<T: Element>(op: ScalarOp, name: &'static str, array: &mut Array<T>, other: &Array<T>) {
    let made = arithmetic(op, name, array, other);
    if made.shape() != array.shape() {
        expect::<()>(Err(Error::of(name, Reason::Shapes(*array.shape(), *other.shape()))));
    }
    *array = made;
}

operator! { Add add AddAssign add_assign Number "+" Add: i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 }
operator! { Sub sub SubAssign sub_assign Number "-" Sub: i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 }
operator! { Mul mul MulAssign mul_assign Number "*" Mul: i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 }
operator! { Div div DivAssign div_assign Number "/" Div: i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 }
operator! { Rem rem RemAssign rem_assign Number "%" Rem: i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 }
operator! { BitAnd bitand BitAndAssign bitand_assign Bits "&" And: bool i8 u8 i16 u16 i32 u32 i64 u64 }
operator! { BitOr bitor BitOrAssign bitor_assign Bits "|" Or: bool i8 u8 i16 u16 i32 u32 i64 u64 }
operator! { BitXor bitxor BitXorAssign bitxor_assign Bits "^" Xor: bool i8 u8 i16 u16 i32 u32 i64 u64 }
operator! { Shl shl ShlAssign shl_assign Integer "<<" Shl: i8 u8 i16 u16 i32 u32 i64 u64 }
operator! { Shr shr ShrAssign shr_assign Integer ">>" Shr: i8 u8 i16 u16 i32 u32 i64 u64 }

macro_rules! prefix {
    ($trait:ident $method:ident $class:ident $sign:literal $op:ident) => {
        impl<T: $class> $trait for Array<T> {
            type Output = Array<T>;
            #[track_caller]
            fn $method(self) -> Array<T> {
                map_as($sign, ScalarOp::$op, &[&self.node])
            }
        }
        impl<T: $class> $trait for &Array<T> {
            type Output = Array<T>;
            #[track_caller]
            fn $method(self) -> Array<T> {
                map_as($sign, ScalarOp::$op, &[&self.node])
            }
        }
    };
}

prefix! { Neg neg Signed "-" Neg }
prefix! { Not not Bits "!" Not }
