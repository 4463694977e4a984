//! The world: standard streams, files, clock and entropy, on which commands act.

use super::sandbox::{Gate, Refused, WayOut};
use std::collections::BTreeMap;
use std::io::{Read, Write};

/// The environment on which commands act.
pub trait World {
    /// Writes a line to standard output; the line break is not in it. It may be any bytes.
    fn print(&mut self, line: &[u8]);
    /// Writes a line to standard error.
    fn eprint(&mut self, line: &[u8]);
    /// The contents of a file; `None` when it cannot be read or holds more than `max_bytes`.
    fn read_file(&mut self, path: &str, max_bytes: u64) -> Option<Vec<u8>>;
    /// Replaces the contents of a file, or appends to it; returns whether that succeeded.
    fn write_file(&mut self, path: &str, bytes: &[u8], append: bool) -> bool;
    /// Seconds since some fixed moment.
    fn clock(&mut self) -> f64;
    /// An unpredictable number.
    fn entropy(&mut self) -> i64;
}

/// The machine that the program runs on, as far as a gate lets it through.
///
/// A refusal is noted on standard error once for each kind of access. Then no file can be read or written, the clock stands at 0, and entropy is 0.
#[derive(Debug, Default)]
pub struct StdWorld {
    gate: Gate,
    said: Vec<WayOut>,
}

impl StdWorld {
    /// The machine behind a gate.
    #[must_use]
    pub fn behind(gate: Gate) -> StdWorld {
        StdWorld { gate, said: Vec::new() }
    }

    /// The capability, if it was granted. The first refusal of each kind is noted on standard error.
    fn through<T>(&mut self, outcome: Result<T, Refused>) -> Option<T> {
        outcome
            .map_err(|refused| {
                if !self.said.contains(&refused.way) {
                    self.said.push(refused.way);
                    self.eprint(format!("note: {refused}").as_bytes());
                }
            })
            .ok()
    }
}

impl World for StdWorld {
    fn print(&mut self, line: &[u8]) {
        // Nobody can be told that standard output is gone.
        let _ = std::io::stdout().write_all(&[line, b"\n"].concat());
    }

    fn eprint(&mut self, line: &[u8]) {
        let _ = std::io::stderr().write_all(&[line, b"\n"].concat());
    }

    fn read_file(&mut self, path: &str, max_bytes: u64) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        let file = self.through(self.gate.files())?.open(path).ok()?;
        file.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes).ok()?;
        (bytes.len() as u64 <= max_bytes).then_some(bytes)
    }

    fn write_file(&mut self, path: &str, bytes: &[u8], append: bool) -> bool {
        self.through(self.gate.files()).is_some_and(|files| files.write(path, bytes, append).is_ok())
    }

    fn clock(&mut self) -> f64 {
        self.through(self.gate.clock()).map_or(0.0, |clock| clock.seconds())
    }

    fn entropy(&mut self) -> i64 {
        self.through(self.gate.entropy()).map_or(0, |entropy| entropy.number())
    }
}

/// A world for tests: it records what is written, holds files in memory, and its clock and entropy count.
#[derive(Clone, Debug, Default)]
pub struct TestWorld {
    /// The lines written to standard output. Bytes that are not UTF-8 appear as `\xff`.
    pub output: Vec<String>,
    /// The lines written to standard error.
    pub errors: Vec<String>,
    /// The files.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Number of times the clock or entropy was read.
    pub asked: u32,
}

impl World for TestWorld {
    fn print(&mut self, line: &[u8]) {
        self.output.extend(lines(line));
    }

    fn eprint(&mut self, line: &[u8]) {
        self.errors.extend(lines(line));
    }

    fn read_file(&mut self, path: &str, max_bytes: u64) -> Option<Vec<u8>> {
        self.files.get(path).filter(|bytes| bytes.len() as u64 <= max_bytes).cloned()
    }

    fn write_file(&mut self, path: &str, bytes: &[u8], append: bool) -> bool {
        let file = self.files.entry(path.to_owned()).or_default();
        if !append {
            file.clear();
        }
        file.extend_from_slice(bytes);
        true
    }

    fn clock(&mut self) -> f64 {
        self.asked += 1;
        f64::from(self.asked)
    }

    fn entropy(&mut self) -> i64 {
        self.asked += 1;
        i64::from(self.asked)
    }
}

/// A world for runs that are measured: no files but its own, no time, and output that nobody sees.
#[derive(Debug, Default)]
pub struct QuietWorld(TestWorld);

impl World for QuietWorld {
    fn print(&mut self, _: &[u8]) {}

    fn eprint(&mut self, _: &[u8]) {}

    fn read_file(&mut self, path: &str, max_bytes: u64) -> Option<Vec<u8>> {
        self.0.read_file(path, max_bytes)
    }

    fn write_file(&mut self, path: &str, bytes: &[u8], append: bool) -> bool {
        self.0.write_file(path, bytes, append)
    }

    fn clock(&mut self) -> f64 {
        0.0
    }

    fn entropy(&mut self) -> i64 {
        0
    }
}

/// Splits written bytes into lines, and escapes what is not UTF-8.
fn lines(bytes: &[u8]) -> Vec<String> {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.push_str(&chunk.invalid().escape_ascii().to_string());
    }
    text.split('\n').map(str::to_owned).collect()
}
