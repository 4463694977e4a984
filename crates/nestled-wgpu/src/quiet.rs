//! Silence: loaders of drivers complain on standard error of what concerns nobody here, such as that there is no desktop.

use std::sync::{Mutex, PoisonError};

/// Does something while the standard error of the process leads nowhere. It must not wait for somebody who has something to say there.
pub(crate) fn quietly<T>(doing: impl FnOnce() -> T) -> T {
    // Else the second one would take nowhere for what was there before.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let _silence = Silence::begin();
    doing()
}

/// Ends when it is dropped.
struct Silence {
    #[cfg(unix)]
    before: std::os::fd::OwnedFd,
}

#[cfg(unix)]
impl Silence {
    /// Nothing where the system refuses: a message is no harm.
    fn begin() -> Option<Silence> {
        let before = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stderr(), 3).ok()?;
        let nowhere = std::fs::OpenOptions::new().write(true).open("/dev/null").ok()?;
        rustix::stdio::dup2_stderr(&nowhere).ok()?;
        Some(Silence { before })
    }
}

#[cfg(unix)]
impl Drop for Silence {
    fn drop(&mut self) {
        let _ = rustix::stdio::dup2_stderr(&self.before);
    }
}

#[cfg(not(unix))]
impl Silence {
    fn begin() -> Option<Silence> {
        None
    }
}
