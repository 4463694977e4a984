//! An address-space allocator with a free list, for machines whose memory is one buffer.

use std::collections::BTreeMap;

/// Alignment of addresses, in bytes.
const GRAIN: u64 = 256;

/// A free list over one range of addresses.
#[derive(Clone, Debug, Default)]
pub struct Arena {
    /// Free ranges: start and length; no two are adjacent.
    free: BTreeMap<u64, u64>,
    end: u64,
    used: u64,
}

impl Arena {
    /// Creates an empty arena.
    pub fn new() -> Arena {
        Arena::default()
    }

    /// Extends the range of addresses.
    pub fn grow(&mut self, to: u64) {
        if to > self.end {
            let from = std::mem::replace(&mut self.end, to);
            self.insert(from, to - from);
        }
    }

    /// Returns the end of the range.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Returns the number of allocated bytes.
    pub fn used(&self) -> u64 {
        self.used
    }

    fn rounded(bytes: u64) -> u64 {
        bytes.max(1).next_multiple_of(GRAIN)
    }

    /// Allocates some bytes.
    pub fn take(&mut self, bytes: u64) -> Option<u64> {
        let bytes = Arena::rounded(bytes);
        let (&start, &length) = self.free.iter().find(|(_, length)| **length >= bytes)?;
        self.free.remove(&start);
        if length > bytes {
            self.free.insert(start + bytes, length - bytes);
        }
        self.used += bytes;
        Some(start)
    }

    /// Frees an allocation of the same size as requested.
    pub fn give(&mut self, start: u64, bytes: u64) {
        let bytes = Arena::rounded(bytes);
        self.used -= bytes;
        self.insert(start, bytes);
    }

    fn insert(&mut self, mut start: u64, mut length: u64) {
        if let Some((&before, &size)) = self.free.range(..start).next_back()
            && before + size == start
        {
            self.free.remove(&before);
            start = before;
            length += size;
        }
        if let Some(size) = self.free.remove(&(start + length)) {
            length += size;
        }
        self.free.insert(start, length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_comes_back() {
        let mut arena = Arena::new();
        assert_eq!(arena.take(1), None);
        arena.grow(1024);
        let places: Vec<u64> = (0..4).map(|_| arena.take(200).unwrap()).collect();
        assert_eq!(places, [0, 256, 512, 768]);
        assert_eq!(arena.take(1), None);
        arena.give(256, 200);
        arena.give(768, 200);
        assert_eq!(arena.take(300), None);
        arena.give(512, 200);
        assert_eq!(arena.take(700), Some(256));
        arena.grow(2048);
        assert_eq!(arena.take(1024), Some(1024));
        assert_eq!(arena.used(), 2048);
    }
}
