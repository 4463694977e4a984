//! A word to people whose programs run much more slowly than they could.

use nestled_devices::Opened;
use std::sync::Once;

/// Says on stderr, once in the life of the process, what would make a device faster.
pub(super) fn say(opened: &Opened) {
    static SAID: Once = Once::new();
    if let Some(hint) = opened.hint() {
        SAID.call_once(|| {
            eprintln!("nestled: kernels are interpreted, ten to a hundred times more slowly than they would run compiled: {hint}");
        });
    }
}
