//! Streams: files, standard streams, and pipes of processes. They are closed at the end of the statement that opened them.

use super::world::{End, World};
use crate::primitive::Column;
use std::io::{Read, Write};

/// The streams that a statement has opened.
#[derive(Default)]
pub struct Streams {
    opened: Vec<Stream>,
}

enum Stream {
    /// A file and the number of bytes read from it.
    File {
        name: String,
        bytes: Vec<u8>,
        at: usize,
    },
    /// A file that is written to.
    Out(String),
    /// The output of a process.
    From(Box<dyn Read>),
    /// The input of a process.
    To(Box<dyn Write + Send>),
    Closed,
}

/// The first handle of opened streams; 0 to 2 are the standard streams.
const FIRST: i64 = 3;
/// The handle of `nullstr`.
const NONE: i64 = -1;
/// Marks a text that ended with the stream, in the place of the code of a delimiter.
pub const AT_END: i64 = -1;
/// Marks a text that reached the length limit.
pub const AT_LIMIT: i64 = -2;

type Outcome<T> = Result<T, String>;

impl Streams {
    fn add(&mut self, stream: Stream) -> i64 {
        self.opened.push(stream);
        self.opened.len() as i64 - 1 + FIRST
    }

    fn stream(&mut self, handle: i64) -> Option<&mut Stream> {
        let position = usize::try_from(handle - FIRST).ok()?;
        self.opened.get_mut(position).filter(|stream| !matches!(stream, Stream::Closed))
    }

    /// Opens a file. Mode 1 reads, 2 writes, 3 appends.
    pub fn open(&mut self, name: String, mode: i64, world: &mut dyn World) -> Outcome<i64> {
        let stream = match mode {
            1 => Stream::File { bytes: world.read_file(&name)?, name, at: 0 },
            2 | 3 => {
                world.write_file(&name, b"", mode == 3)?;
                Stream::Out(name)
            }
            _ => return Err("a file is opened with mode 1, 2 or 3".to_owned()),
        };
        Ok(self.add(stream))
    }

    /// Closes a stream; the standard streams stay open.
    pub fn close(&mut self, handle: i64) -> Outcome<()> {
        if (0..FIRST).contains(&handle) {
            return Ok(());
        }
        let stream = self.stream(handle).ok_or("the stream is not open")?;
        *stream = Stream::Closed;
        Ok(())
    }

    fn byte(&mut self, handle: i64, world: &mut dyn World) -> Outcome<Option<u8>> {
        if handle == 0 {
            return Ok(world.read_input());
        }
        match self.stream(handle) {
            Some(Stream::File { bytes, at, .. }) => {
                let byte = bytes.get(*at).copied();
                *at += usize::from(byte.is_some());
                Ok(byte)
            }
            Some(Stream::From(source)) => {
                let mut byte = [0];
                match source.read(&mut byte) {
                    Ok(0) => Ok(None),
                    Ok(_) => Ok(Some(byte[0])),
                    Err(error) => Err(error.to_string()),
                }
            }
            _ => Err("the stream is not open for reading".to_owned()),
        }
    }

    /// Reads up to a delimiter, which is consumed and dropped, and at most so many bytes unless the limit is negative.
    pub fn read(
        &mut self,
        delimiters: &[u8],
        limit: i64,
        handle: i64,
        world: &mut dyn World,
    ) -> Outcome<(Vec<u8>, i64)> {
        let mut text = Vec::new();
        loop {
            if limit >= 0 && text.len() as i64 >= limit {
                return Ok((text, AT_LIMIT));
            }
            match self.byte(handle, world)? {
                None => return Ok((text, AT_END)),
                Some(byte) if delimiters.contains(&byte) => return Ok((text, i64::from(byte))),
                Some(byte) => text.push(byte),
            }
            if world.interrupted() {
                return Err("interrupted".to_owned());
            }
        }
    }

    /// Writes to a stream. With `compat`, handle 2 is standard output too.
    pub fn write(&mut self, bytes: &[u8], handle: i64, compat: bool, world: &mut dyn World) -> Outcome<()> {
        if handle == 1 || (handle == 2 && compat) {
            world.print(bytes);
            return Ok(());
        }
        if handle == 2 {
            world.report(bytes);
            return Ok(());
        }
        match self.stream(handle) {
            Some(Stream::Out(name)) => world.write_file(name, bytes, true),
            Some(Stream::To(sink)) => {
                sink.write_all(bytes).and_then(|()| sink.flush()).map_err(|error| error.to_string())
            }
            _ => Err("the stream is not open for writing".to_owned()),
        }
    }

    /// Starts a process; returns a new stream in the place of each null handle.
    pub fn spawn(&mut self, command: &str, handles: [i64; 3], world: &mut dyn World) -> Outcome<[i64; 3]> {
        let mut ends = [End::Pipe, End::Pipe, End::Pipe];
        for (end, handle) in ends.iter_mut().zip(handles) {
            *end = match handle {
                NONE => continue,
                0..FIRST => End::Own,
                _ => match self.stream(handle) {
                    Some(Stream::File { name, at, .. }) => End::From(name.clone(), *at as u64),
                    Some(Stream::Out(name)) => End::Onto(name.clone()),
                    _ => return Err("a stream that is not open cannot be given to a process".to_owned()),
                },
            };
        }
        let pipes = world.spawn(command, ends)?;
        let mut given = handles;
        if let Some(input) = pipes.input {
            given[0] = self.add(Stream::To(input));
        }
        if let Some(output) = pipes.output {
            given[1] = self.add(Stream::From(output));
        }
        if let Some(errors) = pipes.errors {
            given[2] = self.add(Stream::From(errors));
        }
        Ok(given)
    }

    /// Runs a command to its end with this input; returns its output.
    pub fn command(&mut self, command: &str, input: &[u8], world: &mut dyn World) -> Outcome<Vec<u8>> {
        let ends = [End::Pipe, End::Pipe, End::Own];
        let pipes = world.spawn(command, ends)?;
        let mut output = Vec::new();
        // Both at once: the process may write before it has read everything.
        let writer = pipes.input.map(|mut sink| {
            let input = input.to_vec();
            std::thread::spawn(move || drop(sink.write_all(&input)))
        });
        if let Some(mut source) = pipes.output {
            source.read_to_end(&mut output).map_err(|error| error.to_string())?;
        }
        if let Some(writer) = writer {
            let _ = writer.join();
        }
        Ok(output)
    }

    /// Reads the words of a column in object format: `( 1 2 )`, or `[ 1 2 ]` for lengths.
    pub fn column(&mut self, column: Column, handle: i64, world: &mut dyn World) -> Outcome<Vec<Vec<u8>>> {
        let (open, close) = if column == Column::Lengths { (b'[', b']') } else { (b'(', b')') };
        let mut first = self.byte(handle, world)?;
        while first.is_some_and(|byte| byte.is_ascii_whitespace()) {
            first = self.byte(handle, world)?;
        }
        if first != Some(open) {
            return Err(format!("`{}` is expected in the file", char::from(open)));
        }
        let (text, status) = self.read(&[close], -1, handle, world)?;
        if status == AT_END {
            return Err("the file ends inside a value".to_owned());
        }
        Ok(text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).map(<[u8]>::to_vec).collect())
    }

    /// Reads the characters that follow a column with their number.
    pub fn characters(&mut self, handle: i64, world: &mut dyn World) -> Outcome<Vec<u8>> {
        let words = self.column(Column::Chars, handle, world)?;
        let number = words.first().and_then(|word| std::str::from_utf8(word).ok()?.parse::<i64>().ok());
        let number = number.filter(|number| *number >= 0).ok_or("the file has no number of characters")?;
        let newline = self.read(b"\n", 2, handle, world)?;
        if newline.1 == AT_END {
            return Err("the file ends inside a value".to_owned());
        }
        let (text, _) = self.read(b"", number, handle, world)?;
        if text.len() as i64 == number { Ok(text) } else { Err("the file ends inside a value".to_owned()) }
    }
}
