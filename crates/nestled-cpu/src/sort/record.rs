//! What is moved about while sorting: a key's bits, alone or with the position that it came from, as one unsigned integer.
//!
//! Plain integers, not structures, because the system gives memory full of zeros for them without touching it. The position lies
//! below the key: records then compare as a stable sort wants them.

use std::marker::PhantomData;

/// A way to look at an integer as a record.
pub(super) trait View {
    /// The integer.
    type Raw: Copy + Ord + Send + Sync + Default;
    /// A record.
    fn pack(bits: u64, position: usize) -> Self::Raw;
    /// The key's bits.
    fn bits(raw: Self::Raw) -> u64;
}

/// A view with a position.
pub(super) trait Tagged: View {
    /// Where the key came from.
    fn tag(raw: Self::Raw) -> usize;
}

/// An unsigned integer that a key may be.
pub(super) trait Word: Copy + Ord + Send + Sync + Default + Into<u64> {
    /// The low bits.
    fn low(bits: u64) -> Self;
}

macro_rules! word {
    ($($word:ty)*) => {$(
        impl Word for $word {
            fn low(bits: u64) -> $word {
                bits as $word
            }
        }
    )*};
}

word!(u8 u32 u64);

/// The key alone.
pub(super) struct Plain<W>(PhantomData<W>);

impl<W: Word> View for Plain<W> {
    type Raw = W;

    fn pack(bits: u64, _: usize) -> W {
        W::low(bits)
    }

    fn bits(raw: W) -> u64 {
        raw.into()
    }
}

/// 32 bits of key, 32 bits of position.
pub(super) struct Tag32;

impl View for Tag32 {
    type Raw = u64;

    fn pack(bits: u64, position: usize) -> u64 {
        bits << 32 | position as u64
    }

    fn bits(raw: u64) -> u64 {
        raw >> 32
    }
}

impl Tagged for Tag32 {
    fn tag(raw: u64) -> usize {
        raw as u32 as usize
    }
}

/// 64 bits of key, 64 bits of position.
pub(super) struct Tag64;

impl View for Tag64 {
    type Raw = u128;

    fn pack(bits: u64, position: usize) -> u128 {
        u128::from(bits) << 64 | position as u128
    }

    fn bits(raw: u128) -> u64 {
        (raw >> 64) as u64
    }
}

impl Tagged for Tag64 {
    fn tag(raw: u128) -> usize {
        raw as usize
    }
}
