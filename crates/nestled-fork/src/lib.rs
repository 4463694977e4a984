//! Forks and the exit of a process. After a fork the child has only the thread that forked, and no other thread ever lets go of the locks that it held.
#![allow(unsafe_code)] // Calls of the system.

mod exit;

pub use exit::at_exit;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError, TryLockError};
use std::time::{Duration, Instant};

/// Number of forks between the process that began to watch and this one.
static FORKS: AtomicUsize = AtomicUsize::new(0);

/// The longest time for which a child waits for a lock that is only ever held for a moment.
const PATIENCE: Duration = Duration::from_secs(2);

/// Begins to count forks.
pub fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        #[cfg(unix)]
        // SAFETY: the functions wait for a flag, and set it and a number, which is allowed before a fork and in both processes after it.
        unsafe {
            libc::pthread_atfork(Some(before), Some(in_the_parent), Some(in_the_child));
        }
    });
}

/// Set while a thread is in a critical section, and by a fork while it lasts.
static CRITICAL: AtomicBool = AtomicBool::new(false);

/// The longest time for which a fork waits for a critical section.
const LONGEST: Duration = Duration::from_secs(10);

/// Runs a critical section that no fork interrupts, such as opening a library: a fork waits for its end. One thread at a time is in one; `body` begins no other.
pub fn critical<T>(body: impl FnOnce() -> T) -> T {
    struct End;
    impl Drop for End {
        fn drop(&mut self) {
            CRITICAL.store(false, Ordering::Release);
        }
    }
    watch();
    claimed(Duration::MAX);
    let _end = End;
    body()
}

/// Waits for the flag, and sets it; false if that takes longer.
fn claimed(patience: Duration) -> bool {
    let begin = Instant::now();
    while CRITICAL.swap(true, Ordering::Acquire) {
        if begin.elapsed() > patience {
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    true
}

/// Set by a fork that has set [`CRITICAL`].
#[cfg(unix)]
static FORKING: AtomicBool = AtomicBool::new(false);

#[cfg(unix)]
unsafe extern "C" fn before() {
    if claimed(LONGEST) {
        FORKING.store(true, Ordering::Relaxed);
    }
}

#[cfg(unix)]
unsafe extern "C" fn in_the_parent() {
    if FORKING.swap(false, Ordering::Relaxed) {
        CRITICAL.store(false, Ordering::Release);
    }
}

#[cfg(unix)]
unsafe extern "C" fn in_the_child() {
    FORKS.fetch_add(1, Ordering::Relaxed);
    // Whoever was in the middle of something is not in this process.
    FORKING.store(false, Ordering::Relaxed);
    CRITICAL.store(false, Ordering::Release);
}

/// Returns the number of forks between the process that began to watch and this one; costs one load. A record of threads, or of work under way, is
/// valid only if this number is the same as when the record was made.
#[inline]
pub fn count() -> usize {
    FORKS.load(Ordering::Relaxed)
}

/// Locks a mutex that no thread holds for long.
///
/// # Panics
/// In a child, if a thread that the fork left behind held it.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    if count() == 0 {
        return mutex.lock().unwrap_or_else(PoisonError::into_inner);
    }
    let begin = Instant::now();
    loop {
        match mutex.try_lock() {
            Ok(guard) => return guard,
            Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
            Err(TryLockError::WouldBlock) if begin.elapsed() < PATIENCE => std::thread::yield_now(),
            Err(TryLockError::WouldBlock) => {
                panic!(
                    "this process was forked while another thread was in Nestled: fork before, or start a program anew"
                )
            }
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// A fork waits for the critical section of another thread, so that the child finds its lock free.
    #[test]
    fn a_fork_waits_for_a_critical_section() {
        static HELD: Mutex<()> = Mutex::new(());
        watch();
        let (begun, has_begun) = std::sync::mpsc::channel();
        let other = std::thread::spawn(move || {
            critical(|| {
                let _held = lock(&HELD);
                begun.send(()).unwrap();
                std::thread::sleep(Duration::from_millis(200));
            });
        });
        has_begun.recv().unwrap();
        // SAFETY: the child tries a lock, and ends at once.
        let pid = unsafe { libc::fork() };
        if pid == 0 {
            let free = HELD.try_lock().is_ok();
            // SAFETY: ends this process.
            unsafe { libc::_exit(i32::from(!free)) }
        }
        let mut status = 0;
        // SAFETY: waits for our own child.
        assert_eq!(unsafe { libc::waitpid(pid, &raw mut status, 0) }, pid);
        assert_eq!(status, 0, "the lock was held in the child");
        other.join().unwrap();
        critical(|| drop(lock(&HELD)));
    }
}
