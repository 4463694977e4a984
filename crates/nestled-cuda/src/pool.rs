//! Memory of the card that is kept for the next who wants some, and who uses which piece.
//!
//! What is given back may still be in use by what is queued: its marks stay, so that whoever gets it next waits for them. So taking and giving back calls no driver. Sizes are
//! rounded up, by an eighth at most where they are large.

use crate::order::Marks;
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
    /// By address.
    regions: Vec<Region>,
    /// Pieces that nobody has, by size; the one that was given back first is taken first.
    spare: Vec<(u64, VecDeque<u64>)>,
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
    pub fn take(&mut self, size: u64) -> Option<u64> {
        let at = self.spare.binary_search_by_key(&size, |(size, _)| *size).ok()?;
        let address = self.spare[at].1.pop_front()?;
        self.used += size;
        Some(address)
    }

    /// Adds a piece of a size, which is taken at once.
    pub fn add(&mut self, address: u64, size: u64) {
        let at = self.regions.partition_point(|region| region.address < address);
        self.regions.insert(at, Region { address, bytes: size, marks: Marks::default() });
        self.held += size;
        self.used += size;
    }

    /// Gives a piece back.
    pub fn give(&mut self, address: u64, size: u64) {
        self.used -= size;
        match self.spare.binary_search_by_key(&size, |(size, _)| *size) {
            Ok(at) => self.spare[at].1.push_back(address),
            Err(at) => self.spare.insert(at, (size, VecDeque::from([address]))),
        }
    }

    /// Forgets a piece that somebody has.
    pub fn remove(&mut self, address: u64) {
        if let Ok(at) = self.regions.binary_search_by_key(&address, |region| region.address) {
            let region = self.regions.remove(at);
            self.held -= region.bytes;
            self.used -= region.bytes;
        }
    }

    /// Forgets all spare pieces: their addresses.
    pub fn empty(&mut self) -> Vec<u64> {
        let mut addresses: Vec<u64> = self.spare.drain(..).flat_map(|(_, spare)| spare).collect();
        addresses.sort_unstable();
        self.regions.retain(|region| addresses.binary_search(&region.address).is_err());
        self.held = self.used;
        addresses
    }

    /// All pieces.
    pub fn addresses(&self) -> impl Iterator<Item = u64> {
        self.regions.iter().map(|region| region.address)
    }

    /// Bytes of all pieces.
    pub fn held(&self) -> u64 {
        self.held
    }

    /// Bytes of those that somebody has.
    pub fn used(&self) -> u64 {
        self.used
    }

    /// The marks of the piece that an address lies in.
    pub fn marks(&mut self, address: u64) -> Option<&mut Marks> {
        let after = self.regions.partition_point(|region| region.address <= address);
        let region = self.regions.get_mut(after.checked_sub(1)?)?;
        (address < region.address + region.bytes).then_some(&mut region.marks)
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
        pool.add(4096, 512);
        pool.add(1024, 512);
        assert!(pool.marks(1024 + 511).is_some() && pool.marks(1024 + 512).is_none());
        pool.give(4096, 512);
        assert_eq!((pool.held(), pool.used()), (1024, 512));
        assert_eq!((pool.take(256), pool.take(512), pool.take(512)), (None, Some(4096), None));
        pool.give(1024, 512);
        assert_eq!(pool.empty(), [1024]);
        assert_eq!((pool.held(), pool.addresses().collect::<Vec<_>>()), (512, vec![4096]));
    }
}
