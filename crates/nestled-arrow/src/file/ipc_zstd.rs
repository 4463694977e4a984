//! Messages of Arrow's files whose buffers zstd has compressed, which the crate `arrow-ipc` reads by a library in C only. They are unpacked here, and come as a stream of messages whose
//! buffers say that they are not compressed.

use super::unpack;
use crate::fault::{Fault, Outcome, fault};
use arrow_ipc::{CompressionType, Message, RecordBatch, root_as_message};
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;

/// The bytes of a message in a file.
#[derive(Clone)]
pub(super) struct Place {
    pub metadata: Range<u64>,
    pub body: Range<u64>,
    /// True if zstd has compressed its buffers.
    pub is_zstd: bool,
}

/// The length that a buffer gives which is not compressed.
const PLAIN: i64 = -1;
/// The bytes of the length before a buffer.
const PREFIX: usize = 8;
/// The mark at which a message begins.
const MARK: [u8; 4] = [0xff; 4];

/// A stream of the messages of a file, unpacked one after another.
pub(super) struct Unpacked<R> {
    file: R,
    places: std::vec::IntoIter<Place>,
    /// The bytes of a message, and how many of them were taken.
    message: Vec<u8>,
    taken: usize,
}

impl<R: Read + Seek> Unpacked<R> {
    pub fn new(file: R, places: Vec<Place>) -> Unpacked<R> {
        Unpacked { file, places: places.into_iter(), message: Vec::new(), taken: 0 }
    }

    fn bytes(&mut self, Range { start, end }: &Range<u64>) -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(*start))?;
        (&mut self.file).take(end - start).read_to_end(&mut bytes)?;
        match bytes.len() as u64 == end - start {
            true => Ok(bytes),
            false => Err(std::io::ErrorKind::UnexpectedEof.into()),
        }
    }

    /// Makes the next message; an empty one at the end.
    fn next(&mut self) -> Outcome<()> {
        self.taken = 0;
        let Some(place) = self.places.next() else {
            self.message.clear();
            return Ok(());
        };
        let (metadata, body) = unpacked(self.bytes(&place.metadata)?, self.bytes(&place.body)?)?;
        let Ok(length) = u32::try_from(metadata.len()) else { return fault("a message is too long") };
        self.message = [&MARK, &length.to_le_bytes(), metadata.as_slice(), &body].concat();
        Ok(())
    }
}

impl<R: Read + Seek> Read for Unpacked<R> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.taken == self.message.len() {
            self.next().map_err(|fault| match fault {
                Fault::Outside(_, why) => std::io::Error::other(why),
                Fault::Engine(error) => std::io::Error::other(error.to_string()),
            })?;
        }
        let rest = &self.message[self.taken..];
        let count = rest.len().min(into.len());
        into[..count].copy_from_slice(&rest[..count]);
        self.taken += count;
        Ok(count)
    }
}

/// The columns of a message, if zstd has compressed them.
pub(super) fn compressed<'m>(message: &Message<'m>) -> Option<RecordBatch<'m>> {
    let dictionary = message.header_as_dictionary_batch().and_then(|batch| batch.data());
    let batch = message.header_as_record_batch().or(dictionary)?;
    let is_zstd = batch.compression().is_some_and(|by| by.codec() == CompressionType::ZSTD);
    is_zstd.then_some(batch)
}

/// A message with other buffers, which its metadata say where they lie: these have their places in it.
fn unpacked(metadata: Vec<u8>, packed: Vec<u8>) -> Outcome<(Vec<u8>, Vec<u8>)> {
    let Ok(message) = root_as_message(&metadata) else { return fault("a message is malformed") };
    let Some(buffers) = compressed(&message).and_then(|batch| batch.buffers()) else {
        return Ok((metadata, packed));
    };
    let (mut body, mut places) = (Vec::new(), Vec::new());
    for buffer in buffers {
        let (begin, length) = (usize::try_from(buffer.offset()), usize::try_from(buffer.length()));
        let (Ok(begin), Ok(length)) = (begin, length) else { return fault("a buffer has no length") };
        let part = begin.checked_add(length).and_then(|end| packed.get(begin..end));
        let Some(part) = part else { return fault("a buffer is longer than its message") };
        let start = body.len();
        append(part, &mut body)?;
        places.push((start as i64, (body.len() - start) as i64));
        body.resize(body.len().next_multiple_of(PREFIX), 0);
    }
    let at_buffers = buffers.bytes().as_ptr().addr() - metadata.as_ptr().addr();
    let table = message._tab;
    let at_length = match table.vtable().get(Message::VT_BODYLENGTH) {
        0 if body.is_empty() => None,
        0 => return fault("a message has no length"),
        field => Some(table.loc() + usize::from(field)),
    };
    let mut metadata = metadata.clone();
    let mut put = |at: usize, number: i64| metadata[at..at + PREFIX].copy_from_slice(&number.to_le_bytes());
    for (place, (start, length)) in places.into_iter().enumerate() {
        put(at_buffers + 2 * PREFIX * place, start);
        put(at_buffers + 2 * PREFIX * place + PREFIX, length);
    }
    if let Some(at) = at_length {
        put(at, body.len() as i64);
    }
    Ok((metadata, body))
}

/// Appends a buffer that is not compressed.
fn append(part: &[u8], into: &mut Vec<u8>) -> Outcome<()> {
    let Some((length, packed)) = part.split_first_chunk::<PREFIX>() else {
        return if part.is_empty() { Ok(()) } else { fault("a buffer has no length") };
    };
    let length = i64::from_le_bytes(*length);
    into.extend(PLAIN.to_le_bytes());
    match u64::try_from(length) {
        Err(_) if length == PLAIN => into.extend(packed),
        Err(_) => return fault("a buffer has a length below zero"),
        Ok(0) => {}
        Ok(length) => {
            let before = into.len() as u64;
            unpack::zstd(packed, length, into)
                .or_else(|why| fault(format!("a buffer cannot be unpacked: {why}")))?;
            if into.len() as u64 - before != length {
                return fault(format!("a buffer unpacks to less than {length} bytes"));
            }
        }
    }
    Ok(())
}
