//! The thread that gives back what rests too long in a store. There is one as long as something is to be looked after.

use super::store::{REST, Store};
use nestled_fork as fork;
use std::sync::{Mutex, Weak};
use std::time::Instant;

/// Starts to look after a store; whether the system gave a thread.
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
