//! The operations that translated thunks call, as methods of every type that has them. They mean what the reference
//! interpreter computes; but this is compiled with full optimisation, for the machine at hand.

/// Operations of integers and floats; `min` and `max` of `bool` as well.
pub trait Arithmetic: Copy {
    fn add_(self, y: Self) -> Self;
    fn sub_(self, y: Self) -> Self;
    fn mul_(self, y: Self) -> Self;
    fn div_(self, y: Self) -> Self;
    fn neg_(self) -> Self;
    fn abs_(self) -> Self;
}

/// The order with one answer for NaN and for zeros.
pub trait Order: Copy {
    fn min_(self, y: Self) -> Self;
    fn max_(self, y: Self) -> Self;
}

/// Operations of integers and `bool`.
pub trait Bitwise: Copy {
    fn and_(self, y: Self) -> Self;
    fn or_(self, y: Self) -> Self;
    fn xor_(self, y: Self) -> Self;
    fn not_(self) -> Self;
}

/// Operations of integers.
pub trait Integer: Copy {
    fn rem_(self, y: Self) -> Self;
    fn div_floor_(self, y: Self) -> Self;
    fn rem_floor_(self, y: Self) -> Self;
    fn mulhi_(self, y: Self) -> Self;
    fn shl_(self, y: Self) -> Self;
    fn shr_(self, y: Self) -> Self;
    fn popcount_(self) -> Self;
    fn clz_(self) -> Self;
    fn ctz_(self) -> Self;
}

/// Operations of floats.
pub trait Float: Copy {
    fn fma_(self, y: Self, z: Self) -> Self;
    fn sqrt_(self) -> Self;
    fn floor_(self) -> Self;
    fn ceil_(self) -> Self;
    fn trunc_(self) -> Self;
    fn round_(self) -> Self;
    fn round_even_(self) -> Self;
}

/// `T` of a value: numbers truncate, saturate, wrap and round as `as` does.
pub trait Convert<T> {
    fn convert(self) -> T;
}

/// `T` with the same bits.
pub trait Bits<T> {
    fn bitcast(self) -> T;
}

/// One-line methods that are always inlined.
macro_rules! methods {
    ($($name:ident($self:ident $(, $arg:ident)*) $body:expr;)*) => {$(
        #[inline(always)]
        fn $name($self $(, $arg: Self)*) -> Self { $body }
    )*};
}

macro_rules! integers {
    ($($ty:ty, $wide:ty;)*) => {$(
        impl Arithmetic for $ty {
            methods! {
                add_(self, y) self.wrapping_add(y);
                sub_(self, y) self.wrapping_sub(y);
                mul_(self, y) self.wrapping_mul(y);
                div_(self, y) if y == 0 { 0 } else { self.wrapping_div(y) };
                neg_(self) self.wrapping_neg();
                abs_(self) if (self as $wide) < 0 { self.wrapping_neg() } else { self };
            }
        }
        impl Order for $ty {
            methods! {
                min_(self, y) self.min(y);
                max_(self, y) self.max(y);
            }
        }
        impl Bitwise for $ty {
            methods! {
                and_(self, y) self & y;
                or_(self, y) self | y;
                xor_(self, y) self ^ y;
                not_(self) !self;
            }
        }
        impl Integer for $ty {
            methods! {
                rem_(self, y) if y == 0 { self } else { self.wrapping_rem(y) };
                div_floor_(self, y) {
                    let below = self.rem_(y) != 0 && ((self ^ y) as $wide) < 0 && y != 0;
                    if below { self.div_(y).wrapping_sub(1) } else { self.div_(y) }
                };
                rem_floor_(self, y) {
                    let below = self.rem_(y) != 0 && ((self ^ y) as $wide) < 0 && y != 0;
                    if below { self.rem_(y).wrapping_add(y) } else { self.rem_(y) }
                };
                mulhi_(self, y) ((self as $wide * y as $wide) >> <$ty>::BITS) as $ty;
                shl_(self, y) self.wrapping_shl(y as u32);
                shr_(self, y) self.wrapping_shr(y as u32);
                popcount_(self) self.count_ones() as $ty;
                clz_(self) self.leading_zeros() as $ty;
                ctz_(self) self.trailing_zeros() as $ty;
            }
        }
    )*};
}

macro_rules! floats {
    ($($ty:ty)*) => {$(
        impl Arithmetic for $ty {
            methods! {
                add_(self, y) self + y;
                sub_(self, y) self - y;
                mul_(self, y) self * y;
                div_(self, y) self / y;
                neg_(self) -self;
                abs_(self) self.abs();
            }
        }
        impl Order for $ty {
            methods! {
                min_(self, y) if self.is_nan() || y.is_nan() { self + y }
                    else if self < y || (self == y && self.is_sign_negative()) { self } else { y };
                max_(self, y) if self.is_nan() || y.is_nan() { self + y }
                    else if self > y || (self == y && self.is_sign_positive()) { self } else { y };
            }
        }
        impl Float for $ty {
            methods! {
                fma_(self, y, z) self.mul_add(y, z);
                sqrt_(self) self.sqrt();
                floor_(self) self.floor();
                ceil_(self) self.ceil();
                trunc_(self) self.trunc();
                round_(self) self.round();
                round_even_(self) self.round_ties_even();
            }
        }
    )*};
}

macro_rules! conversions {
    ($($from:ty => $($to:ty)*;)*) => {$(
        $(impl Convert<$to> for $from {
            #[inline(always)]
            fn convert(self) -> $to { self as $to }
        })*
        impl Convert<bool> for $from {
            #[inline(always)]
            fn convert(self) -> bool { self != 0 as $from }
        }
        impl Convert<$from> for bool {
            #[inline(always)]
            fn convert(self) -> $from { u8::from(self) as $from }
        }
    )*};
}

macro_rules! bitcasts {
    ($($from:ty => $to:ty: |$x:ident| $body:expr;)*) => {$(
        impl Bits<$to> for $from {
            #[inline(always)]
            fn bitcast(self) -> $to { let $x = self; $body }
        }
    )*};
}

integers! { u8, u16; i32, i64; u32, u64; i64, i128; }
floats! { f32 f64 }
conversions! {
    u8 => u8 i32 u32 i64 f32 f64;
    i32 => u8 i32 u32 i64 f32 f64;
    u32 => u8 i32 u32 i64 f32 f64;
    i64 => u8 i32 u32 i64 f32 f64;
    f32 => u8 i32 u32 i64 f32 f64;
    f64 => u8 i32 u32 i64 f32 f64;
}
bitcasts! {
    i32 => i32: |x| x;
    i32 => u32: |x| x as u32;
    i32 => f32: |x| f32::from_bits(x as u32);
    u32 => i32: |x| x as i32;
    u32 => u32: |x| x;
    u32 => f32: |x| f32::from_bits(x);
    f32 => i32: |x| x.to_bits() as i32;
    f32 => u32: |x| x.to_bits();
    f32 => f32: |x| x;
    i64 => i64: |x| x;
    i64 => f64: |x| f64::from_bits(x as u64);
    f64 => i64: |x| x.to_bits() as i64;
    f64 => f64: |x| x;
}

impl Order for bool {
    methods! {
        min_(self, y) self & y;
        max_(self, y) self | y;
    }
}

impl Bitwise for bool {
    methods! {
        and_(self, y) self & y;
        or_(self, y) self | y;
        xor_(self, y) self ^ y;
        not_(self) !self;
    }
}

impl Convert<bool> for bool {
    #[inline(always)]
    fn convert(self) -> bool {
        self
    }
}
