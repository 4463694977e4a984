//! Data on a device, in the hands of arrays: a shared array, and a hold on the engine that computed it.

use nestled_fork as fork;
use nestled_rt::SharedArray;
use std::any::Any;
use std::sync::{Arc, Mutex};

/// The owner of data that no engine computed.
struct Nobody;

/// Data on the device of an engine, or in memory of somebody outside; given back with the last reference.
pub(crate) struct Resident {
    /// The engine's state, opaque here; held so that it lives as long as its data.
    owner: Arc<dyn Any + Send + Sync>,
    shared: Mutex<SharedArray>,
}

impl Resident {
    /// Data that an owner computed.
    pub fn new(owner: Arc<dyn Any + Send + Sync>, shared: SharedArray) -> Resident {
        Resident { owner, shared: Mutex::new(shared) }
    }

    /// Data that came from outside, in memory of the host.
    pub fn foreign(shared: SharedArray) -> Resident {
        Resident::new(Arc::new(Nobody), shared)
    }

    /// True if no engine has taken over the data.
    pub fn is_foreign(&self) -> bool {
        self.owner.is::<Nobody>()
    }

    /// True if this engine owns the data.
    pub fn belongs_to<T>(&self, owner: &Arc<T>) -> bool {
        std::ptr::addr_eq(Arc::as_ptr(&self.owner), Arc::as_ptr(owner))
    }

    /// Returns the shared array, as an argument of a program.
    pub fn shared(&self) -> SharedArray {
        fork::lock(&self.shared).clone()
    }

    /// Replaces the shared array by its copy on another device.
    pub fn stay(&self, there: SharedArray) {
        *fork::lock(&self.shared) = there;
    }
}
