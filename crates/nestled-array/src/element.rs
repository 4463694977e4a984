//! Element types of arrays, and the traits that group them: integers, floats, ordered, bits.

use nestled_ir::value::{Buffer, f16_from_f64, f16_to_f64};
use nestled_ir::{MonoidOp, Scalar, ScalarType};
use std::fmt::{self, Debug};

mod sealed {
    /// Keeps the list of element types ours.
    pub trait Sealed {}
}

/// A float of sixteen bits (binary16). Arrays hold it and move it about; to compute, convert it and back.
///
/// ```
/// # use nestled_array::*;
/// let x = Array::from_vec([0.5, 1.0, 70_000.0].map(F16::of).to_vec());
/// let twice = (x.cast::<f32>() * 2.0).cast::<F16>();
/// assert_eq!(twice.to_vec()?, [1.0, 2.0, f64::INFINITY].map(F16::of));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Default)]
pub struct F16(u16);

impl F16 {
    /// The nearest number of this type, ties to even.
    ///
    /// ```
    /// # use nestled_array::F16;
    /// assert_eq!(F16::of(1.0 + 1.0 / 4096.0), F16::of(1.0));
    /// ```
    pub fn of(value: f64) -> F16 {
        F16(f16_from_f64(value))
    }

    /// The number as another type, which holds it exactly.
    ///
    /// ```
    /// # use nestled_array::F16;
    /// assert_eq!(F16::of(0.25).to_f64(), 0.25);
    /// ```
    pub fn to_f64(self) -> f64 {
        f16_to_f64(self.0)
    }

    /// The number with these bits.
    ///
    /// ```
    /// # use nestled_array::F16;
    /// assert_eq!(F16::from_bits(0x3c00), F16::of(1.0));
    /// ```
    pub fn from_bits(bits: u16) -> F16 {
        F16(bits)
    }

    /// Its bits.
    ///
    /// ```
    /// # use nestled_array::F16;
    /// assert_eq!(F16::of(1.0).to_bits(), 0x3c00);
    /// ```
    pub fn to_bits(self) -> u16 {
        self.0
    }
}

impl PartialEq for F16 {
    fn eq(&self, other: &F16) -> bool {
        self.to_f64() == other.to_f64()
    }
}

impl Debug for F16 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_f64().fmt(f)
    }
}

impl sealed::Sealed for F16 {}

impl Element for F16 {
    const TYPE: ScalarType = ScalarType::F16;
    fn scalar(self) -> Scalar {
        Scalar::F16(self.0)
    }
    fn from_scalar(scalar: Scalar) -> Option<F16> {
        match scalar {
            Scalar::F16(bits) => Some(F16(bits)),
            _ => None,
        }
    }
    fn buffer(elements: Vec<F16>) -> Buffer {
        Buffer::F16(elements.into_iter().map(F16::to_bits).collect())
    }
    fn elements(buffer: Buffer) -> Option<Vec<F16>> {
        match buffer {
            Buffer::F16(bits) => Some(bits.into_iter().map(F16).collect()),
            _ => None,
        }
    }
}

/// A type of elements: `bool i8 u8 i16 u16 i32 u32 i64 u64 F16 f32 f64`.
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

/// Elements that are compared and sorted: all but [`F16`].
///
/// ```
/// # use nestled_array::*;
/// fn least<T: Ordered>(x: &Array<T>) -> Result<T> {
///     x.sort(0).at(0, 0).item()
/// }
/// assert_eq!(least(&Array::from_vec(vec![true, false]))?, false);
/// # Ok::<(), Error>(())
/// ```
pub trait Ordered: Element {}

/// Elements for arithmetic: all but `bool` and [`F16`].
///
/// ```
/// # use nestled_array::*;
/// fn total<T: Number>(x: &Array<T>) -> Result<T::Wide> {
///     x.sum().item()
/// }
/// assert_eq!(total(&Array::<u8>::range(50))?, 1225);
/// # Ok::<(), Error>(())
/// ```
pub trait Number: Ordered {
    /// The type of sums and products: `i64` for the integers that fit it, `u64` for `u64`, as there is no wider one; the type itself for floats.
    type Wide: Number<Wide = Self::Wide, Mean = Self::Mean>;
    /// The type of means and variances: `f64` for integers; the type itself for floats.
    type Mean: Float;
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
}

/// `i8 u8 i16 u16 i32 u32 i64 u64`.
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

/// `i8 i16 i32 i64 f32 f64`.
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
pub trait Float: Signed + Number<Wide = Self, Mean = Self> {
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
pub trait Bits: Ordered {}

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

elements!(bool Bool, i8 I8, u8 U8, i16 I16, u16 U16, i32 I32, u32 U32, i64 I64, u64 U64, f32 F32, f64 F64);

macro_rules! numbers {
    ($($ty:ident $wide:ident $mean:ident),*) => {$(
        impl Number for $ty {
            type Wide = $wide;
            type Mean = $mean;
            const ZERO: $ty = 0 as $ty;
            const ONE: $ty = 1 as $ty;
        }
    )*};
}

numbers!(i8 i64 f64, u8 i64 f64, i16 i64 f64, u16 i64 f64, i32 i64 f64, u32 i64 f64, i64 i64 f64, u64 u64 f64, f32 f32 f32, f64 f64 f64);

macro_rules! marked {
    ($($class:ident: $($ty:ident),*;)*) => {$($(impl $class for $ty {})*)*};
}

marked! {
    Integer: i8, u8, i16, u16, i32, u32, i64, u64;
    Signed: i8, i16, i32, i64, f32, f64;
    Ordered: bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64;
    Bits: bool, i8, u8, i16, u16, i32, u32, i64, u64;
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

/// True if an operator combines elements of a type.
pub(crate) fn combines(operator: MonoidOp, ty: ScalarType) -> bool {
    ty != ScalarType::F16 && operator.unit(ty).is_some()
}

/// Number of values `0, 1, …` that an integer type holds. `None` for 64-bit integers, which cannot run out, and for types that are no integers.
pub(crate) fn naturals(ty: ScalarType) -> Option<usize> {
    match ty {
        ScalarType::I8 => Some(1 << 7),
        ScalarType::U8 => Some(1 << 8),
        ScalarType::I16 => Some(1 << 15),
        ScalarType::U16 => Some(1 << 16),
        ScalarType::I32 => Some(1 << 31),
        ScalarType::U32 => Some(1 << 32),
        ScalarType::I64 | ScalarType::U64 | ScalarType::Idx => None,
        ScalarType::Bool | ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => None,
    }
}
