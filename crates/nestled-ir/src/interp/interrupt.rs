//! Interruption: ends a run from another thread or a signal handler.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A cancellation flag, set from another thread or a signal handler. Clones share the flag.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl PartialEq for Interrupt {
    fn eq(&self, other: &Interrupt) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Interrupt {}

impl Interrupt {
    /// Requests that the run ends. It does so soon, with an error.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// True if the interruption was requested.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// The flag itself, for signal handlers: setting it is the request.
    pub fn flag(&self) -> &Arc<AtomicBool> {
        &self.0
    }
}
