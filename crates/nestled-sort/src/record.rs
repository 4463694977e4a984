//! Records: the unsigned integers that are moved while sorting.

use std::ops::{BitAnd, BitOr, BitXor, Not};

/// An unsigned integer that is moved.
pub(super) trait Record:
    Copy + Default + Ord + BitAnd<Output = Self> + BitOr<Output = Self> + Send + Sync + 'static
{
}

impl Record for u8 {}
impl Record for u16 {}
impl Record for u32 {}
impl Record for u64 {}
impl Record for u128 {}

/// An unsigned integer as wide as a key.
pub(super) trait Word: Record + Into<u64> + Not<Output = Self> + BitXor<Output = Self> {
    /// Its width.
    const BITS: u32;
    /// The low bits.
    fn low(bits: u64) -> Self;
    /// All bits as the highest is.
    fn sign(self) -> Self;
    /// The difference, modulo 2 to the width.
    fn minus(self, other: Self) -> Self;
}

macro_rules! word {
    ($($word:ty)*) => {$(
        impl Word for $word {
            const BITS: u32 = <$word>::BITS;

            #[inline(always)]
            fn low(bits: u64) -> $word {
                bits as $word
            }

            #[inline(always)]
            fn sign(self) -> $word {
                (self.cast_signed() >> (<$word>::BITS - 1)).cast_unsigned()
            }

            #[inline(always)]
            fn minus(self, other: $word) -> $word {
                self.wrapping_sub(other)
            }
        }
    )*};
}

word!(u8 u16 u32 u64);
