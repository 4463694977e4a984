//! Ctrl-C: the first one asks the run to end, the second one ends the process.

use crate::exit_codes::INTERRUPTED;
use nestled_ir::interp::Interrupt;
use signal_hook::consts::SIGINT;
use signal_hook::flag::{register, register_conditional_shutdown};
use std::sync::Arc;

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
