//! A pool of threads for all parallel work: one parallel `for` at a time, over chunks.
//!
//! ```
//! use nestled_pool::Pool;
//! use std::sync::atomic::{AtomicUsize, Ordering};
//!
//! let sum = AtomicUsize::new(0);
//! Pool::global().for_each_chunk(100, |chunk| {
//!     sum.fetch_add(chunk, Ordering::Relaxed);
//! });
//! assert_eq!(sum.into_inner(), 4950);
//! ```
//!
//! - The caller takes part. Threads *claim* chunks one by one, by compare-and-swap on the number of chunks that are still open; so the
//!   caller never waits for a worker that has not started, and with no worker free does everything itself.
//! - A worker without work spins for about 50 µs, then sleeps. The caller wakes one sleeper, who wakes the next while chunks are open.
//! - A parallel `for` inside a chunk runs serially, and so does one from a second thread while the pool is busy.
//! - A panic in a chunk does not stop the others. When all are done, the caller goes on with the panic of the least chunk that had one.
//!
//! - In the child of a fork there are no workers: a pool that was made before starts others when it is next used.
//!
//! The protocol is in `work_stealing.rs`, and a model checker goes through its interleavings (`model.rs` says how).
//!
//! **Measured** with `cargo run --release -p nestled-pool --example fork_join`, two threads, 2 virtual cores (Xeon, KVM):
//! an empty parallel `for` takes 0.07 to 0.2 µs hot, and 3.7 µs after 1 ms of idleness (95 %: 14 µs). Other programs kept both
//! cores busy meanwhile. So these are the costs of asking for help; how quickly help comes has to be measured on a quiet machine.

mod items;
mod job;
#[cfg(all(test, loom))]
mod model;
mod sync;
#[cfg(all(test, not(loom)))]
mod tests;
mod threads;
mod work_stealing;

use job::Order;
use nestled_fork as fork;
use std::sync::OnceLock;
use sync::{Arc, AtomicBool, AtomicUsize, JoinHandle, Ordering, spawn};
use work_stealing::{Shared, inside};

pub use threads::{MAX_THREADS, THREADS_VARIABLE};

/// A pool of threads; see the [module](self).
#[derive(Debug)]
pub struct Pool {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
    /// Whether a parallel `for` is under way.
    busy: AtomicBool,
    /// How many there have been.
    loops: AtomicUsize,
    /// The process's count of forks when the threads were started.
    forks: usize,
    /// The pool used in a child of that process, where the threads do not exist.
    child: OnceLock<Box<Pool>>,
}

impl Pool {
    /// A pool of `threads` threads, the caller's among them; at least 1, at most [`MAX_THREADS`]. Where the system refuses to start more,
    /// the pool has fewer.
    pub fn new(threads: usize) -> Pool {
        fork::watch();
        let (threads, forks) = (threads.clamp(1, MAX_THREADS), fork::count());
        let shared = Arc::new(Shared::new(threads));
        let worker = |thread| {
            let shared = Arc::clone(&shared);
            spawn(move || shared.serve(thread)).ok()
        };
        let workers = (1..threads).map_while(worker).collect();
        Pool {
            shared,
            workers,
            busy: AtomicBool::new(false),
            loops: AtomicUsize::new(0),
            forks,
            child: OnceLock::new(),
        }
    }

    /// The global pool. It has as many threads as `NESTLED_THREADS` says, or else `OMP_NUM_THREADS`, or as the machine has cores for us.
    pub fn global() -> &'static Pool {
        static GLOBAL: OnceLock<Pool> = OnceLock::new();
        GLOBAL.get_or_init(|| Pool::new(threads::wanted()))
    }

    /// The number of threads, the caller's among them.
    pub fn threads(&self) -> usize {
        self.workers.len() + 1
    }

    /// The number of parallel `for`s so far that were shared between threads: if it does not change, what was done meanwhile took one thread of this pool.
    pub fn shared_loops(&self) -> usize {
        let inherited = || self.child.get().map_or(0, |child| child.shared_loops());
        self.loops.load(Ordering::Relaxed) + inherited()
    }

    /// Runs `body` once for each chunk `0..chunks`, in no particular order, on all threads of the pool. Returns when all are done. Neighbouring
    /// chunks go to one thread, the same one for each job with so many chunks, as long as all are equally fast.
    ///
    /// # Panics
    /// If a chunk panics, with the panic of the least such chunk; the pool can be used further. Which other chunks have run is not specified.
    pub fn for_each_chunk<F: Fn(usize) + Sync>(&self, chunks: usize, body: F) {
        self.run(chunks, Order::Near, body);
    }

    /// Runs `body` once for each chunk `0..chunks` on all threads of the pool, as [`for_each_chunk`](Self::for_each_chunk) does; but a chunk begins only
    /// when all before it have begun. So a chunk may wait for what those before it do.
    ///
    /// # Panics
    /// As [`for_each_chunk`](Self::for_each_chunk).
    pub fn for_each_in_turn<F: Fn(usize) + Sync>(&self, chunks: usize, body: F) {
        self.run(chunks, Order::Least, body);
    }

    #[allow(unsafe_code)] // Says that there is one caller.
    fn run<F: Fn(usize) + Sync>(&self, chunks: usize, order: Order, body: F) {
        if self.forks != fork::count() {
            return self.child.get_or_init(|| Box::new(Pool::new(self.threads()))).run(chunks, order, body);
        }
        if chunks <= 1 || self.workers.is_empty() || inside() || self.busy.swap(true, Ordering::Acquire) {
            return (0..chunks).for_each(body);
        }
        self.loops.fetch_add(1, Ordering::Relaxed);
        // SAFETY: `busy` was not set and is until this returns, so that no other thread gets here.
        let panic = unsafe { self.shared.run(&body, chunks, order) };
        self.busy.store(false, Ordering::Release);
        if let Some(payload) = panic {
            std::panic::resume_unwind(payload);
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if self.forks != fork::count() {
            // These threads are another process's.
            return self.workers.drain(..).for_each(std::mem::forget);
        }
        self.shared.close();
        for worker in self.workers.drain(..) {
            worker.join().expect("a worker catches the panics of its chunks");
        }
    }
}
