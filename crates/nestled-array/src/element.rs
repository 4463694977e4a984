//! What arrays hold.

use nestled_ir::value::Buffer;
use nestled_ir::{Scalar, ScalarType};
use std::fmt::Debug;

mod sealed {
    /// Keeps the list of element types ours.
    pub trait Sealed {}
}

/// A type of elements: `bool u8 i32 u32 i64 f32 f64`.
///
/// ```
/// # use nestled_array::*;
/// fn last<T: Element>(x: &Array<T>) -> Result<T> {
///     x.at(0, x.size() - 1).item()
/// }
/// assert_eq!(last(&Array::from_vec(vec![true, false]))?, false);
/// # Ok::<(), Error>(())
/// ```
pub trait Element: sealed::Sealed + Copy + Debug + PartialEq + Send + Sync + 'static {
    /// Its name in λcu.
    #[doc(hidden)]
    const TYPE: ScalarType;
    #[doc(hidden)]
    fn scalar(self) -> Scalar;
    #[doc(hidden)]
    fn from_scalar(scalar: Scalar) -> Option<Self>;
    #[doc(hidden)]
    fn buffer(elements: Vec<Self>) -> Buffer;
    #[doc(hidden)]
    fn elements(buffer: Buffer) -> Option<Vec<Self>>;
}

/// Elements that one computes with: all but `bool`.
///
/// ```
/// # use nestled_array::*;
/// fn total<T: Number>(x: &Array<T>) -> Result<T> {
///     x.sum().item()
/// }
/// assert_eq!(total(&Array::<u8>::range(5))?, 10);
/// # Ok::<(), Error>(())
/// ```
pub trait Number: Element {
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
}

/// `u8 i32 u32 i64`.
///
/// ```
/// # use nestled_array::*;
/// fn doubled<T: Integer>(x: &Array<T>) -> Array<T> {
///     x.shift_left(T::ONE)
/// }
/// assert_eq!(doubled(&Array::<i32>::range(3)).to_vec()?, [0, 2, 4]);
/// # Ok::<(), Error>(())
/// ```
pub trait Integer: Number {}

/// `i32 i64 f32 f64`.
///
/// ```
/// # use nestled_array::*;
/// fn opposite<T: Signed>(x: &Array<T>) -> Array<T> {
///     -x
/// }
/// assert_eq!(opposite(&Array::from_vec(vec![1, -2])).to_vec()?, [-1, 2]);
/// # Ok::<(), Error>(())
/// ```
pub trait Signed: Number {}

/// `f32 f64`.
///
/// ```
/// # use nestled_array::*;
/// fn half<T: Float>(x: &Array<T>) -> Array<T> {
///     x * T::of(0.5)
/// }
/// assert_eq!(half(&Array::from_vec(vec![3.0f32])).to_vec()?, [1.5]);
/// # Ok::<(), Error>(())
/// ```
pub trait Float: Signed {
    /// The nearest number of this type.
    fn of(value: f64) -> Self;
}

/// Elements that have bits: integers and `bool`.
///
/// ```
/// # use nestled_array::*;
/// fn both<T: Bits>(x: &Array<T>, y: &Array<T>) -> Array<T> {
///     x.and(y)
/// }
/// assert_eq!(both(&Array::from_vec(vec![6]), &Array::from_vec(vec![3])).to_vec()?, [2]);
/// # Ok::<(), Error>(())
/// ```
pub trait Bits: Element {}

macro_rules! elements {
    ($($ty:ident $variant:ident),*) => {$(
        impl sealed::Sealed for $ty {}
        impl Element for $ty {
            const TYPE: ScalarType = ScalarType::$variant;
            fn scalar(self) -> Scalar {
                Scalar::$variant(self)
            }
            fn from_scalar(scalar: Scalar) -> Option<$ty> {
                match scalar {
                    Scalar::$variant(value) => Some(value),
                    _ => None,
                }
            }
            fn buffer(elements: Vec<$ty>) -> Buffer {
                Buffer::$variant(elements)
            }
            fn elements(buffer: Buffer) -> Option<Vec<$ty>> {
                match buffer {
                    Buffer::$variant(elements) => Some(elements),
                    _ => None,
                }
            }
        }
    )*};
}

elements!(bool Bool, u8 U8, i32 I32, u32 U32, i64 I64, f32 F32, f64 F64);

macro_rules! numbers {
    ($($ty:ident),*) => {$(
        impl Number for $ty {
            const ZERO: $ty = 0 as $ty;
            const ONE: $ty = 1 as $ty;
        }
    )*};
}

numbers!(u8, i32, u32, i64, f32, f64);

macro_rules! marked {
    ($($class:ident: $($ty:ident),*;)*) => {$($(impl $class for $ty {})*)*};
}

marked! {
    Integer: u8, i32, u32, i64;
    Signed: i32, i64, f32, f64;
    Bits: bool, u8, i32, u32, i64;
}

impl Float for f32 {
    fn of(value: f64) -> f32 {
        value as f32
    }
}

impl Float for f64 {
    fn of(value: f64) -> f64 {
        value
    }
}
