//! What NVRTC made, kept on disk from one run to the next, in the cache that kernels for the CPU are in too.

use crate::nvrtc::Architecture;
use nestled_cache::{DiskCache, Kind, Source};

/// Changes whenever the options of the compiler do.
const FORMAT: &[u8] = b"cubin 1";

/// The cache.
#[derive(Debug)]
pub(crate) struct Cubins(DiskCache);

impl Cubins {
    /// That of the user.
    pub fn open() -> Cubins {
        Cubins(DiskCache::open())
    }

    /// What a text became.
    pub fn get(&self, text: &str, architecture: Architecture) -> Option<Vec<u8>> {
        self.0.get(&source(text, architecture))
    }

    /// Keeps it.
    pub fn put(&self, text: &str, architecture: Architecture, cubin: &[u8]) {
        self.0.put(&source(text, architecture), cubin);
    }
}

fn source(text: &str, architecture: Architecture) -> Source {
    Source::new(Kind::Cubin, &[FORMAT, &architecture.0.to_le_bytes(), text.as_bytes()])
}
