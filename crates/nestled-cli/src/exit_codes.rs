//! Exit statuses, and failures that carry one.

/// All went well.
pub const OK: u8 = 0;
/// The program was refused, faulted, or went over a limit.
pub const FAILED: u8 = 1;
/// The command line makes no sense, or a file cannot be read.
pub const USAGE: u8 = 2;
/// A bug in Nestled.
pub const BUG: u8 = 70;

/// The user pressed Ctrl-C: the status that shells report for a process ended by the signal.
pub const INTERRUPTED: u8 = 130;

/// A failed command: the message is printed, then the process exits with the status.
#[derive(Debug)]
pub struct Failure {
    /// The rendered message for standard error.
    pub message: String,
    /// The exit status.
    pub code: u8,
}

impl Failure {
    /// The command line makes no sense, or a file cannot be read.
    pub fn usage(message: impl Into<String>) -> Failure {
        Failure { message: format!("error: {}\n", message.into()), code: USAGE }
    }

    /// The program was refused or faulted; the message is rendered already.
    pub fn failed(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), code: FAILED }
    }

    /// A program has `count` errors, which are rendered already.
    pub fn refused(rendered: &str, count: usize) -> Failure {
        let errors = if count == 1 { "one error".to_owned() } else { format!("{count} errors") };
        Failure::failed(format!("{rendered}\nrefused: {errors}\n"))
    }

    /// The reader of the output has closed it, which is no error: the command ends without a message.
    pub fn nobody_reads() -> Failure {
        Failure { message: String::new(), code: OK }
    }

    /// True if the user interrupted the command.
    pub fn is_interruption(&self) -> bool {
        self.code == INTERRUPTED
    }
}
