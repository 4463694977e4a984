//! What a program can reach outside of itself.

use std::collections::BTreeMap;
use std::io::{Read, Write};

/// The world as programs see it. Messages are for people.
pub trait World {
    /// Writes to standard output.
    fn print(&mut self, bytes: &[u8]);
    /// Writes to standard error.
    fn report(&mut self, bytes: &[u8]);
    /// Seconds since some moment.
    fn seconds(&mut self) -> f64;
    /// A whole file.
    fn read_file(&mut self, name: &str) -> Result<Vec<u8>, String>;
    /// Writes a file, or adds to one.
    fn write_file(&mut self, name: &str, bytes: &[u8], append: bool) -> Result<(), String>;
    /// An environment variable; empty if there is none.
    fn variable(&mut self, name: &str) -> String;
    /// A line typed by the user, one byte at a time.
    fn read_input(&mut self) -> Option<u8>;

    /// Starts a process; streams that it is to be given pipes for come back.
    fn spawn(&mut self, _command: &str, _ends: [End; 3]) -> Result<Pipes, String> {
        Err("processes cannot be started here".to_owned())
    }

    /// Runs a line of the system's shell whose output is that of the program; gives its exit status.
    fn shell(&mut self, _line: &str) -> Result<i32, String> {
        Err("processes cannot be started here".to_owned())
    }

    /// Draws: what, numbers and a text that say how. A new window is answered by its number.
    fn draw(&mut self, _what: &str, _numbers: &[i64], _text: &[u8]) -> Result<i64, String> {
        Err("there is nothing to draw on".to_owned())
    }

    /// Whether the program should stop.
    fn interrupted(&self) -> bool {
        false
    }

    /// Lets the next statement run although the one before was interrupted. Whether that is wanted: else the conversation ends.
    fn forget_interrupt(&mut self) -> bool {
        false
    }

    /// A line that somebody types behind a prompt, with its end. Of the names, words that have been begun can be completed.
    fn type_line(&mut self, prompt: &str, _names: &dyn Fn() -> Vec<String>) -> Line {
        self.print(prompt.as_bytes());
        self.read_line()
    }

    /// A line of the input with its end; the last one may lack it.
    fn read_line(&mut self) -> Line {
        let mut line = Vec::new();
        while let Some(byte) = self.read_input() {
            line.push(byte);
            if byte == b'\n' {
                break;
            }
        }
        if line.is_empty() { Line::End } else { Line::Typed(String::from_utf8_lossy(&line).into_owned()) }
    }
}

/// What came of waiting for a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    /// The line.
    Typed(String),
    /// It was thrown away, and with it the lines of its statement before.
    Cancelled,
    /// There is none any more.
    End,
}

/// What a process is given for one of its standard streams.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// One end of a pipe; the program has the other one.
    Pipe,
    /// The program's own.
    Own,
    /// A file from this position on.
    From(String, u64),
    /// The end of a file.
    Onto(String),
}

/// The program's ends of the pipes of a process.
#[derive(Default)]
pub struct Pipes {
    /// What the process reads.
    pub input: Option<Box<dyn Write + Send>>,
    /// What it writes.
    pub output: Option<Box<dyn Read>>,
    /// What it complains.
    pub errors: Option<Box<dyn Read>>,
}

/// A world of its own: files and output in memory, a clock that ticks when it is looked at.
#[derive(Clone, Debug, Default)]
pub struct TestWorld {
    /// What was printed.
    pub output: Vec<u8>,
    /// What was written to standard error.
    pub errors: Vec<u8>,
    /// What can be read from standard input.
    pub input: Vec<u8>,
    /// The files.
    pub files: BTreeMap<String, Vec<u8>>,
    ticks: u32,
    /// How much of the input is gone.
    taken: usize,
}

impl TestWorld {
    /// A world in which this is typed.
    pub fn typing(input: &str) -> TestWorld {
        TestWorld { input: input.as_bytes().to_vec(), ..TestWorld::default() }
    }
}

impl World for TestWorld {
    fn print(&mut self, bytes: &[u8]) {
        self.output.extend(bytes);
    }

    fn report(&mut self, bytes: &[u8]) {
        self.errors.extend(bytes);
    }

    fn seconds(&mut self) -> f64 {
        self.ticks += 1;
        f64::from(self.ticks)
    }

    fn read_file(&mut self, name: &str) -> Result<Vec<u8>, String> {
        self.files.get(name).cloned().ok_or_else(|| format!("there is no file {name}"))
    }

    fn write_file(&mut self, name: &str, bytes: &[u8], append: bool) -> Result<(), String> {
        let file = self.files.entry(name.to_owned()).or_default();
        if !append {
            file.clear();
        }
        file.extend(bytes);
        Ok(())
    }

    fn variable(&mut self, _name: &str) -> String {
        String::new()
    }

    fn read_input(&mut self) -> Option<u8> {
        let byte = self.input.get(self.taken).copied();
        self.taken += usize::from(byte.is_some());
        byte
    }
}
