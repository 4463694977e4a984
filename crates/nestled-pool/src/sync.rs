//! Synchronisation primitives of the pool: the standard library's, or the model checker's of the same names.

#[cfg(not(all(test, loom)))]
mod real {
    pub(crate) use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
    pub(crate) use std::sync::{Arc, Condvar, Mutex};
    pub(crate) use std::thread::JoinHandle;
    pub(crate) use std::thread_local;
    use std::time::{Duration, Instant};

    /// The time for which a thread spins before it sleeps. Longer than the gap between two kernels of one program, shorter than what would
    /// show as load.
    const SPIN_LIMIT: Duration = Duration::from_micros(50);
    /// The time for which a spinning thread keeps the core to itself. After that it yields: on a busy machine, perhaps to the very worker that
    /// it waits for.
    const SPINS_BEFORE_YIELD: Duration = Duration::from_micros(5);

    /// Waits awake until `ready`; gives up after a while, and says whether it was.
    pub(crate) fn spin(ready: impl Fn() -> bool) -> bool {
        let mut begin = None;
        loop {
            for _ in 0..64 {
                if ready() {
                    return true;
                }
                std::hint::spin_loop();
            }
            let waited = begin.get_or_insert_with(Instant::now).elapsed();
            if waited >= SPIN_LIMIT {
                return false;
            }
            if waited >= SPINS_BEFORE_YIELD {
                std::thread::yield_now();
            }
        }
    }

    /// The stack of a thread, as large as deeply nested programs need: code is generated on these threads, too. Only what is used takes memory.
    const STACK: usize = 64 << 20;

    pub(crate) fn spawn(body: impl FnOnce() + Send + 'static) -> std::io::Result<JoinHandle<()>> {
        std::thread::Builder::new().name("nestled".to_owned()).stack_size(STACK).spawn(body)
    }
}

#[cfg(all(test, loom))]
mod real {
    pub(crate) use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
    pub(crate) use loom::sync::{Arc, Condvar, Mutex};
    pub(crate) use loom::thread::JoinHandle;
    pub(crate) use loom::thread_local;

    /// Sleeps at once if not ready: a model has no time.
    pub(crate) fn spin(ready: impl Fn() -> bool) -> bool {
        ready()
    }

    pub(crate) fn spawn(body: impl FnOnce() + Send + 'static) -> std::io::Result<JoinHandle<()>> {
        Ok(loom::thread::spawn(body))
    }
}

pub(crate) use real::*;
