//! Memory of the card that is kept for the next who wants some, and who uses which piece.
//!
//! What is given back may still be in use by what is queued: its marks stay, so that whoever gets it next waits for them. So taking and giving back calls no driver. Sizes are
//! rounded up, by an eighth at most where they are large.

use crate::stream_order::Marks;
use nestled_gpu::device::Place;
use std::collections::VecDeque;

/// Up to here sizes are rounded to multiples of 256.
const SMALL: u64 = 64 << 10;

/// A piece of memory.
#[derive(Debug)]
struct Region {
    address: u64,
    bytes: u64,
    marks: Marks,
}

/// All pieces.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    /// By number.
    regions: Vec<Option<Region>>,
    /// Numbers of pieces that are gone.
    vacant: Vec<u32>,
    /// Pieces that nobody has, by size; the one that was given back first is taken first.
    spare: Vec<(u64, VecDeque<u32>)>,
    /// Bytes of all pieces, and of those that somebody has.
    held: u64,
    used: u64,
}

/// The size that a piece for so many bytes has.
pub(crate) fn size(bytes: u64) -> u64 {
    if bytes <= SMALL {
        return bytes.max(1).next_multiple_of(256);
    }
    let step = bytes.checked_next_power_of_two().unwrap_or(1 << 63) / 16;
    bytes.checked_next_multiple_of(step).unwrap_or(u64::MAX)
}

impl Pool {
    /// Takes a piece of a size, if one is spare.
    pub fn take(&mut self, size: u64) -> Option<Place> {
        let at = self.spare.binary_search_by_key(&size, |(size, _)| *size).ok()?;
        let piece = self.spare[at].1.pop_front()?;
        let region = self.regions[piece as usize].as_ref()?;
        self.used += size;
        Some(Place { address: region.address, piece })
    }

    /// Adds a piece of a size, which is taken at once.
    pub fn add(&mut self, address: u64, size: u64) -> Place {
        let piece = self.vacant.pop().unwrap_or_else(|| {
            self.regions.push(None);
            self.regions.len() as u32 - 1
        });
        self.regions[piece as usize] = Some(Region { address, bytes: size, marks: Marks::default() });
        self.held += size;
        self.used += size;
        Place { address, piece }
    }

    /// Gives a piece back.
    pub fn give(&mut self, piece: u32) {
        let Some(Region { bytes, .. }) = self.regions[piece as usize] else { return };
        self.used -= bytes;
        match self.spare.binary_search_by_key(&bytes, |(size, _)| *size) {
            Ok(at) => self.spare[at].1.push_back(piece),
            Err(at) => self.spare.insert(at, (bytes, VecDeque::from([piece]))),
        }
    }

    /// Forgets a piece that somebody has.
    pub fn remove(&mut self, piece: u32) {
        if let Some(region) = self.regions[piece as usize].take() {
            self.vacant.push(piece);
            self.held -= region.bytes;
            self.used -= region.bytes;
        }
    }

    /// Forgets all spare pieces: their addresses.
    pub fn empty(&mut self) -> Vec<u64> {
        let pieces = self.spare.drain(..).flat_map(|(_, spare)| spare);
        let mut addresses = Vec::new();
        for piece in pieces {
            addresses.extend(self.regions[piece as usize].take().map(|region| region.address));
            self.vacant.push(piece);
        }
        self.held = self.used;
        addresses
    }

    /// All pieces.
    pub fn addresses(&self) -> impl Iterator<Item = u64> {
        self.regions.iter().flatten().map(|region| region.address)
    }

    /// Bytes of all pieces.
    pub fn held(&self) -> u64 {
        self.held
    }

    /// Bytes of those that somebody has.
    pub fn used(&self) -> u64 {
        self.used
    }

    /// The marks of a piece.
    pub fn marks(&mut self, piece: u32) -> Option<&mut Marks> {
        Some(&mut self.regions.get_mut(piece as usize)?.as_mut()?.marks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_rounded_by_an_eighth_at_most() {
        for bytes in [1, 255, 256, 257, 65_536, 65_537, 100_000, 131_072, 131_073, 5 << 30] {
            let size = size(bytes);
            assert!(size >= bytes && size.is_multiple_of(256), "{bytes}: {size}");
            assert!(size - bytes < 256 || size - bytes <= bytes / 8, "{bytes}: {size}");
        }
    }

    #[test]
    fn what_is_given_back_is_taken_again() {
        let mut pool = Pool::default();
        assert_eq!(pool.take(512), None);
        let (first, second) = (pool.add(4096, 512), pool.add(1024, 512));
        assert!(pool.marks(second.piece).is_some() && pool.marks(second.piece + 1).is_none());
        pool.give(first.piece);
        assert_eq!((pool.held(), pool.used()), (1024, 512));
        assert_eq!((pool.take(256), pool.take(512), pool.take(512)), (None, Some(first), None));
        pool.give(second.piece);
        assert_eq!(pool.empty(), [1024]);
        assert_eq!((pool.held(), pool.addresses().collect::<Vec<_>>()), (512, vec![4096]));
        assert_eq!(pool.add(2048, 256).piece, second.piece);
        pool.remove(first.piece);
        assert_eq!((pool.held(), pool.used()), (256, 256));
    }
}
