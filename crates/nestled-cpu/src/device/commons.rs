//! What devices in several threads have together: threads, and memory up to one limit.

use super::available;
use super::store::Store;
use nestled_pool::Pool;
use std::sync::{Arc, Mutex, OnceLock};

/// Threads and memory for several CPU devices, each in a thread of its own. Clones are one and the same.
#[derive(Clone, Debug)]
pub struct Commons {
    threads: Option<Arc<Threads>>,
    pub(super) store: Arc<Mutex<Store>>,
    pub(super) limit: u64,
}

/// A pool that is started when there is something for it to do.
#[derive(Debug)]
struct Threads {
    wanted: usize,
    pool: OnceLock<Pool>,
}

impl Commons {
    /// So many threads, or those of the [shared pool](Pool::global); so many bytes, or four fifths of what the system has available now.
    pub fn new(threads: Option<usize>, memory: Option<u64>) -> Commons {
        let threads = threads.map(|wanted| Arc::new(Threads { wanted, pool: OnceLock::new() }));
        let limit = memory.unwrap_or_else(available::available_memory);
        Commons { threads, store: Store::shared(limit), limit }
    }

    pub(super) fn pool(&self) -> &Pool {
        match self.threads.as_deref() {
            Some(Threads { wanted, pool }) => pool.get_or_init(|| Pool::new(*wanted)),
            None => Pool::global(),
        }
    }

    /// Gives all memory back to the system that nothing lies in.
    pub fn trim(&self) {
        nestled_fork::lock(&self.store).release();
    }

    /// Bytes that arrays take.
    pub fn bytes_in_use(&self) -> u64 {
        nestled_fork::lock(&self.store).in_use()
    }

    /// Bytes that were taken from the system, those in use and those kept for the next who wants some.
    pub fn bytes_held(&self) -> u64 {
        nestled_fork::lock(&self.store).held()
    }
}
