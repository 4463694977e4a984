//! Interrupts and time limits: the first Ctrl-C asks the run to end, the second one ends the process. A run that does not react within its patience, because a
//! loop does not end or because the program is still being read, is ended without the second. In a conversation Ctrl-C ends a statement; it ends the process
//! only if the statement does not react.

use crate::exit_codes::{FAILED, Failure, INTERRUPTED};
use nestled_ir::interp::Interrupt;
use signal_hook::consts::SIGINT;
use signal_hook::flag::{register, register_conditional_shutdown};
use signal_hook::iterator::Signals;
use std::io::Write;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The phase of the command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// A program is read, checked or compiled: nothing is lost if this ends at once.
    Reading,
    /// A program runs.
    Running,
    /// Results are written at the end.
    Ending,
}

impl Phase {
    const ALL: [Phase; 3] = [Phase::Reading, Phase::Running, Phase::Ending];

    fn now() -> Phase {
        Phase::ALL[usize::from(PHASE.load(Ordering::SeqCst))]
    }

    /// The time that a phase may take to end in good order.
    fn patience(self) -> Duration {
        match self {
            Phase::Reading => Duration::from_millis(100),
            Phase::Running | Phase::Ending => Duration::from_secs(1),
        }
    }
}

static PHASE: AtomicU8 = AtomicU8::new(Phase::Reading as u8);

/// Guard of a phase, which lasts until this is dropped.
#[must_use]
pub struct Entered(u8);

/// Enters a phase.
pub fn enter(phase: Phase) -> Entered {
    Entered(PHASE.swap(phase as u8, Ordering::SeqCst))
}

impl Drop for Entered {
    fn drop(&mut self) {
        PHASE.store(self.0, Ordering::SeqCst);
    }
}

/// Sleeps for as long as the current phase may take to end.
fn be_patient() {
    let start = Instant::now();
    while start.elapsed() < Phase::now().patience() {
        thread::sleep(Duration::from_millis(10));
    }
}

/// Ends the process at once, from any thread. Libraries' handlers of its end are left out: LLVM's take down what a thread that compiles still uses.
fn end(status: u8) -> ! {
    signal_hook::low_level::exit(status.into())
}

/// Ends the process without waiting for a kernel that is compiled in the background. What was printed is written.
pub fn end_at_once(status: u8) -> ! {
    // Who closed the output does not want it.
    let _ = std::io::stdout().flush();
    end(status)
}

/// An interrupt for a process that only runs a program: the process ends soon after Ctrl-C, even if the program does not react.
pub fn interrupt_or_exit() -> Interrupt {
    let interrupt = interrupt();
    if let Ok(mut signals) = Signals::new([SIGINT]) {
        thread::spawn(move || {
            signals.forever().next();
            be_patient();
            eprintln!("interrupted");
            end(INTERRUPTED);
        });
    }
    interrupt
}

/// An interrupt that Ctrl-C requests. If the system does not let us catch the signal, Ctrl-C ends the process.
pub fn interrupt() -> Interrupt {
    let interrupt = Interrupt::default();
    INTERRUPTS.lock().unwrap_or_else(PoisonError::into_inner).push(interrupt.clone());
    // In this order: only the second signal finds the flag set already.
    let second = register_conditional_shutdown(SIGINT, INTERRUPTED.into(), Arc::clone(interrupt.flag()));
    if second.is_ok() {
        let _ = register(SIGINT, Arc::clone(interrupt.flag()));
    }
    interrupt
}

/// The interrupts that a time limit requests, too.
static INTERRUPTS: Mutex<Vec<Interrupt>> = Mutex::new(Vec::new());

/// The time limit, once it was reached.
static TIME_LIMIT_REACHED: OnceLock<Duration> = OnceLock::new();

/// Ends the process after this time: in good order if the current phase reacts to the interrupt.
pub fn limit_time(limit: Duration) {
    thread::spawn(move || {
        thread::sleep(limit);
        let _ = TIME_LIMIT_REACHED.set(limit);
        INTERRUPTS.lock().unwrap_or_else(PoisonError::into_inner).iter().for_each(Interrupt::request);
        be_patient();
        if let Some(failure) = time_is_over() {
            crate::output::print_failure(&failure);
        }
        end(FAILED);
    });
}

/// The failure to report if the time limit interrupted the run.
pub fn time_is_over() -> Option<Failure> {
    let limit = TIME_LIMIT_REACHED.get()?.as_secs_f64();
    Some(Failure::failed(format!("error: the program was stopped: `--time-limit` gave it {limit} s\n")))
}

/// Ctrl-C in a conversation: each press requests that the statement ends, and the request is cleared before the next statement.
#[derive(Clone)]
pub struct InteractiveInterrupt {
    interrupt: Interrupt,
    waited: Arc<Mutex<Waited>>,
}

/// Reaction of a statement to Ctrl-C so far.
#[derive(Clone, Copy, Default)]
struct Waited {
    /// The time of the first press for this statement.
    since: Option<Instant>,
    /// Whether the user was told that one more Ctrl-C ends the session.
    warned: bool,
}

impl InteractiveInterrupt {
    /// Installs the handler.
    pub fn hear() -> InteractiveInterrupt {
        let presses = InteractiveInterrupt { interrupt: Interrupt::default(), waited: Arc::default() };
        INTERRUPTS.lock().unwrap_or_else(PoisonError::into_inner).push(presses.interrupt.clone());
        if let Ok(mut signals) = Signals::new([SIGINT])
            && register(SIGINT, Arc::clone(presses.interrupt.flag())).is_ok()
        {
            let own = presses.clone();
            thread::spawn(move || signals.forever().for_each(|_| own.pressed()));
        }
        presses
    }

    /// The interrupt that a press requests.
    pub fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// Clears the request after the statement has ended.
    pub fn forget(&self) {
        let mut waited = self.waited();
        *waited = Waited::default();
        // A limit of time is for the whole session.
        self.interrupt.flag().store(TIME_LIMIT_REACHED.get().is_some(), Ordering::Relaxed);
    }

    fn waited(&self) -> MutexGuard<'_, Waited> {
        self.waited.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Handles Ctrl-C. Repeated presses do not end the session at once; after some time the user is warned, and the next press ends it.
    fn pressed(&self) {
        let mut waited = self.waited();
        if !self.interrupt.is_requested() {
            // It ended in the meantime.
            return;
        }
        match *waited {
            Waited { warned: true, .. } => end(INTERRUPTED),
            Waited { since: Some(since), .. } if since.elapsed() > Phase::Running.patience() => {
                waited.warned = true;
                eprintln!(
                    "the statement does not end; Ctrl-C once more ends the session, and its names are lost"
                );
            }
            Waited { since: None, .. } => waited.since = Some(Instant::now()),
            Waited { since: Some(_), .. } => {}
        }
    }
}
