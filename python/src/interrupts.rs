//! Ctrl-C while the main thread computes: the computation ends, and Python does what its handler says.
//!
//! Python's own handler of the signal only notes it, for when the main thread is back in the interpreter. Ours stands before it: it notes the signal too, and calls Python's. As long as the
//! main thread computes, a thread looks every 20 ms; if there was a signal, it stops what the main thread has asked for, which then lets Python's handler act. Whoever
//! sets another handler takes the place of ours, which the thread puts before the new one.
//!
//! **Invariant.** Other threads' computations go on. Nothing here waits for the interpreter's lock.
#![allow(unsafe_code)] // Handlers of signals.

use nestled_array::Engine;
use nestled_fork as fork;
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

/// The time between two looks.
const TICK: Duration = Duration::from_millis(20);

/// Looks after the last computation before the thread rests.
const LOOKS: u32 = 10;

/// True if there was a signal.
static NOTED: AtomicBool = AtomicBool::new(false);

/// True while the handler runs: another handler may call ours, which calls it.
static HANDLING: AtomicBool = AtomicBool::new(false);

/// The handler before ours, and its flags.
static BEFORE: (AtomicUsize, AtomicI32) = (AtomicUsize::new(0), AtomicI32::new(0));

struct Watch {
    /// The engine on which the main thread computes.
    engine: Option<(Engine, ThreadId)>,
    is_stopped: bool,
    rests: bool,
    /// The process that has the thread, counted by forks.
    home: Option<usize>,
}

static WATCH: Mutex<Watch> = Mutex::new(Watch { engine: None, is_stopped: false, rests: false, home: None });
static BEGUN: Condvar = Condvar::new();

thread_local! {
    /// True in the main thread, with the process in which that was found.
    static IS_MAIN: Cell<Option<(usize, bool)>> = const { Cell::new(None) };
    /// True if the last computation of this thread was stopped.
    static WAS_STOPPED: Cell<bool> = const { Cell::new(false) };
}

fn is_main() -> bool {
    let forks = fork::count();
    match IS_MAIN.get() {
        Some((then, is_main)) if then == forks => is_main,
        _ => {
            let is_main = ask_system();
            IS_MAIN.set(Some((forks, is_main)));
            is_main
        }
    }
}

#[cfg(target_os = "linux")]
fn ask_system() -> bool {
    // SAFETY: both only ask.
    unsafe { libc::gettid() == libc::getpid() }
}

#[cfg(not(target_os = "linux"))]
fn ask_system() -> bool {
    thread::current().name() == Some("main")
}

/// Returns whether there was a signal since it was last asked.
pub fn was_noted() -> bool {
    NOTED.load(Ordering::Relaxed) && NOTED.swap(false, Ordering::Relaxed)
}

/// Returns whether the last computation of this thread was stopped by a signal, since it was last asked.
pub fn was_stopped() -> bool {
    WAS_STOPPED.take()
}

/// Runs a computation on an engine, which ends with [`nestled_array::Reason::Cancelled`] if there is a signal meanwhile.
pub fn watched<R>(engine: &Engine, action: impl FnOnce() -> R) -> R {
    let _guard = is_main().then(|| Guard::enter(engine)).flatten();
    action()
}

/// A computation of the main thread.
struct Guard(Engine);

impl Guard {
    /// Nothing within another computation.
    fn enter(engine: &Engine) -> Option<Guard> {
        let watch = &mut *fork::lock(&WATCH);
        let forks = fork::count();
        if watch.home != Some(forks) {
            *watch = Watch { engine: None, is_stopped: false, rests: false, home: Some(forks) };
            fork::watch();
            let thread = thread::Builder::new().name("nestled-signals".to_owned());
            // Without it Ctrl-C acts when the computation has ended.
            let _ = thread.spawn(move || look(forks));
        }
        if watch.engine.is_some() {
            return None;
        }
        watch.engine = Some((engine.clone(), thread::current().id()));
        if watch.rests {
            BEGUN.notify_one();
        }
        Some(Guard(engine.clone()))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let mut watch = fork::lock(&WATCH);
        let engine = watch.engine.take();
        if std::mem::take(&mut watch.is_stopped) {
            WAS_STOPPED.set(true);
            self.0.resume_thread(thread::current().id());
        }
        drop(watch);
        drop(engine);
    }
}

/// Looks for signals while the main thread computes.
fn look(forks: usize) {
    let mut idle = 0;
    while fork::count() == forks {
        let mut guard = fork::lock(&WATCH);
        let watch = &mut *guard;
        if let Some((engine, thread)) = &watch.engine {
            idle = 0;
            stand_before();
            if was_noted() {
                engine.stop_thread(*thread);
                watch.is_stopped = true;
            }
        } else if idle < LOOKS {
            idle += 1;
        } else {
            watch.rests = true;
            guard = BEGUN.wait(guard).unwrap_or_else(PoisonError::into_inner);
            guard.rests = false;
            stand_before();
        }
        drop(guard);
        thread::sleep(TICK);
    }
}

/// Puts our handler before that of the process, if it has one and does not stand there.
fn stand_before() {
    let handler = on_signal as unsafe extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) as usize;
    // SAFETY: a place for the answer; a record of numbers may be zero.
    let mut found: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: it only asks, and writes to `found`.
    let failed = unsafe { libc::sigaction(libc::SIGINT, null(), &raw mut found) } != 0;
    let its = found.sa_sigaction;
    if failed || its == handler || its == libc::SIG_DFL || its == libc::SIG_IGN {
        return;
    }
    BEFORE.1.store(found.sa_flags, Ordering::Relaxed);
    BEFORE.0.store(its, Ordering::Release);
    found.sa_sigaction = handler;
    found.sa_flags |= libc::SA_SIGINFO;
    // SAFETY: the handler has the type that the flags say, and does what a handler may do.
    unsafe { libc::sigaction(libc::SIGINT, &raw const found, null_mut()) };
}

/// Notes the signal, and calls the handler before.
///
/// # Safety
/// Called by the system, or by another handler with what the system gave it.
unsafe extern "C" fn on_signal(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    if HANDLING.swap(true, Ordering::AcqRel) {
        return;
    }
    NOTED.store(true, Ordering::Relaxed);
    let before = BEFORE.0.load(Ordering::Acquire);
    if before != 0 && BEFORE.1.load(Ordering::Relaxed) & libc::SA_SIGINFO != 0 {
        type Handler = unsafe extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);
        // SAFETY: it stood where this stands, with the flag of a handler of three arguments.
        unsafe { std::mem::transmute::<usize, Handler>(before)(signal, info, context) };
    } else if before != 0 {
        // SAFETY: it stood where this stands, without that flag.
        unsafe { std::mem::transmute::<usize, unsafe extern "C" fn(c_int)>(before)(signal) };
    }
    HANDLING.store(false, Ordering::Release);
}
