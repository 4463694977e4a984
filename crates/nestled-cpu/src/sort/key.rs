//! What can be sorted by: types whose order is that of unsigned integers of the same width.

use super::record::Word;

/// A type to sort by. Floats are ordered by the IEEE total order: −NaN < −∞ < … < −0.0 < +0.0 < … < +∞ < NaN.
pub trait Key: Copy + Send + Sync {
    /// The bits that [`Key::ordered`] may use, from the lowest: 8, 32 or 64.
    const WIDTH: u32;
    /// The unsigned integer of this width.
    #[expect(private_bounds, reason = "only the types below are keys")]
    type Word: Word;
    /// An integer that compares with others as the key does.
    fn ordered(self) -> u64;
    /// The key again.
    fn from_ordered(bits: u64) -> Self;
}

/// `key!(type, unsigned, to, from)`: by two functions between the type and the unsigned integer.
macro_rules! key {
    ($type:ty, $word:ty, $to:expr, $from:expr) => {
        impl Key for $type {
            const WIDTH: u32 = <$word>::BITS;
            type Word = $word;

            fn ordered(self) -> u64 {
                let to: fn($type) -> $word = $to;
                u64::from(to(self))
            }

            fn from_ordered(bits: u64) -> $type {
                let from: fn($word) -> $type = $from;
                from(bits as $word)
            }
        }
    };
}

const HIGH_32: u32 = 1 << 31;
const HIGH_64: u64 = 1 << 63;

key!(bool, u8, u8::from, |bits| bits != 0);
key!(u8, u8, |key| key, |bits| bits);
key!(u32, u32, |key| key, |bits| bits);
key!(i32, u32, |key| key.cast_unsigned() ^ HIGH_32, |bits| (bits ^ HIGH_32).cast_signed());
key!(i64, u64, |key| key.cast_unsigned() ^ HIGH_64, |bits| (bits ^ HIGH_64).cast_signed());
// Of floats, positive ones get their highest bit set; negative ones are complemented, so that the largest come first.
key!(f32, u32, |key| key.to_bits() ^ if key.is_sign_negative() { u32::MAX } else { HIGH_32 }, |bits| {
    f32::from_bits(bits ^ if bits & HIGH_32 == 0 { u32::MAX } else { HIGH_32 })
});
key!(f64, u64, |key| key.to_bits() ^ if key.is_sign_negative() { u64::MAX } else { HIGH_64 }, |bits| {
    f64::from_bits(bits ^ if bits & HIGH_64 == 0 { u64::MAX } else { HIGH_64 })
});
