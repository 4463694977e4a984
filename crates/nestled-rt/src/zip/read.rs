//! ZIP reader: the directory first, then each file as a stream.

use super::{CENTRAL, Crc, ELSEWHERE, END, END_64, LOCAL, LOCATOR_64};
use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZFlush};
use std::io::{Error, ErrorKind, Read, Seek, SeekFrom};

/// A file of an archive.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Size in bytes, unpacked.
    pub size: u64,
    packed: u64,
    /// Offset of its local header.
    start: u64,
    deflated: bool,
    crc: u32,
}

/// An archive after its directory was read.
#[derive(Debug)]
pub struct Archive<R> {
    input: R,
    entries: Vec<Entry>,
}

const BROKEN: &str = "it is a broken archive";

impl<R: Read + Seek> Archive<R> {
    /// Reads the directory.
    ///
    /// # Errors
    /// A message to be put after the name of the archive.
    pub fn open(mut input: R) -> Result<Archive<R>, String> {
        let (count, directory) =
            directory(&mut input).ok_or("it is a broken archive: it has no directory")?;
        let (mut entries, mut rest) = (Vec::new(), &directory[..]);
        for _ in 0..count {
            let (entry, after) = listed(rest)?;
            entries.push(entry);
            rest = after;
        }
        Ok(Archive { input, entries })
    }

    /// The files, as the directory lists them.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// One of the files.
    ///
    /// # Errors
    /// There is nothing where the directory says.
    pub fn content(&mut self, at: usize) -> Result<Content<'_, R>, String> {
        let entry = &self.entries[at];
        let local = bytes_at(&mut self.input, entry.start, 30).filter(|local| local.starts_with(LOCAL));
        let local = local.ok_or(BROKEN)?;
        let before = u16_at(&local, 26).zip(u16_at(&local, 28)).map_or(0, |(name, extra)| 30 + name + extra);
        let start = entry.start.checked_add(before).ok_or(BROKEN)?;
        self.input.seek(SeekFrom::Start(start)).map_err(|_| BROKEN)?;
        let inflate = entry.deflated.then(|| InflateState::new_boxed(DataFormat::Raw));
        let packed = Packed { input: &mut self.input, left: entry.packed, bytes: Vec::new(), at: 0 };
        Ok(Content { entry, packed, inflate, left: entry.size, crc: Crc::default() })
    }
}

/// `length` bytes from `start` on.
fn bytes_at(input: &mut (impl Read + Seek), start: u64, length: u64) -> Option<Vec<u8>> {
    input.seek(SeekFrom::Start(start)).ok()?;
    let mut bytes = Vec::new();
    input.take(length).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 == length).then_some(bytes)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?)))
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?)))
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// The number of files in the directory, and its bytes.
fn directory(input: &mut (impl Read + Seek)) -> Option<(u64, Vec<u8>)> {
    let length = input.seek(SeekFrom::End(0)).ok()?;
    // A comment of up to 65535 bytes may follow the end, and before it lies what says where the end of ZIP64 is.
    let from = length.saturating_sub(20 + 22 + 0xffff);
    let tail = bytes_at(input, from, length - from)?;
    let end = (0..=tail.len().checked_sub(22)?).rev().find(|&at| tail[at..].starts_with(END))?;
    let (mut count, mut size, mut start) =
        (u16_at(&tail, end + 10)?, u32_at(&tail, end + 12)?, u32_at(&tail, end + 16)?);
    if let Some(locator) = end.checked_sub(20).filter(|&at| tail[at..].starts_with(LOCATOR_64)) {
        let end = bytes_at(input, u64_at(&tail, locator + 8)?, 56).filter(|end| end.starts_with(END_64))?;
        (count, size, start) = (u64_at(&end, 32)?, u64_at(&end, 40)?, u64_at(&end, 48)?);
    }
    Some((count, bytes_at(input, start, size)?))
}

/// The first file that a directory lists, and the rest of the directory.
fn listed(directory: &[u8]) -> Result<(Entry, &[u8]), String> {
    let (entry, method, rest) = entry_of(directory).ok_or(BROKEN)?;
    match method {
        Method::Known => Ok((entry, rest)),
        Method::Encrypted => Err(format!("`{}` in it is encrypted", entry.name)),
        Method::Other(method) => {
            Err(format!("`{}` in it is packed by method {method}; stored and deflated are known", entry.name))
        }
    }
}

enum Method {
    Known,
    Encrypted,
    Other(u64),
}

fn entry_of(directory: &[u8]) -> Option<(Entry, Method, &[u8])> {
    if !directory.starts_with(CENTRAL) {
        return None;
    }
    let [flags, method] = [8, 10].map(|at| u16_at(directory, at));
    let [crc, packed, size, start] = [16, 20, 24, 42].map(|at| u32_at(directory, at));
    let [name, extra, comment] = [28, 30, 32].map(|at| u16_at(directory, at));
    let [name, extra, comment] = [name? as usize, extra? as usize, comment? as usize];
    let fields = directory.get(46 + name..46 + name + extra)?;
    let rest = directory.get(46 + name + extra + comment..)?;
    let name = String::from_utf8_lossy(&directory[46..46 + name]).into_owned();
    let mut numbers = zip64(fields);
    // Those that do not fit stand there in this order.
    let mut whole = |number: u64| if number == ELSEWHERE { numbers.next() } else { Some(number) };
    let (size, packed, start) = (whole(size?)?, whole(packed?)?, whole(start?)?);
    let (deflated, method) = match (flags? & 1, method?) {
        (1, _) => (false, Method::Encrypted),
        (_, method @ (0 | 8)) => (method == 8, Method::Known),
        (_, other) => (false, Method::Other(other)),
    };
    Some((Entry { name, size, packed, start, deflated, crc: crc? as u32 }, method, rest))
}

/// The numbers of the field of ZIP64, if there is one among these.
pub(super) fn zip64(mut fields: &[u8]) -> impl Iterator<Item = u64> + '_ {
    let mut found: &[u8] = &[];
    while let (Some(kind), Some(length)) = (u16_at(fields, 0), u16_at(fields, 2)) {
        let Some(body) = fields.get(4..4 + length as usize) else { break };
        if kind == 1 {
            found = body;
            break;
        }
        fields = &fields[4 + body.len()..];
    }
    found.chunks_exact(8).filter_map(|number| u64_at(number, 0))
}

/// The packed bytes of a file, as a stream.
struct Packed<'a, R> {
    input: &'a mut R,
    left: u64,
    /// Bytes read ahead; those before `at` are consumed.
    bytes: Vec<u8>,
    at: usize,
}

impl<R: Read> Packed<'_, R> {
    fn ahead(&mut self) -> Result<&[u8], Error> {
        if self.at == self.bytes.len() && self.left > 0 {
            self.bytes.clear();
            self.at = 0;
            let read = self.input.by_ref().take(self.left.min(1 << 16)).read_to_end(&mut self.bytes)?;
            self.left = if read == 0 { 0 } else { self.left - read as u64 };
        }
        Ok(&self.bytes[self.at..])
    }

    fn stored(&mut self, into: &mut [u8]) -> Result<usize, Error> {
        let most = usize::try_from(self.left).map_or(into.len(), |left| left.min(into.len()));
        let read = self.input.read(&mut into[..most])?;
        self.left -= read as u64;
        Ok(read)
    }
}

/// The unpacked bytes of a file, as a stream. They are verified only when [`Content::finish`] succeeds.
pub struct Content<'a, R> {
    entry: &'a Entry,
    packed: Packed<'a, R>,
    inflate: Option<Box<InflateState>>,
    /// Unpacked bytes still to come.
    left: u64,
    crc: Crc,
}

impl<R: Read> Content<'_, R> {
    /// Reads the rest, and verifies length and checksum.
    ///
    /// # Errors
    /// It is damaged.
    pub fn finish(mut self) -> Result<(), String> {
        let damaged = || format!("`{}` in it is damaged", self.entry.name);
        if std::io::copy(&mut self, &mut std::io::sink()).is_err() {
            return Err(damaged());
        }
        // Never more than the directory says.
        let more = self.unpack(&mut [0]).map_or(1, |more| more);
        match self.left == 0 && more == 0 && self.crc.value() == self.entry.crc {
            true => Ok(()),
            false => Err(damaged()),
        }
    }

    fn unpack(&mut self, into: &mut [u8]) -> Result<usize, Error> {
        let Some(state) = &mut self.inflate else { return self.packed.stored(into) };
        loop {
            let ahead = self.packed.ahead()?;
            let is_end = ahead.is_empty();
            let done = inflate(state, ahead, into, MZFlush::None);
            self.packed.at += done.bytes_consumed;
            match done.status {
                _ if done.bytes_written > 0 => return Ok(done.bytes_written),
                Ok(miniz_oxide::MZStatus::StreamEnd) => return Ok(0),
                Ok(_) if !is_end => {}
                _ => return Err(Error::from(ErrorKind::InvalidData)),
            }
        }
    }
}

impl<R: Read> Read for Content<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, Error> {
        let most = usize::try_from(self.left).map_or(into.len(), |left| left.min(into.len()));
        if most == 0 {
            return Ok(0);
        }
        let read = self.unpack(&mut into[..most])?;
        self.crc = self.crc.over(&into[..read]);
        self.left -= read as u64;
        Ok(read)
    }
}
