//! What can be sorted by: types whose order is that of unsigned integers of the same width.

use super::record::Word;
use nestled_ir::{Order, ScalarType};

/// A type to sort by. Floats are in the order −∞ < … < −0.0 < +0.0 < … < +∞; all NaNs are equal, and last in both orders.
#[expect(private_bounds, reason = "only the types below are keys")]
pub trait Key: Sealed + Copy + Send + Sync {
    /// The type in λcu.
    const TYPE: ScalarType;
}

/// A type of scalars: of the same size, and any bits of one are a value, but for `bool`.
trait Sealed {}

macro_rules! key {
    ($($type:ty, $scalar:ident;)*) => {$(
        impl Sealed for $type {}

        impl Key for $type {
            const TYPE: ScalarType = ScalarType::$scalar;
        }
    )*};
}

key! {
    bool, Bool;
    i8, I8;
    u8, U8;
    i16, I16;
    u16, U16;
    u32, U32;
    i32, I32;
    i64, I64;
    f32, F32;
    f64, F64;
}

/// How the bits of a key become an integer that compares with others as the key does, and back again.
///
/// Signed integers get their highest bit turned. Of floats, positive ones get their highest bit turned, negative ones all bits, so that the
/// largest come first. For descending order all bits are turned once more, which keeps sorting stable. Integers beyond those of both
/// infinities are NaNs, and become the greatest one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Code<W> {
    /// What is turned always.
    turned: W,
    /// What is turned if the highest bit is set, besides.
    turned_if_negative: W,
    /// The integers of the first number in the order, and of the last.
    first: W,
    last: W,
}

impl<W: Word> Code<W> {
    /// For keys of such a type, which has an order.
    pub(super) fn new(elem: ScalarType, order: Order) -> Code<W> {
        let (none, high) = (W::low(0), W::low(1 << (W::BITS - 1)));
        let (turned, turned_if_negative) = match elem {
            ScalarType::Bool | ScalarType::U8 | ScalarType::U16 | ScalarType::U32 => (none, none),
            ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64 | ScalarType::Idx => {
                (high, none)
            }
            ScalarType::F32 | ScalarType::F64 => (high, !high),
            ScalarType::F16 => panic!("`f16` has no order"),
        };
        let turned = if order == Order::Ascending { turned } else { !turned };
        let all = Code { turned, turned_if_negative, first: none, last: !none };
        let infinity = match elem {
            ScalarType::F32 => W::low(u64::from(f32::INFINITY.to_bits())),
            ScalarType::F64 => W::low(f64::INFINITY.to_bits()),
            _ => return all,
        };
        let (one, other) = (all.encode(infinity), all.encode(infinity | high));
        Code { first: one.min(other), last: one.max(other), ..all }
    }

    /// From bits to the integer.
    #[inline(always)]
    pub(super) fn encode(self, bits: W) -> W {
        let integer = bits ^ self.turned ^ (bits.sign() & self.turned_if_negative);
        if integer < self.first || integer > self.last { !W::low(0) } else { integer }
    }

    /// From the integer to the bits.
    #[inline(always)]
    pub(super) fn decode(self, integer: W) -> W {
        let bits = integer ^ self.turned;
        // `turned_if_negative` leaves the highest bit alone.
        bits ^ (bits.sign() & self.turned_if_negative)
    }
}
