//! The world: the interface through which programs reach files, streams, clocks and processes.

use std::collections::BTreeMap;
use std::io::{Read, Write};

/// The environment of a program. Errors are messages for people.
pub trait World {
    /// Writes to standard output.
    fn print(&mut self, bytes: &[u8]);
    /// Writes to standard error.
    fn report(&mut self, bytes: &[u8]);
    /// Returns the seconds since a fixed moment.
    fn seconds(&mut self) -> f64;
    /// Reads a whole file.
    fn read_file(&mut self, name: &str) -> Result<Vec<u8>, String>;
    /// Writes a file, or appends to it.
    fn write_file(&mut self, name: &str, bytes: &[u8], append: bool) -> Result<(), String>;
    /// Returns an environment variable; empty if it is not set.
    fn variable(&mut self, name: &str) -> String;
    /// Reads one byte of standard input.
    fn read_input(&mut self) -> Option<u8>;

    /// Starts a process; returns pipes for the streams for which they are asked.
    fn spawn(&mut self, _command: &str, _ends: [End; 3]) -> Result<Pipes, String> {
        Err("processes cannot be started here".to_owned())
    }

    /// Runs a line of the system's shell; its output goes where the program's goes. Returns the exit status.
    fn shell(&mut self, _line: &str) -> Result<i32, String> {
        Err("processes cannot be started here".to_owned())
    }

    /// Draws; the numbers and the text are the arguments. A new window is answered by its number.
    fn draw(&mut self, _what: &str, _numbers: &[i64], _text: &[u8]) -> Result<i64, String> {
        Err("there is nothing to draw on".to_owned())
    }

    /// True if the program should stop.
    fn interrupted(&self) -> bool {
        false
    }

    /// Clears an interrupt so that the next statement runs. Returns whether the conversation goes on.
    fn forget_interrupt(&mut self) -> bool {
        false
    }

    /// Reads a line typed behind a prompt, with its end. Names are offered as completions of words.
    fn type_line(&mut self, prompt: &str, _names: &dyn Fn() -> Vec<String>) -> Line {
        self.print(prompt.as_bytes());
        self.read_line()
    }

    /// Reads a line of the input with its end; the last line may lack it.
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

/// The result of reading a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    /// The line.
    Typed(String),
    /// The line was cancelled, and with it the earlier lines of its statement.
    Cancelled,
    /// The end of the input.
    End,
}

/// A standard stream of a process.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// A pipe; the program has the other end.
    Pipe,
    /// The program's own stream.
    Own,
    /// A file from this position on.
    From(String, u64),
    /// The end of a file.
    Onto(String),
}

/// The program's ends of the pipes of a process.
#[derive(Default)]
pub struct Pipes {
    /// The standard input of the process.
    pub input: Option<Box<dyn Write + Send>>,
    /// The standard output of the process.
    pub output: Option<Box<dyn Read>>,
    /// The standard error of the process.
    pub errors: Option<Box<dyn Read>>,
}

/// A private world for tests: files and output in memory, a clock that advances at each reading.
#[derive(Clone, Debug, Default)]
pub struct TestWorld {
    /// The bytes written to standard output.
    pub output: Vec<u8>,
    /// The bytes written to standard error.
    pub errors: Vec<u8>,
    /// The bytes of standard input.
    pub input: Vec<u8>,
    /// The files.
    pub files: BTreeMap<String, Vec<u8>>,
    ticks: u32,
    /// Number of input bytes consumed.
    taken: usize,
}

impl TestWorld {
    /// Makes a world with this standard input.
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
