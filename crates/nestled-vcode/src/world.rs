//! Run-time input and output: executes the requests of a program, the protocol of which is in `lower/io.rs`.

use crate::lower::protocol;
use crate::print;
use nestled_ir::Scalar;
use nestled_ir::interp::{Gate, World};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};

/// The streams and files of a program, as a layer on the world in which it runs.
pub struct Streams<'a> {
    inner: &'a mut dyn World,
    input: &'a mut dyn BufRead,
    output: &'a mut dyn Write,
    error: &'a mut dyn Write,
    /// Files by number, from 3 on.
    files: Vec<Option<Open>>,
    children: Vec<Child>,
    gate: Gate,
    /// Largest size in bytes of a value that is read.
    room: u64,
    answer: Answer,
    untouched: bool,
}

/// An open file.
enum Open {
    Read(BufReader<File>),
    Write(File),
    /// The output of a process.
    FromChild(Box<dyn BufRead>),
    /// The input of a process.
    ToChild(ChildStdin),
}

/// The answer to a request, which the program reads afterwards.
#[derive(Default)]
struct Answer {
    value: Vec<u64>,
    stop: Vec<u64>,
    /// The error message, if the request failed.
    message: Option<String>,
}

/// The number of the null stream.
const NULL_STREAM: i64 = -1;

impl<'a> Streams<'a> {
    /// Makes streams on top of a world.
    pub fn new(
        inner: &'a mut dyn World,
        input: &'a mut dyn BufRead,
        output: &'a mut dyn Write,
        error: &'a mut dyn Write,
    ) -> Streams<'a> {
        let (files, children, answer) = (Vec::new(), Vec::new(), Answer::default());
        let (gate, room) = (Gate::default(), u64::MAX);
        Streams { inner, input, output, error, files, children, gate, room, answer, untouched: true }
    }

    /// Returns the streams with a gate, which may refuse access.
    #[must_use]
    pub fn behind(self, gate: Gate) -> Streams<'a> {
        Streams { gate, ..self }
    }

    /// Returns the streams with a limit in bytes on the size of values that are read.
    #[must_use]
    pub fn with_room(self, room: u64) -> Streams<'a> {
        Streams { room, ..self }
    }

    /// True if nothing has been read or written yet.
    pub fn are_untouched(&self) -> bool {
        self.untouched
    }

    /// Executes a request.
    fn ask(&mut self, what: &str, kind: &str, parts: &[&str]) -> Answer {
        self.untouched = false;
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
            _ => {
                let stream = |position: usize| number(position).unwrap_or(NULL_STREAM);
                self.spawn(parts[0], [stream(1), stream(2), stream(3)]).unwrap_or_else(Answer::wrong)
            }
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
                Some(Open::ToChild(pipe)) => pipe,
                Some(Open::Read(_) | Open::FromChild(_)) => {
                    return Answer::wrong("the file is open for reading");
                }
                None => return Answer::wrong("there is no such file"),
            },
        };
        match to.write_all(&bytes).and_then(|()| to.flush()) {
            Ok(()) => Answer::default(),
            Err(error) => Answer::wrong(error.to_string()),
        }
    }

    fn open(&mut self, name: &str, mode: i64) -> Answer {
        let files = match self.gate.files() {
            Ok(files) => files,
            Err(refused) => return Answer::wrong(refused.to_string()),
        };
        let name = text(name);
        let opened = match mode {
            1 => files.open(&name).map(|file| Open::Read(BufReader::new(file))),
            2 => files.create(&name).map(Open::Write),
            3 => files.append(&name).map(Open::Write),
            _ => return Answer::wrong("a file is opened with 1 to read, 2 to write, 3 to append"),
        };
        match opened {
            Ok(file) => Answer { value: vec![self.keep(file) as u64], ..Answer::default() },
            Err(error) => Answer::wrong(error.to_string()),
        }
    }

    /// Keeps a file; returns its number, the lowest that is free.
    fn keep(&mut self, file: Open) -> i64 {
        let free = self.files.iter().position(Option::is_none).unwrap_or(self.files.len());
        if free == self.files.len() {
            self.files.push(None);
        }
        self.files[free] = Some(file);
        free as i64 + 3
    }

    /// Starts a process, with pipes for the streams that are not given.
    fn spawn(&mut self, command: &str, ends: [i64; 3]) -> Result<Answer, String> {
        let processes = self.gate.processes().map_err(|refused| refused.to_string())?;
        // Those that have ended are not waited for later.
        self.children.retain_mut(|child| matches!(child.try_wait(), Ok(None)));
        self.output.flush().map_err(|error| error.to_string())?;
        let command = text(command);
        let mut words = command.split_whitespace();
        let program = words.next().ok_or("there is no command to run")?;
        let [input, output, errors] = ends.map(|fd| self.end(fd));
        let mut command = Command::new(program);
        command.args(words).stdin(input?).stdout(output?).stderr(errors?);
        let mut child = processes.start(&mut command).map_err(|error| format!("{program}: {error}"))?;
        let input = child.stdin.take().map(Open::ToChild);
        let output = child.stdout.take().map(|pipe| Open::FromChild(Box::new(BufReader::new(pipe))));
        let errors = child.stderr.take().map(|pipe| Open::FromChild(Box::new(BufReader::new(pipe))));
        self.children.push(child);
        let [stdin, stdout, stderr] = ends;
        let pipes = [(input, stdin), (output, stdout), (errors, stderr)];
        let [stdin, stdout, stderr] =
            pipes.map(|(pipe, given)| pipe.map_or(given, |pipe| self.keep(pipe)) as u64);
        Ok(Answer { stop: vec![stderr, stdout, stdin], ..Answer::default() })
    }

    /// Returns a stream as a standard stream of a process.
    fn end(&mut self, fd: i64) -> Result<Stdio, String> {
        match fd {
            NULL_STREAM => return Ok(Stdio::piped()),
            0..=2 => return Ok(Stdio::inherit()),
            _ => {}
        }
        let copy = match self.file(fd) {
            Some(Open::Read(file)) => file.get_ref().try_clone(),
            Some(Open::Write(file)) => file.try_clone(),
            Some(Open::FromChild(_) | Open::ToChild(_)) => {
                return Err("a pipe cannot be handed on".to_owned());
            }
            None => return Err("there is no such file".to_owned()),
        };
        copy.map(Stdio::from).map_err(|error| error.to_string())
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

    /// Returns the input of a file number.
    fn source(&mut self, fd: i64) -> Result<&mut dyn BufRead, Answer> {
        if fd == 0 {
            return Ok(&mut *self.input);
        }
        match self.file(fd) {
            Some(Open::Read(file)) => Ok(file),
            Some(Open::FromChild(pipe)) => Ok(pipe),
            Some(Open::Write(_) | Open::ToChild(_)) => Err(Answer::wrong("the file is open for writing")),
            None => Err(Answer::wrong("there is no such file")),
        }
    }

    fn read(&mut self, fd: i64, kind: &str) -> Answer {
        if fd == NULL_STREAM {
            return Answer::default();
        }
        let room = self.room;
        let source = match self.source(fd) {
            Ok(source) => source,
            Err(answer) => return answer,
        };
        match read_value(source, kind, room) {
            Ok(value) => Answer { value, ..Answer::default() },
            Err(Unread::NoValue) => Answer::wrong(format!("this is not the text of a value of type {kind}")),
            Err(Unread::TooLarge) => too_large(room),
        }
    }

    fn read_characters(&mut self, delimiters: &[i64], limit: i64, fd: i64) -> Answer {
        let room = self.room;
        let source = match self.source(fd) {
            Ok(source) => source,
            Err(answer) => return answer,
        };
        let mut text = Vec::new();
        let stop = loop {
            if takes(&text) > room {
                return too_large(room);
            }
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

/// Splits a printed value into its elements: `[1, 2]`, or one alone.
fn items(text: &str) -> impl Iterator<Item = &str> {
    text.trim_start_matches('[').trim_end_matches(']').split(", ").filter(|item| !item.is_empty())
}

fn numbers(text: &str) -> Vec<i64> {
    items(text).filter_map(|item| item.parse().ok()).collect()
}

/// Decodes a text from its character codes.
fn text(codes: &str) -> String {
    let bytes: Vec<u8> = numbers(codes).iter().map(|&code| code as u8).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Formats a value as `WRITE` does.
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

/// Largest number of bytes of a number; the longest floats have some hundreds of digits.
const LONGEST_WORD: usize = 4096;

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

/// Returns the size of elements in bytes, eight for each.
fn takes(elements: &[u64]) -> u64 {
    8 * elements.len() as u64
}

fn too_large(room: u64) -> Answer {
    Answer::wrong(format!("it takes more than the {room} bytes that there is room for"))
}

/// The reason why a value cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Unread {
    /// The text is no such value.
    NoValue,
    /// The value is larger than the limit.
    TooLarge,
}

/// Parses a value as `READ` does; elements are eight bytes each.
fn read_value(source: &mut dyn BufRead, kind: &str, room: u64) -> Result<Vec<u64>, Unread> {
    let mut value = Vec::new();
    match read_elements(source, kind, room, &mut value) {
        Some(()) => Ok(value),
        None if takes(&value) > room => Err(Unread::TooLarge),
        None => Err(Unread::NoValue),
    }
}

/// Parses elements; `None` where the text is no such value, or the value is larger than the limit.
fn read_elements(source: &mut dyn BufRead, kind: &str, room: u64, value: &mut Vec<u64>) -> Option<()> {
    let (open, close) = match kind {
        "SEGDES" => (b'[', b']'),
        "CHAR" => (b'"', b'"'),
        _ => (b'(', b')'),
    };
    if skip_blank(source)? != open {
        return None;
    }
    source.consume(1);
    if kind == "CHAR" {
        while takes(value) <= room {
            match next(source)? {
                b'"' => return Some(()),
                byte => value.push(u64::from(byte)),
            }
        }
        return None;
    }
    while takes(value) <= room {
        let first = skip_blank(source)?;
        if first == close {
            source.consume(1);
            return Some(());
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
            // No number is that long.
            if word.len() > LONGEST_WORD {
                return None;
            }
            word.push(char::from(byte));
            source.consume(1);
        }
        value.push(match kind {
            "FLOAT" => word.parse::<f64>().ok()?.to_bits(),
            _ => integer(&word).filter(|&number| kind != "SEGDES" || number >= 0)? as u64,
        });
    }
    None
}

/// Parses digits with an optional sign, modulo 2⁶⁴; a sign alone is 0.
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
        let read = |text: &str, kind| read_value(&mut text.as_bytes(), kind, 24).ok();
        assert_eq!(read(" (1 -2 3)", "INT"), Some(vec![1, -2i64 as u64, 3]));
        assert_eq!(read("( )", "INT"), Some(vec![]));
        assert_eq!(read("[1 2 ]", "SEGDES"), Some(vec![1, 2]));
        assert_eq!(read("(TF T)", "BOOL"), Some(vec![1, 0, 1]));
        assert_eq!(read("(2 1e1)", "FLOAT"), Some(vec![2f64.to_bits(), 10f64.to_bits()]));
        assert_eq!(read("\"ab\"", "CHAR"), Some(vec![97, 98]));
        assert_eq!(read("[1)", "INT"), None);
        assert_eq!(read(&format!("({})", "1".repeat(5000)), "INT"), None);
        let long = |text: &str, kind| read_value(&mut text.as_bytes(), kind, 24);
        assert_eq!(long("(1 2 3 4)", "INT"), Err(Unread::TooLarge));
        assert_eq!(long("(TFTF)", "BOOL"), Err(Unread::TooLarge));
        assert_eq!(long("\"abcd\"", "CHAR"), Err(Unread::TooLarge));
        assert_eq!(written("INT", "[1, 2]"), b"( 1 2 )\n");
        assert_eq!(written("FLOAT", "2.5"), b"( 2.50000000000000e+00 )\n");
        assert_eq!(written("CHAR", "[104, 105]"), b"hi");
        assert_eq!(written("SEGDES", "[]"), b"[ ]\n");
    }
}
