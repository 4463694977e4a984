//! A hash of 128 bits, for keys and checksums.
//!
//! It is MurmurHash3 in its form for 64-bit machines, by Austin Appleby, with seed 0: simple, the same on every machine and in
//! every version of Rust, and quick (some 5 GB/s, so that hashing the text of a kernel costs a few microseconds). Two different texts
//! meet by chance once in 2^64. It does not withstand somebody who *looks* for two texts with the same hash, and need not: it only says where to look, for every entry
//! repeats what it was made from ([`Source`](crate::Source)). The standard library's hash has 64 bits and may change.

use std::fmt;

/// What an entry is found by: everything its bytes depend on, hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(u128);

impl Key {
    /// Hashes some parts. Where one part ends and the next begins counts: `["ab", "c"]` and `["a", "bc"]` differ.
    #[must_use]
    pub fn of(parts: &[&[u8]]) -> Key {
        let mut bytes = Vec::with_capacity(parts.iter().map(|part| part.len() + 8).sum());
        for part in parts {
            bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
            bytes.extend_from_slice(part);
        }
        Key::of_whole(&bytes)
    }

    /// Hashes bytes that already say where their parts end.
    pub(super) fn of_whole(bytes: &[u8]) -> Key {
        Key(hash(bytes))
    }

    pub(super) fn to_bytes(self) -> [u8; 16] {
        self.0.to_le_bytes()
    }
}

/// 32 hexadecimal digits.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

const C1: u64 = 0x87c3_7b91_1142_53d5;
const C2: u64 = 0x4cf5_ad43_2745_937f;

/// Hashes bytes; the first of the two words is the lower half.
pub(super) fn hash(bytes: &[u8]) -> u128 {
    let (mut h1, mut h2) = (0u64, 0u64);
    let (blocks, tail) = bytes.as_chunks::<16>();
    for block in blocks {
        let (k1, k2) = words(block);
        h1 = (h1 ^ mix1(k1)).rotate_left(27).wrapping_add(h2).wrapping_mul(5).wrapping_add(0x52dc_e729);
        h2 = (h2 ^ mix2(k2)).rotate_left(31).wrapping_add(h1).wrapping_mul(5).wrapping_add(0x3849_5ab5);
    }
    let mut last = [0; 16];
    last[..tail.len()].copy_from_slice(tail);
    let (k1, k2) = words(&last);
    h1 ^= mix1(k1) ^ bytes.len() as u64;
    h2 ^= mix2(k2) ^ bytes.len() as u64;
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    (h1, h2) = (finish(h1), finish(h2));
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    u128::from(h2) << 64 | u128::from(h1)
}

fn words(block: &[u8; 16]) -> (u64, u64) {
    let both = u128::from_le_bytes(*block);
    (both as u64, (both >> 64) as u64)
}

fn mix1(k: u64) -> u64 {
    k.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2)
}

fn mix2(k: u64) -> u64 {
    k.wrapping_mul(C2).rotate_left(33).wrapping_mul(C1)
}

fn finish(mut h: u64) -> u64 {
    h = (h ^ h >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    h = (h ^ h >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    h ^ h >> 33
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Known values of the function.
    #[test]
    fn known_values() {
        assert_eq!(hash(b""), 0);
        assert_eq!(hash(b"hello"), 0x5b1e_906a_48ae_1d19_cbd8_a7b3_41bd_9b02);
        let fox = hash(b"The quick brown fox jumps over the lazy dog");
        assert_eq!(fox, 0x7a43_3ca9_c49a_9347_e34b_bc7b_bc07_1b6c);
    }

    #[test]
    fn parts_have_ends() {
        assert_ne!(Key::of(&[b"ab", b"c"]), Key::of(&[b"a", b"bc"]));
        assert_ne!(Key::of(&[b"ab"]), Key::of(&[b"ab", b""]));
        assert_eq!(Key::of(&[b"ab", b"c"]), Key::of(&[b"ab", b"c"]));
    }
}
