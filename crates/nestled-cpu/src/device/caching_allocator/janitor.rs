//! The background thread that returns idle memory of an allocator to the system. It runs only while there is idle memory.

use super::{CachingAllocator, REST};
use nestled_fork as fork;
use std::sync::{Mutex, Weak};
use std::time::Instant;

/// Starts the thread for an allocator; false if the system has none.
pub(super) fn start(allocator: Weak<Mutex<CachingAllocator>>) -> bool {
    let body = move || {
        loop {
            std::thread::sleep(REST / 2);
            let Some(allocator) = allocator.upgrade() else { return };
            if !fork::lock(&allocator).tidy(Instant::now()) {
                return;
            }
        }
    };
    std::thread::Builder::new().name("nestled-janitor".to_owned()).spawn(body).is_ok()
}
