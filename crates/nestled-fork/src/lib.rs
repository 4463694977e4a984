//! Forks and the exit of a process. After a fork the child has only the thread that forked, and no other thread ever lets go of the locks that it held.
#![allow(unsafe_code)] // Calls of the system.

mod exit;

pub use exit::at_exit;

use std::sync::atomic::{AtomicUsize, Ordering};
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
        // SAFETY: the function only adds to a number, which is allowed in the child of any process.
        unsafe {
            libc::pthread_atfork(None, None, Some(in_the_child));
        }
    });
}

#[cfg(unix)]
unsafe extern "C" fn in_the_child() {
    FORKS.fetch_add(1, Ordering::Relaxed);
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
