//! Exit handlers of the process.

/// Has a function called when the process exits, before those that were registered earlier: `exit`, and the end of `main`. Does nothing on systems without it.
pub fn at_exit(run: extern "C" fn()) {
    #[cfg(unix)]
    // SAFETY: the function may run at any time, on any thread. If no more can be registered, nothing is.
    unsafe {
        libc::atexit(run);
    }
    #[cfg(not(unix))]
    let _ = run;
}
