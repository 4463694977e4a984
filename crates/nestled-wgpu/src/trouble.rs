//! Asynchronous errors of wgpu.

use nestled_rt::device::DeviceError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// What went wrong outside of any call.
#[derive(Debug, Default)]
pub(crate) struct Trouble {
    /// Whether anything did: then somebody looks behind the lock.
    any: AtomicBool,
    what: Mutex<What>,
}

#[derive(Debug, Default)]
pub(crate) struct What {
    pub error: Option<String>,
    pub lost: Option<String>,
}

impl Trouble {
    pub fn note(&self, change: impl FnOnce(&mut What)) {
        change(&mut self.what.lock().unwrap_or_else(PoisonError::into_inner));
        self.any.store(true, Ordering::Release);
    }

    /// Returns an error if one was noted.
    pub fn check(&self) -> Result<(), DeviceError> {
        if !self.any.load(Ordering::Acquire) {
            return Ok(());
        }
        let mut what = self.what.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(why) = &what.lost {
            return Err(DeviceError::Lost(why.clone()));
        }
        match what.error.take() {
            Some(error) => Err(DeviceError::Bug(error)),
            None => Ok(()),
        }
    }
}
