//! The background thread that returns idle memory of a store to the system. It runs only while there is idle memory.

use super::{REST, Store};
use nestled_fork as fork;
use std::sync::{Mutex, Weak};
use std::time::Instant;

/// Starts the thread for a store; false if the system has none.
pub(super) fn start(store: Weak<Mutex<Store>>) -> bool {
    let body = move || {
        loop {
            std::thread::sleep(REST / 2);
            let Some(store) = store.upgrade() else { return };
            if !fork::lock(&store).tidy(Instant::now()) {
                return;
            }
        }
    };
    std::thread::Builder::new().name("nestled-janitor".to_owned()).spawn(body).is_ok()
}
