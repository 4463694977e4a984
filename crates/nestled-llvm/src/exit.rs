//! The end of compilation before a process exits: LLVM's exit handlers take down what a compilation on another thread uses.
//!
//! **Invariant.** After [`end_compilations`] no thread enters LLVM, and none is inside but one that took longer than the patience of ten seconds.

use super::error::Ended;
use nestled_fork as fork;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The longest time for which the end of a process waits for compilations.
const PATIENCE: Duration = Duration::from_secs(10);

struct State {
    /// Number of threads inside of LLVM.
    compiling: usize,
    /// Number of forks when they were counted: a child has none of its parent's threads.
    forks: usize,
    has_ended: bool,
}

static STATE: Mutex<State> = Mutex::new(State { compiling: 0, forks: 0, has_ended: false });
/// Wakes who waits for the end of compilations.
static IDLE: Condvar = Condvar::new();

impl State {
    fn count_here(&mut self) -> &mut usize {
        if self.forks != fork::count() {
            self.forks = fork::count();
            self.compiling = 0;
        }
        &mut self.compiling
    }
}

/// A thread inside of LLVM.
pub(crate) struct Compiling {
    forks: usize,
}

impl Compiling {
    pub(crate) fn begin() -> Result<Compiling, Ended> {
        fork::watch();
        let mut state = fork::lock(&STATE);
        if state.has_ended {
            return Err(Ended);
        }
        *state.count_here() += 1;
        Ok(Compiling { forks: fork::count() })
    }
}

impl Drop for Compiling {
    fn drop(&mut self) {
        let mut state = fork::lock(&STATE);
        if self.forks == state.forks {
            state.compiling -= 1;
        }
        IDLE.notify_all();
    }
}

/// Waits for compilations on all threads, and lets none begin any more. For hosts that know when a process is about to exit while threads still run, as daemon threads of
/// Python do: such a thread would be in the middle of a compilation when LLVM is taken down. Kernels that are not compiled by then can still be interpreted.
pub fn end_compilations() {
    let start = Instant::now();
    let mut state = fork::lock(&STATE);
    state.has_ended = true;
    while *state.count_here() > 0 && start.elapsed() < PATIENCE {
        let waited = IDLE.wait_timeout(state, Duration::from_millis(100));
        (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
    }
}
