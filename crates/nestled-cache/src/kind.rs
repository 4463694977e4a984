//! What is in the cache.

use crate::Key;

/// A kind of entry. Entries of two kinds never have one key, whatever they were made from.
///
/// Whoever makes entries puts into the key, beside what they are made from, a version that changes whenever the bytes that come out do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A program that the passes are done with.
    Program,
    /// Machine code for the CPU, by its LLVM text.
    Object,
    /// Machine code for the CPU with the plan to launch it by, by its kernel: found before any text is written.
    Kernel,
    /// Machine code for a card of NVIDIA's, by its CUDA text.
    Cubin,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Program => "program",
            Kind::Object => "object",
            Kind::Kernel => "kernel",
            Kind::Cubin => "cubin",
        }
    }
}

impl Key {
    /// The key of an entry of a kind that is made from these parts.
    #[must_use]
    pub fn for_entry(kind: Kind, parts: &[&[u8]]) -> Key {
        Key::of(&[&[kind.name().as_bytes()], parts].concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_keys_of_their_own() {
        let kinds = [Kind::Program, Kind::Object, Kind::Kernel, Kind::Cubin];
        let mut keys: Vec<Key> = kinds.iter().map(|&kind| Key::for_entry(kind, &[b"the same"])).collect();
        assert_eq!(keys[0], Key::of(&[b"program", b"the same"]));
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), kinds.len());
    }
}
