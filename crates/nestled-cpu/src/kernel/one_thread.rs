//! Time of launches that one thread computes, by which they are worth running beside others.
//!
//! The first launches of a kernel are timed, and some later ones. A launch during which a loop was shared between threads counts as no time: it fills the cores by itself. What was
//! timed says nothing of launches that are larger by more than a half.

use nestled_pool::Pool;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

/// After the first launches, one of so many is timed.
const EVERY: u32 = 64;

/// Measured time of launches of a kernel with one thread.
#[derive(Debug, Default)]
pub struct OneThreadTime {
    /// Nanoseconds of the latest that was timed, as the bits of an `f32`.
    latest: AtomicU32,
    /// The number of elements of its arguments and results.
    size: AtomicU64,
    launches: AtomicU32,
}

/// A launch that is timed.
pub struct Timed {
    start: Instant,
    /// Loops that the pool had shared before.
    shared: usize,
    size: u64,
}

impl OneThreadTime {
    /// Begins to time a launch of so many elements, if it is its turn.
    pub fn begin(&self, pool: &Pool, size: impl Fn() -> u64) -> Option<Timed> {
        let number = self.launches.fetch_add(1, Ordering::Relaxed);
        let is_timed = pool.threads() > 1 && (number < 2 || number.is_multiple_of(EVERY));
        is_timed.then(|| Timed { start: Instant::now(), shared: pool.shared_loops(), size: size() })
    }

    /// Notes what the launch took.
    pub fn end(&self, timed: Option<Timed>, pool: &Pool) {
        let Some(Timed { start, shared, size }) = timed else { return };
        let alone = pool.shared_loops() == shared;
        self.size.store(size, Ordering::Relaxed);
        let nanos = if alone { start.elapsed().as_nanos() as f32 } else { 0.0 };
        self.latest.store(nanos.to_bits(), Ordering::Relaxed);
    }

    /// True if a launch of so many elements is known to take one thread, for at least so many nanoseconds.
    pub fn takes_as_long(&self, nanoseconds: u64, size: impl Fn() -> u64) -> bool {
        let timed = self.size.load(Ordering::Relaxed);
        let took = f32::from_bits(self.latest.load(Ordering::Relaxed));
        took >= nanoseconds as f32 && (nanoseconds == 0 || size() <= timed + timed / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn long_launches_of_one_thread_are_worth_another() {
        let (pool, time) = (Pool::new(2), OneThreadTime::default());
        assert!(!time.takes_as_long(1, || 0), "nothing is known");
        assert!(time.takes_as_long(0, || 0), "whatever it takes");
        let timed = time.begin(&pool, || 100);
        std::thread::sleep(Duration::from_micros(200));
        time.end(timed, &pool);
        assert!(time.takes_as_long(100_000, || 100) && time.takes_as_long(100_000, || 150));
        assert!(!time.takes_as_long(100_000, || 151), "a larger one may fill the cores");
    }

    #[test]
    fn launches_that_are_shared_are_not() {
        let (pool, time) = (Pool::new(2), OneThreadTime::default());
        let timed = time.begin(&pool, || 100);
        pool.for_each_chunk(4, |_| std::thread::sleep(Duration::from_micros(100)));
        time.end(timed, &pool);
        assert!(!time.takes_as_long(1, || 100));
        assert!(
            OneThreadTime::default().begin(&Pool::new(1), || 100).is_none(),
            "one thread has nobody to wake"
        );
    }
}
