//! Compiled kernels in memory, for devices of one process.

use super::Source;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// A cache in memory. It can be shared between devices and threads. When it is full it is emptied.
pub struct SharedCache {
    entries: Mutex<Entries>,
    cap: usize,
}

#[derive(Default)]
struct Entries {
    objects: HashMap<Source, Arc<[u8]>>,
    size: usize,
}

impl SharedCache {
    /// Nothing in it yet; at most `cap` bytes later on.
    #[must_use]
    pub fn new(cap: usize) -> SharedCache {
        SharedCache { entries: Mutex::default(), cap }
    }

    /// How many objects there are.
    #[must_use]
    pub fn objects(&self) -> usize {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).objects.len()
    }

    /// What was made from this.
    #[must_use]
    pub fn get(&self, source: &Source) -> Option<Arc<[u8]>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).objects.get(source).cloned()
    }

    /// Keeps an object.
    pub fn put(&self, source: &Source, object: Arc<[u8]>) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let size = source.bytes().len() + object.len();
        if entries.size + size > self.cap {
            *entries = Entries::default();
        }
        if size <= self.cap && !entries.objects.contains_key(source) {
            entries.size += size;
            entries.objects.insert(source.clone(), object);
        }
    }
}

impl fmt::Debug for SharedCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedCache").field("cap", &self.cap).finish_non_exhaustive()
    }
}
