//! Host requests of a λcu program: requests are lines on standard error, answers are files.

use crate::dialect::Dialect;
use crate::flatten::protocol;
use crate::interp::{Streams, Value, World, elapsed, host, lcg};
use crate::primitive::HostCall;
use nestled_ir::interp as lcu;

/// Answers the requests of a program.
pub(super) struct Requests<'w> {
    world: &'w mut dyn World,
    calls: &'w [HostCall],
    dialect: Dialect,
    streams: Streams,
    started: f64,
    /// The state of the random number generator.
    generator: u64,
    answers: Vec<Vec<u8>>,
    /// The message with which the program stopped itself.
    pub message: Option<String>,
}

impl<'w> Requests<'w> {
    pub fn new(world: &'w mut dyn World, calls: &'w [HostCall], dialect: Dialect) -> Requests<'w> {
        Requests {
            world,
            calls,
            dialect,
            streams: Streams::default(),
            started: 0.0,
            generator: 0,
            answers: Vec::new(),
            message: None,
        }
    }

    fn call(&mut self, line: &[u8]) {
        let mut reader = Reader { rest: line };
        let call = self.calls[reader.number() as usize];
        let count = reader.number() as usize;
        let mut columns = Vec::new();
        while let Some(column) = reader.column(self.dialect) {
            columns.push(column);
        }
        let mut values = Vec::with_capacity(count);
        for instance in 0..count {
            let args: Vec<Value> = columns.iter().map(|column| column[instance].clone()).collect();
            values.push(host(&mut self.streams, call, &args, self.dialect, self.world));
        }
        self.answers.clear();
        self.give(&values.iter().collect::<Vec<_>>());
    }

    /// Answers with a value for each instance, in the order in which the program reads them.
    fn give(&mut self, values: &[&Value]) {
        match values.first() {
            None => {}
            Some(Value::Pair(_)) => {
                self.give(&values.iter().map(|value| &value.parts().0).collect::<Vec<_>>());
                self.give(&values.iter().map(|value| &value.parts().1).collect::<Vec<_>>());
            }
            Some(Value::Seq(_)) => {
                let lengths = values.iter().map(|value| value.elements().len() as u64);
                self.answers.push(lengths.flat_map(u64::to_le_bytes).collect());
                self.answers.push(elements_of(values));
            }
            Some(_) => self.answers.push(values.iter().flat_map(|value| word(value)).collect()),
        }
    }
}

/// Encodes the elements of sequences: characters as bytes, others as eight bytes each.
fn elements_of(values: &[&Value]) -> Vec<u8> {
    let is_text = |value: &&Value| matches!(value.elements().beginning(1).first(), Some(Value::Char(_)));
    if values.iter().any(is_text) {
        let mut bytes = Vec::new();
        values.iter().for_each(|value| bytes.extend_from_slice(&value.elements().characters()));
        return bytes;
    }
    values.iter().flat_map(|value| value.elements().iter()).flat_map(word).collect()
}

/// Encodes a scalar as eight bytes.
fn word(value: &Value) -> [u8; 8] {
    match value {
        Value::Int(value) => value.to_le_bytes(),
        Value::Float(value) => value.to_bits().to_le_bytes(),
        Value::Char(code) => u64::from(*code).to_le_bytes(),
        other => u64::from(other.bool()).to_le_bytes(),
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
        } else if let Some(count) = after(protocol::RANDOM) {
            let before = self.generator;
            self.generator = lcg::skip(before, Reader { rest: count }.number() as u64);
            self.answers = vec![before.to_le_bytes().to_vec()];
        } else if let Some(seed) = after(protocol::SEED) {
            self.generator = lcg::seeded(Reader { rest: seed }.number());
        } else if line == protocol::START.as_bytes() {
            self.started = self.world.seconds();
        } else if line == protocol::STOP.as_bytes() {
            let seconds = elapsed(self.started, self.world.seconds());
            self.answers = vec![seconds.to_bits().to_le_bytes().to_vec()];
        }
    }

    fn read_file(&mut self, path: &str, _max_bytes: u64) -> Option<Vec<u8>> {
        let number: usize = path.strip_prefix(protocol::ANSWER)?.parse().ok()?;
        // Each is asked for once.
        self.answers.get_mut(number).map(std::mem::take)
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

/// Parser of a request.
struct Reader<'l> {
    rest: &'l [u8],
}

impl Reader<'_> {
    fn blank(&mut self) {
        while let [b' ', rest @ ..] = self.rest {
            self.rest = rest;
        }
    }

    /// Reads a word, or the items of a list.
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

    /// Reads an argument: a value for each instance.
    fn column(&mut self, dialect: Dialect) -> Option<Vec<Value>> {
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
        if letter == b'C' {
            let mut text = self.rest.get(1..=total).unwrap_or(&[]);
            self.rest = self.rest.get(1 + total..).unwrap_or(&[]);
            let row = |length: &usize| {
                let row = text.split_at(*length.min(&text.len()));
                text = row.1;
                Value::string(row.0)
            };
            return Some(lengths.iter().map(row).collect());
        }
        let mut elements = self.items().iter().map(|item| value(item)).collect::<Vec<_>>().into_iter();
        Some(lengths.into_iter().map(|length| Value::seq(elements.by_ref().take(length).collect())).collect())
    }
}
