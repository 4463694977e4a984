//! Answers the instructions that read and write: see `lower/io.rs` for what a program asks, and how.

use crate::lower::protocol;
use crate::print;
use nestled_ir::Scalar;
use nestled_ir::interp::World;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};

/// The streams and files of a program, around the world that it runs in.
pub struct Streams<'a> {
    inner: &'a mut dyn World,
    input: &'a mut dyn BufRead,
    output: &'a mut dyn Write,
    error: &'a mut dyn Write,
    /// Files by number, from 3 on.
    files: Vec<Option<Open>>,
    answer: Answer,
}

/// An open file.
enum Open {
    Read(BufReader<File>),
    Write(File),
}

/// What the program will ask for after a line.
#[derive(Default)]
struct Answer {
    value: Vec<u64>,
    stop: Vec<u64>,
    /// What went wrong, if anything did.
    message: Option<String>,
}

/// The number of the stream that is none.
const NULL_STREAM: i64 = -1;

impl<'a> Streams<'a> {
    /// Streams around a world.
    pub fn new(
        inner: &'a mut dyn World,
        input: &'a mut dyn BufRead,
        output: &'a mut dyn Write,
        error: &'a mut dyn Write,
    ) -> Streams<'a> {
        Streams { inner, input, output, error, files: Vec::new(), answer: Answer::default() }
    }

    /// Does what a line asks.
    fn ask(&mut self, what: &str, kind: &str, parts: &[&str]) -> Answer {
        let number = |position: usize| numbers(parts.get(position).copied().unwrap_or("")).last().copied();
        match what {
            "WRITE" => self.write(2, kind, parts[0]),
            "FWRITE" => self.write(number(1).unwrap_or(NULL_STREAM), kind, parts[0]),
            "READ" => self.read(0, kind),
            "FREAD" => self.read(number(0).unwrap_or(NULL_STREAM), kind),
            "FOPEN" => self.open(parts[0], number(1).unwrap_or(0)),
            "FCLOSE" => self.close(number(0).unwrap_or(NULL_STREAM)),
            "FREAD_CHAR" => {
                let limit = number(1).unwrap_or(-1);
                self.read_characters(&numbers(parts[0]), limit, number(2).unwrap_or(NULL_STREAM))
            }
            _ => Answer::wrong("processes cannot be started from here"),
        }
    }

    fn file(&mut self, fd: i64) -> Option<&mut Open> {
        self.files.get_mut(usize::try_from(fd.checked_sub(3)?).ok()?)?.as_mut()
    }

    fn write(&mut self, fd: i64, kind: &str, value: &str) -> Answer {
        let bytes = written(kind, value);
        let to: &mut dyn Write = match fd {
            1 => &mut *self.output,
            2 => &mut *self.error,
            _ => match self.file(fd) {
                Some(Open::Write(file)) => file,
                Some(Open::Read(_)) => return Answer::wrong("the file is open for reading"),
                None => return Answer::wrong("there is no such file"),
            },
        };
        match to.write_all(&bytes).and_then(|()| to.flush()) {
            Ok(()) => Answer::default(),
            Err(error) => Answer::wrong(error.to_string()),
        }
    }

    fn open(&mut self, name: &str, mode: i64) -> Answer {
        let bytes: Vec<u8> = numbers(name).iter().map(|&code| code as u8).collect();
        let name = String::from_utf8_lossy(&bytes).into_owned();
        let opened = match mode {
            1 => File::open(&name).map(|file| Open::Read(BufReader::new(file))),
            2 => File::create(&name).map(Open::Write),
            3 => OpenOptions::new().create(true).append(true).open(&name).map(Open::Write),
            _ => return Answer::wrong("a file is opened with 1 to read, 2 to write, 3 to append"),
        };
        match opened {
            Ok(file) => {
                let free = self.files.iter().position(Option::is_none).unwrap_or(self.files.len());
                if free == self.files.len() {
                    self.files.push(None);
                }
                self.files[free] = Some(file);
                Answer { value: vec![free as u64 + 3], ..Answer::default() }
            }
            Err(error) => Answer::wrong(error.to_string()),
        }
    }

    fn close(&mut self, fd: i64) -> Answer {
        if (NULL_STREAM..3).contains(&fd) {
            return Answer::default();
        }
        let place = usize::try_from(fd.saturating_sub(3)).ok().and_then(|place| self.files.get_mut(place));
        match place.and_then(Option::take) {
            Some(_) => Answer::default(),
            None => Answer::wrong("there is no such file"),
        }
    }

    /// Where one reads from.
    fn source(&mut self, fd: i64) -> Result<&mut dyn BufRead, Answer> {
        if fd == 0 {
            return Ok(&mut *self.input);
        }
        match self.file(fd) {
            Some(Open::Read(file)) => Ok(file),
            Some(Open::Write(_)) => Err(Answer::wrong("the file is open for writing")),
            None => Err(Answer::wrong("there is no such file")),
        }
    }

    fn read(&mut self, fd: i64, kind: &str) -> Answer {
        if fd == NULL_STREAM {
            return Answer::default();
        }
        let source = match self.source(fd) {
            Ok(source) => source,
            Err(answer) => return answer,
        };
        match read_value(source, kind) {
            Some(value) => Answer { value, ..Answer::default() },
            None => Answer::wrong(format!("this is not the text of a value of type {kind}")),
        }
    }

    fn read_characters(&mut self, delimiters: &[i64], limit: i64, fd: i64) -> Answer {
        let source = match self.source(fd) {
            Ok(source) => source,
            Err(answer) => return answer,
        };
        let mut text = Vec::new();
        let stop = loop {
            if limit >= 0 && text.len() as i64 >= limit {
                break -2;
            }
            match next(source) {
                None => break -1,
                Some(byte) if delimiters.contains(&i64::from(byte)) => break i64::from(byte),
                Some(byte) => text.push(u64::from(byte)),
            }
        };
        Answer { value: text, stop: vec![stop as u64], message: None }
    }
}

impl Answer {
    fn wrong(message: impl Into<String>) -> Answer {
        Answer { message: Some(message.into()), ..Answer::default() }
    }
}

impl World for Streams<'_> {
    fn print(&mut self, line: &[u8]) {
        self.inner.print(line);
    }

    fn eprint(&mut self, line: &[u8]) {
        let line = String::from_utf8_lossy(line).into_owned();
        let mut parts = line.split(protocol::SEPARATOR);
        let head = parts.next().unwrap_or("");
        let (what, kind) = head.split_once(' ').unwrap_or((head, ""));
        let mut parts: Vec<&str> = parts.collect();
        parts.resize(parts.len().max(1), "");
        self.answer = self.ask(what, kind, &parts);
    }

    fn read_file(&mut self, path: &str, max_bytes: u64) -> Option<Vec<u8>> {
        let words = |words: &[u64]| Some(words.iter().flat_map(|word| word.to_le_bytes()).collect());
        match path {
            protocol::VALUE => words(&self.answer.value),
            protocol::STOP => words(&self.answer.stop),
            protocol::MESSAGE => {
                let message = self.answer.message.as_deref().unwrap_or("");
                words(&message.bytes().map(u64::from).collect::<Vec<u64>>())
            }
            protocol::OK => self.answer.message.is_none().then(Vec::new),
            _ => self.inner.read_file(path, max_bytes),
        }
    }

    fn write_file(&mut self, path: &str, bytes: &[u8], append: bool) -> bool {
        self.inner.write_file(path, bytes, append)
    }

    fn clock(&mut self) -> f64 {
        self.inner.clock()
    }

    fn entropy(&mut self) -> i64 {
        self.inner.entropy()
    }
}

/// The elements of a printed value: `[1, 2]`, or one alone.
fn items(text: &str) -> impl Iterator<Item = &str> {
    text.trim_start_matches('[').trim_end_matches(']').split(", ").filter(|item| !item.is_empty())
}

fn numbers(text: &str) -> Vec<i64> {
    items(text).filter_map(|item| item.parse().ok()).collect()
}

/// A value as `WRITE` writes it.
fn written(kind: &str, value: &str) -> Vec<u8> {
    if kind == "CHAR" {
        return numbers(value).iter().map(|&code| code as u8).collect();
    }
    let scalars = items(value).map(|item| match kind {
        "BOOL" => Scalar::Bool(item == "true"),
        "FLOAT" => Scalar::F64(item.parse().unwrap_or(f64::NAN)),
        _ => Scalar::I64(item.parse().unwrap_or(0)),
    });
    let mut line = String::new();
    print::vector(scalars, &mut line);
    if kind == "SEGDES" {
        line = line.replace('(', "[").replace(')', "]");
    }
    line.into_bytes()
}

fn peek(source: &mut dyn BufRead) -> Option<u8> {
    source.fill_buf().ok()?.first().copied()
}

fn next(source: &mut dyn BufRead) -> Option<u8> {
    let byte = peek(source)?;
    source.consume(1);
    Some(byte)
}

fn skip_blank(source: &mut dyn BufRead) -> Option<u8> {
    while peek(source)?.is_ascii_whitespace() {
        source.consume(1);
    }
    peek(source)
}

/// A value as `READ` reads it; elements as eight bytes each. Nothing where the text is something else.
fn read_value(source: &mut dyn BufRead, kind: &str) -> Option<Vec<u64>> {
    let (open, close) = match kind {
        "SEGDES" => (b'[', b']'),
        "CHAR" => (b'"', b'"'),
        _ => (b'(', b')'),
    };
    if skip_blank(source)? != open {
        return None;
    }
    source.consume(1);
    let mut value = Vec::new();
    if kind == "CHAR" {
        loop {
            match next(source)? {
                b'"' => return Some(value),
                byte => value.push(u64::from(byte)),
            }
        }
    }
    loop {
        let first = skip_blank(source)?;
        if first == close {
            source.consume(1);
            return Some(value);
        }
        if kind == "BOOL" {
            source.consume(1);
            match first {
                b'T' => value.push(1),
                b'F' => value.push(0),
                _ => return None,
            }
            continue;
        }
        let mut word = String::new();
        while let Some(byte) = peek(source).filter(|byte| !byte.is_ascii_whitespace() && *byte != close) {
            word.push(char::from(byte));
            source.consume(1);
        }
        value.push(match kind {
            "FLOAT" => word.parse::<f64>().ok()?.to_bits(),
            _ => integer(&word).filter(|&number| kind != "SEGDES" || number >= 0)? as u64,
        });
    }
}

/// Digits, perhaps with a sign; a sign alone is 0. Modulo 2⁶⁴.
fn integer(word: &str) -> Option<i64> {
    let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let sum =
        digits.bytes().fold(0i64, |sum, digit| sum.wrapping_mul(10).wrapping_add(i64::from(digit - b'0')));
    Some(if word.starts_with('-') { sum.wrapping_neg() } else { sum })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_and_written() {
        let read = |text: &str, kind| read_value(&mut text.as_bytes(), kind);
        assert_eq!(read(" (1 -2 3)", "INT"), Some(vec![1, -2i64 as u64, 3]));
        assert_eq!(read("( )", "INT"), Some(vec![]));
        assert_eq!(read("[1 2 ]", "SEGDES"), Some(vec![1, 2]));
        assert_eq!(read("(TF T)", "BOOL"), Some(vec![1, 0, 1]));
        assert_eq!(read("(2 1e1)", "FLOAT"), Some(vec![2f64.to_bits(), 10f64.to_bits()]));
        assert_eq!(read("\"ab\"", "CHAR"), Some(vec![97, 98]));
        assert_eq!(read("[1)", "INT"), None);
        assert_eq!(written("INT", "[1, 2]"), b"( 1 2 )\n");
        assert_eq!(written("FLOAT", "2.5"), b"( 2.50000000000000e+00 )\n");
        assert_eq!(written("CHAR", "[104, 105]"), b"hi");
        assert_eq!(written("SEGDES", "[]"), b"[ ]\n");
    }
}
