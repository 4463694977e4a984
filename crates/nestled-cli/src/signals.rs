//! Ctrl-C: the first one asks the run to end, the second one ends the process. A run that does not hear, because a kernel goes on and on,
//! does not need the second.

use crate::exit_codes::INTERRUPTED;
use nestled_ir::interp::Interrupt;
use signal_hook::consts::SIGINT;
use signal_hook::flag::{register, register_conditional_shutdown};
use signal_hook::iterator::Signals;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// How long a run may take to end in good order.
const PATIENCE: Duration = Duration::from_secs(1);

/// The same for a process that only runs a program: it ends soon after Ctrl-C, whatever goes on in it.
pub fn interrupt_or_exit() -> Interrupt {
    let interrupt = interrupt();
    if let Ok(mut signals) = Signals::new([SIGINT]) {
        thread::spawn(move || {
            signals.forever().next();
            thread::sleep(PATIENCE);
            eprintln!("interrupted in the middle of a kernel");
            std::process::exit(INTERRUPTED.into());
        });
    }
    interrupt
}

/// A wish that Ctrl-C makes. Where the system does not let us hear of it, Ctrl-C does what it always does.
pub fn interrupt() -> Interrupt {
    let interrupt = Interrupt::default();
    // In this order: only the second signal finds the flag set already.
    let second = register_conditional_shutdown(SIGINT, INTERRUPTED.into(), Arc::clone(interrupt.flag()));
    if second.is_ok() {
        let _ = register(SIGINT, Arc::clone(interrupt.flag()));
    }
    interrupt
}
