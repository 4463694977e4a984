//! What is in the cache.

/// A kind of entry. Entries of two kinds never have one [source](crate::Source), whatever they were made from.
///
/// Whoever makes entries puts into the source, beside what they are made from, a version that changes whenever the bytes that come out do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A program that the passes are done with.
    Program,
    /// Machine code for the CPU, by its kernel: found before any text is written.
    Kernel,
    /// Machine code for a card of NVIDIA's, by its CUDA text.
    Cubin,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Program => "program",
            Kind::Kernel => "kernel",
            Kind::Cubin => "cubin",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Key, Source};

    #[test]
    fn kinds_have_keys_of_their_own() {
        let kinds = [Kind::Program, Kind::Kernel, Kind::Cubin];
        let mut keys: Vec<Key> = kinds.iter().map(|&kind| Source::new(kind, &[b"the same"]).key()).collect();
        assert_eq!(keys[0], Key::of(&[b"program", b"the same"]));
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), kinds.len());
    }
}
