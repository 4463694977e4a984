//! What an entry is made from, exactly: the entry repeats it.

use crate::{Key, Kind};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Everything that the bytes of an entry depend on, as bytes. An entry is found by its hash, and used only if it repeats these very bytes.
///
/// So two sources never share an entry, whatever their hashes are. Clones are cheap.
#[derive(Clone, PartialEq, Eq)]
pub struct Source {
    key: Key,
    bytes: Arc<[u8]>,
}

impl Source {
    /// Of an entry of a kind, made from these parts. Where one part ends and the next begins counts: `["ab", "c"]` and `["a", "bc"]` differ.
    #[must_use]
    pub fn new(kind: Kind, parts: &[&[u8]]) -> Source {
        let kind = [kind.name().as_bytes()];
        let mut bytes = Vec::with_capacity(parts.iter().map(|part| part.len() + 8).sum::<usize>() + 16);
        for part in kind.iter().chain(parts) {
            bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
            bytes.extend_from_slice(part);
        }
        Source::from_bytes(&bytes)
    }

    /// From what an entry repeats.
    pub(super) fn from_bytes(bytes: &[u8]) -> Source {
        Source { key: Key::of_whole(bytes), bytes: bytes.into() }
    }

    /// What it is found by.
    #[must_use]
    pub fn key(&self) -> Key {
        self.key
    }

    /// How many bytes it takes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// What an entry repeats.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Another source with the key of this one, as somebody may find who looks for one.
    #[cfg(test)]
    pub(super) fn colliding(&self, bytes: &[u8]) -> Source {
        Source { key: self.key, bytes: bytes.into() }
    }
}

/// Equal sources have equal keys.
impl Hash for Source {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key.hash(state);
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "source {} of {} bytes", self.key, self.bytes.len())
    }
}
