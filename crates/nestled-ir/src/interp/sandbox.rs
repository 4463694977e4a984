//! The sandbox gate: every access of a program to the machine goes through it, and each kind of access can be refused.
//!
//! The gate hands out capabilities: [`Files`], [`Processes`] and the like come from a gate only, and files, processes, variables, times and
//! random bits come from those only. A refused kind of access hands out nothing. The worlds of all languages have no other way to act on the
//! machine.
//!
//! ```
//! use nestled_ir::interp::{Gate, WayOut};
//! let gate = Gate::default().refuse(WayOut::Environment, "--sandbox");
//! assert!(gate.files().is_ok());
//! let refused = gate.environment().map(|_| ()).unwrap_err();
//! assert_eq!(refused.to_string(), "the environment is refused by --sandbox");
//! ```

use std::ffi::OsString;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::time::Instant;

/// A kind of access to the outside of a program. Standard input, output and error are not among them: they are given to a program when it is started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WayOut {
    /// Files that the program reads or writes.
    Files,
    /// Files that drawing functions write.
    Drawings,
    /// Files that are kept of a program on which Nestled failed.
    KeptFiles,
    /// Processes that the program starts.
    Processes,
    /// Variables of the environment.
    Environment,
    /// The current time.
    Clock,
    /// Unpredictable numbers.
    Entropy,
}

impl WayOut {
    /// All of them.
    pub const ALL: [WayOut; 7] = [
        WayOut::Files,
        WayOut::Drawings,
        WayOut::KeptFiles,
        WayOut::Processes,
        WayOut::Environment,
        WayOut::Clock,
        WayOut::Entropy,
    ];

    /// The way as the beginning of a sentence.
    fn words(self) -> &'static str {
        match self {
            WayOut::Files => "files are",
            WayOut::Drawings => "drawings are",
            WayOut::KeptFiles => "files of internal errors are",
            WayOut::Processes => "processes are",
            WayOut::Environment => "the environment is",
            WayOut::Clock => "the clock is",
            WayOut::Entropy => "entropy is",
        }
    }
}

/// Error: a kind of access is refused, and by which option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refused {
    /// The way.
    pub way: WayOut,
    /// The option that closed it.
    pub by: &'static str,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} refused by {}", self.way.words(), self.by)
    }
}

impl std::error::Error for Refused {}

/// The permissions of a program: the kinds of access that are refused. By default none is.
#[derive(Clone, Copy, Debug)]
pub struct Gate {
    /// The option that refused each kind of access, in the order of [`WayOut::ALL`]; `None` where it is allowed.
    closed: [Option<&'static str>; WayOut::ALL.len()],
    start: Instant,
}

impl Default for Gate {
    fn default() -> Gate {
        Gate { closed: [None; WayOut::ALL.len()], start: Instant::now() }
    }
}

impl Gate {
    /// A gate without any way out.
    #[must_use]
    pub fn sealed(by: &'static str) -> Gate {
        Gate { closed: [Some(by); WayOut::ALL.len()], ..Gate::default() }
    }

    /// The same gate with one more kind of access refused; the first option to refuse it is the one that is named.
    #[must_use]
    pub fn refuse(mut self, way: WayOut, by: &'static str) -> Gate {
        self.closed[way as usize].get_or_insert(by);
        self
    }

    /// Checks a permission; every access goes through this function.
    fn ask(&self, way: WayOut) -> Result<(), Refused> {
        self.closed[way as usize].map_or(Ok(()), |by| Err(Refused { way, by }))
    }

    /// Access to files.
    pub fn files(&self) -> Result<Files, Refused> {
        self.ask(WayOut::Files).map(Files)
    }

    /// Access to the files of drawings.
    pub fn drawings(&self) -> Result<Files, Refused> {
        self.ask(WayOut::Drawings).map(Files)
    }

    /// Access to files that are kept after an internal error.
    pub fn kept_files(&self) -> Result<Files, Refused> {
        self.ask(WayOut::KeptFiles).map(Files)
    }

    /// Access to processes.
    pub fn processes(&self) -> Result<Processes, Refused> {
        self.ask(WayOut::Processes).map(Processes)
    }

    /// Access to the variables of the environment.
    pub fn environment(&self) -> Result<Environment, Refused> {
        self.ask(WayOut::Environment).map(Environment)
    }

    /// Access to the clock; it counts from the creation of the gate.
    pub fn clock(&self) -> Result<Clock, Refused> {
        self.ask(WayOut::Clock).map(|()| Clock(self.start))
    }

    /// Access to unpredictable numbers.
    pub fn entropy(&self) -> Result<Entropy, Refused> {
        self.ask(WayOut::Entropy).map(Entropy)
    }
}

/// Capability to open files.
#[derive(Debug)]
pub struct Files(());

impl Files {
    /// Opens a file to read it.
    pub fn open(&self, path: impl AsRef<Path>) -> std::io::Result<File> {
        File::open(path)
    }

    /// Makes a file, or empties it.
    pub fn create(&self, path: impl AsRef<Path>) -> std::io::Result<File> {
        File::create(path)
    }

    /// Opens a file for appending; creates it if it does not exist.
    pub fn append(&self, path: impl AsRef<Path>) -> std::io::Result<File> {
        OpenOptions::new().create(true).append(true).open(path)
    }

    /// Makes a file that was not there and that only its owner reads. A link in its place is an error, wherever it leads.
    pub fn create_new(&self, path: impl AsRef<Path>) -> std::io::Result<File> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(path)
    }

    /// Makes a file hold the bytes, or adds them to it.
    pub fn write(&self, path: impl AsRef<Path>, bytes: &[u8], append: bool) -> std::io::Result<()> {
        let file = if append { self.append(path) } else { self.create(path) };
        file?.write_all(bytes)
    }
}

/// Capability to start processes.
#[derive(Debug)]
pub struct Processes(());

impl Processes {
    /// Starts a process.
    pub fn start(&self, command: &mut Command) -> std::io::Result<Child> {
        command.spawn()
    }

    /// Starts a process and waits for its end.
    pub fn finish(&self, command: &mut Command) -> std::io::Result<ExitStatus> {
        command.status()
    }
}

/// Capability to read the environment.
#[derive(Debug)]
pub struct Environment(());

impl Environment {
    /// The value of a variable.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<OsString> {
        std::env::var_os(name)
    }
}

/// Capability to read the time.
#[derive(Debug)]
pub struct Clock(Instant);

impl Clock {
    /// Seconds since the gate was made.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

/// Capability to draw random numbers.
#[derive(Debug)]
pub struct Entropy(());

impl Entropy {
    /// An unpredictable number.
    #[must_use]
    pub fn number(&self) -> i64 {
        use std::hash::{BuildHasher, Hasher};
        // The keys of a hasher are the standard library's only source of random bits.
        std::hash::RandomState::new().build_hasher().finish() as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_is_closed_by_itself() {
        for (position, way) in WayOut::ALL.into_iter().enumerate() {
            assert_eq!(way as usize, position);
            let gate = Gate::default().refuse(way, "--first").refuse(way, "--second");
            for other in WayOut::ALL {
                let expected = (other == way).then_some(Refused { way, by: "--first" });
                assert_eq!(refusal(&gate, other), expected);
                assert_eq!(refusal(&Gate::sealed("--all"), other), Some(Refused { way: other, by: "--all" }));
            }
        }
    }

    fn refusal(gate: &Gate, way: WayOut) -> Option<Refused> {
        match way {
            WayOut::Files => gate.files().err(),
            WayOut::Drawings => gate.drawings().err(),
            WayOut::KeptFiles => gate.kept_files().err(),
            WayOut::Processes => gate.processes().err(),
            WayOut::Environment => gate.environment().err(),
            WayOut::Clock => gate.clock().err(),
            WayOut::Entropy => gate.entropy().err(),
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_new_file_is_private_and_follows_no_link() {
        use std::os::unix::fs::PermissionsExt;
        let folder = std::env::temp_dir().join(format!("nestled-gate-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let files = Gate::default().kept_files().unwrap();
        let (link, target) = (folder.join("link"), folder.join("target"));
        std::fs::write(&target, "mine").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        assert!(files.create_new(&link).is_err());
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "mine");
        let fresh = files.create_new(folder.join("fresh")).unwrap();
        assert_eq!(fresh.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
