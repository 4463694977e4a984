//! Key types: their order is mapped to that of unsigned integers of the same width.

use super::record::Word;

/// A type to sort by. Floats are in the order −∞ < … < −0.0 < +0.0 < … < +∞; all NaNs are equal, and last in both orders.
#[expect(private_bounds, reason = "only the types below are keys")]
pub trait Key: Sealed + Copy + Send + Sync {}

/// A type whose values are read as integers of its size, 1, 2, 4 or 8 bytes, which is its alignment. Any bits are a value, but for `bool`, where
/// only what was read is written.
trait Sealed: Sized {
    const FORMAT: Format;
}

/// The direction of sorting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Least first.
    Ascending,
    /// Greatest first.
    Descending,
}

/// The number format of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Format {
    Unsigned,
    Signed,
    /// `f32` or `f64`, by the size.
    Float,
}

macro_rules! key {
    ($($type:ty, $format:ident;)*) => {$(
        impl Sealed for $type {
            const FORMAT: Format = Format::$format;
        }

        impl Key for $type {}
    )*};
}

/// The type of keys as a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct KeyType {
    format: Format,
    /// Bytes of a key: 1, 2, 4 or 8.
    pub size: usize,
}

impl KeyType {
    pub(super) const fn of<K: Key>() -> KeyType {
        KeyType { format: K::FORMAT, size: size_of::<K>() }
    }
}

key! {
    bool, Unsigned;
    i8, Signed;
    u8, Unsigned;
    i16, Signed;
    u16, Unsigned;
    u32, Unsigned;
    i32, Signed;
    i64, Signed;
    u64, Unsigned;
    f32, Float;
    f64, Float;
}

/// An order-preserving code: maps the bits of a key to an integer that compares as the key does, and back again.
///
/// Signed integers get their highest bit turned. Of floats, positive ones get their highest bit turned, negative ones all bits, so that the
/// largest come first. For descending order all bits are turned once more, which keeps sorting stable. NaNs become the greatest integer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Code<W> {
    /// Bits that are always turned.
    turned: W,
    /// Bits that are also turned if the highest bit is set.
    turned_if_negative: W,
    /// Of floats, all bits but the sign, and those of infinity, beyond which are NaNs; otherwise none.
    magnitude: W,
    infinity: W,
}

impl<W: Word> Code<W> {
    /// For keys of such a type, which has the size of the integer.
    pub(super) fn new(key: KeyType, order: Order) -> Code<W> {
        let (none, high) = (W::low(0), W::low(1 << (W::BITS - 1)));
        let (turned, turned_if_negative) = match key.format {
            Format::Unsigned => (none, none),
            Format::Signed => (high, none),
            Format::Float => (high, !high),
        };
        let turned = if order == Order::Ascending { turned } else { !turned };
        let (magnitude, infinity) = match key.format {
            Format::Unsigned | Format::Signed => (none, none),
            Format::Float if key.size == 4 => (!high, W::low(u64::from(f32::INFINITY.to_bits()))),
            Format::Float => (!high, W::low(f64::INFINITY.to_bits())),
        };
        Code { turned, turned_if_negative, magnitude, infinity }
    }

    /// From bits to the integer.
    #[inline(always)]
    pub(super) fn encode(self, bits: W) -> W {
        // No comparison: of 64 bits, the least x86-64 compares signed ones only, and not as vectors.
        let is_nan = self.infinity.minus(bits & self.magnitude).sign();
        bits ^ self.turned ^ (bits.sign() & self.turned_if_negative) | is_nan
    }

    /// From the integer to the bits.
    #[inline(always)]
    pub(super) fn decode(self, integer: W) -> W {
        let bits = integer ^ self.turned;
        // `turned_if_negative` leaves the highest bit alone.
        bits ^ (bits.sign() & self.turned_if_negative)
    }
}
