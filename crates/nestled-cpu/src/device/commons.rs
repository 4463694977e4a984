//! Resources shared by devices in several threads: a thread pool, and memory up to a common limit.

use super::available;
use super::caching_allocator::CachingAllocator;
use nestled_pool::Pool;
use std::sync::{Arc, Mutex, OnceLock};

/// Threads and memory for several CPU devices, each on a thread of its own. Clones share the same resources.
#[derive(Clone, Debug)]
pub struct Commons {
    threads: Option<Arc<Threads>>,
    pub(super) allocator: Arc<Mutex<CachingAllocator>>,
    pub(super) limit: u64,
}

/// A pool that is started on first use.
#[derive(Debug)]
struct Threads {
    wanted: usize,
    pool: OnceLock<Pool>,
}

impl Commons {
    /// Creates shared resources: `threads` threads, or those of the [shared pool](Pool::global); `memory` bytes, or four fifths of the memory
    /// available now.
    pub fn new(threads: Option<usize>, memory: Option<u64>) -> Commons {
        let threads = threads.map(|wanted| Arc::new(Threads { wanted, pool: OnceLock::new() }));
        let limit = memory.unwrap_or_else(available::available_memory);
        Commons { threads, allocator: CachingAllocator::shared(limit), limit }
    }

    pub(super) fn pool(&self) -> &Pool {
        match self.threads.as_deref() {
            Some(Threads { wanted, pool }) => pool.get_or_init(|| Pool::new(*wanted)),
            None => Pool::global(),
        }
    }

    /// Returns all free memory to the system.
    pub fn trim(&self) {
        nestled_fork::lock(&self.allocator).release();
    }

    /// Returns the bytes of all arrays.
    pub fn bytes_in_use(&self) -> u64 {
        nestled_fork::lock(&self.allocator).in_use()
    }

    /// Returns the bytes taken from the system, both in use and free.
    pub fn bytes_held(&self) -> u64 {
        nestled_fork::lock(&self.allocator).held()
    }
}
