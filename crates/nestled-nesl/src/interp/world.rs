//! What a program can reach outside of itself.

use std::collections::BTreeMap;

/// The world as programs see it. Messages are for people.
pub trait World {
    /// Writes to standard output.
    fn print(&mut self, bytes: &[u8]);
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
}

/// A world of its own: files and output in memory, a clock that ticks when it is looked at.
#[derive(Clone, Debug, Default)]
pub struct TestWorld {
    /// What was printed.
    pub output: Vec<u8>,
    /// What can be read from standard input.
    pub input: Vec<u8>,
    /// The files.
    pub files: BTreeMap<String, Vec<u8>>,
    ticks: u32,
}

impl World for TestWorld {
    fn print(&mut self, bytes: &[u8]) {
        self.output.extend(bytes);
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
        if self.input.is_empty() { None } else { Some(self.input.remove(0)) }
    }
}
