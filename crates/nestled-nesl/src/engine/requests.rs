//! The world as λcu sees it: lines on standard error are requests, and answers are files.

use crate::dialect::Dialect;
use crate::flatten::protocol;
use crate::interp::{Value, World};
use crate::primitive::HostCall;
use nestled_ir::interp as lcu;

/// Answers requests.
pub(super) struct Requests<'w> {
    world: &'w mut dyn World,
    calls: &'w [HostCall],
    dialect: Dialect,
    started: f64,
    answers: Vec<Vec<u8>>,
    /// What the program said when it stopped itself.
    pub message: Option<String>,
}

impl<'w> Requests<'w> {
    pub fn new(world: &'w mut dyn World, calls: &'w [HostCall], dialect: Dialect) -> Requests<'w> {
        Requests { world, calls, dialect, started: 0.0, answers: Vec::new(), message: None }
    }

    fn call(&mut self, line: &[u8]) {
        let mut reader = Reader { rest: line };
        let call = self.calls[reader.number() as usize];
        let count = reader.number() as usize;
        let mut args = Vec::new();
        while let Some(column) = reader.column(count, self.dialect) {
            args.push(column);
        }
        let _ = (call, args);
        self.answers.clear();
    }
}

impl lcu::World for Requests<'_> {
    fn print(&mut self, line: &[u8]) {
        self.world.print(line);
    }

    fn eprint(&mut self, line: &[u8]) {
        let after = |word: &str| line.strip_prefix(word.as_bytes());
        if let Some(text) = after(protocol::PRINT) {
            self.world.print(text);
        } else if let Some(text) = after(protocol::ABORT) {
            self.message = Some(String::from_utf8_lossy(text).into_owned());
        } else if let Some(call) = after(protocol::CALL) {
            self.call(call);
        } else if line == protocol::START.as_bytes() {
            self.started = self.world.seconds();
        } else if line == protocol::STOP.as_bytes() {
            let seconds = self.world.seconds() - self.started;
            self.answers = vec![seconds.to_bits().to_le_bytes().to_vec()];
        }
    }

    fn read_file(&mut self, path: &str, _max_bytes: u64) -> Option<Vec<u8>> {
        let number: usize = path.strip_prefix(protocol::ANSWER)?.parse().ok()?;
        self.answers.get(number).cloned()
    }

    fn write_file(&mut self, _path: &str, _bytes: &[u8], _append: bool) -> bool {
        false
    }

    fn clock(&mut self) -> f64 {
        self.world.seconds()
    }

    fn entropy(&mut self) -> i64 {
        0
    }
}

/// Reads what a request says.
struct Reader<'l> {
    rest: &'l [u8],
}

impl Reader<'_> {
    fn blank(&mut self) {
        while let [b' ', rest @ ..] = self.rest {
            self.rest = rest;
        }
    }

    /// A word, or the items of a list.
    fn items(&mut self) -> Vec<String> {
        self.blank();
        let (text, rest) = match self.rest {
            [b'[', inside @ ..] => {
                let end = inside.iter().position(|byte| *byte == b']').unwrap_or(inside.len());
                (&inside[..end], inside.get(end + 1..).unwrap_or(&[]))
            }
            other => {
                let end = other.iter().position(|byte| *byte == b' ').unwrap_or(other.len());
                other.split_at(end)
            }
        };
        self.rest = rest;
        let text = String::from_utf8_lossy(text);
        text.split(", ").filter(|item| !item.is_empty()).map(str::to_owned).collect()
    }

    fn number(&mut self) -> i64 {
        self.items().first().and_then(|item| item.parse().ok()).unwrap_or(0)
    }

    /// An argument: a value for each instance.
    fn column(&mut self, count: usize, dialect: Dialect) -> Option<Vec<Value>> {
        let _ = count;
        self.blank();
        let (&letter, rest) = self.rest.split_first()?;
        self.rest = rest;
        let value = |item: &str| match letter.to_ascii_lowercase() {
            b'b' => Value::Bool(item == "true"),
            b'c' => Value::Char(item.parse::<u8>().unwrap_or(0)),
            b'f' => Value::Float(dialect.round(item.parse().unwrap_or(f64::NAN))),
            _ => Value::Int(item.parse().unwrap_or(0)),
        };
        if letter.is_ascii_lowercase() {
            return Some(self.items().iter().map(|item| value(item)).collect());
        }
        let lengths: Vec<usize> = self.items().iter().map(|item| item.parse().unwrap_or(0)).collect();
        let total = lengths.iter().sum();
        let mut elements = if letter == b'C' {
            let text = self.rest.get(1..=total).unwrap_or(&[]);
            self.rest = self.rest.get(1 + total..).unwrap_or(&[]);
            text.iter().map(|byte| Value::Char(*byte)).collect::<Vec<_>>().into_iter()
        } else {
            self.items().iter().map(|item| value(item)).collect::<Vec<_>>().into_iter()
        };
        Some(lengths.into_iter().map(|length| Value::seq(elements.by_ref().take(length).collect())).collect())
    }
}
