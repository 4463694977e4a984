//! Sizes in Arrow's files: what a message says of its buffers is checked before anybody makes room for them.

use super::ipc_zstd::{Place, compressed};
use crate::fault::{Outcome, fault};
use arrow_ipc::{CompressionType, RecordBatch, root_as_footer, root_as_message};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

/// The most bytes that a byte becomes which lz4 has compressed.
const RATIO: u64 = 256;
/// The most bytes that a byte becomes which zstd has compressed: it repeats a byte 2^17 times in four.
const RATIO_OF_ZSTD: u64 = 1 << 15;

/// The first message of a file with an index comes behind a word of so many bytes.
const FIRST: u64 = 8;

/// Refuses a file with an index whose messages say that they are longer than it is, or unpack to more than they can. Where zstd has compressed some, it gives the places of all, in the
/// order of a stream.
pub(super) fn check_file(file: &mut File) -> Outcome<Option<Vec<Place>>> {
    let size = file.metadata()?.len();
    let ends = at(file, size.checked_sub(10), 4)?;
    let length = u64::from(u32::from_le_bytes([ends[0], ends[1], ends[2], ends[3]]));
    let footer = at(file, size.checked_sub(10).and_then(|end| end.checked_sub(length)), length)?;
    let Ok(footer) = root_as_footer(&footer) else { return fault("its index is malformed") };
    let mut places = Vec::new();
    for block in footer.dictionaries().into_iter().chain(footer.recordBatches()).flatten() {
        let begin = u64::try_from(block.offset()).unwrap_or(u64::MAX);
        // The index says where the body begins, which may be another place than the message's own.
        let own = u64::try_from(block.metaDataLength()).unwrap_or(u64::MAX);
        places.extend(check_message(file, (begin, size), Some(begin.saturating_add(own)))?);
    }
    if !places.iter().any(|place| place.is_zstd) {
        return Ok(None);
    }
    // A stream begins with the schema.
    places.splice(..0, check_message(file, (FIRST, size), None)?);
    Ok(Some(places))
}

/// As [`check_file`], of a stream.
pub(super) fn check_stream(file: &mut File) -> Outcome<Option<Vec<Place>>> {
    let (size, mut begin) = (file.metadata()?.len(), 0);
    let mut places = Vec::new();
    while begin < size
        && let Some(place) = check_message(file, (begin, size), None)?
    {
        begin = place.body.end;
        places.push(place);
    }
    Ok(places.iter().any(|place| place.is_zstd).then_some(places))
}

/// Checks a message; there is none at the end of a stream.
fn check_message(file: &mut File, (begin, size): (u64, u64), body: Option<u64>) -> Outcome<Option<Place>> {
    let word = |bytes: &[u8]| u64::from(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
    // A mark of four bytes may come before the length.
    let (mut start, mut length) = (begin.checked_add(4), word(&at(file, Some(begin), 4)?));
    if length == u64::from(u32::MAX) {
        (start, length) = (begin.checked_add(8), word(&at(file, start, 4)?));
    }
    if length == 0 {
        return Ok(None);
    }
    let metadata = at(file, start, length)?;
    let Ok(message) = root_as_message(&metadata) else { return fault("a message is malformed") };
    let start = start.unwrap_or(u64::MAX);
    let metadata = start..start.saturating_add(length);
    let body = body.unwrap_or(metadata.end);
    let length = u64::try_from(message.bodyLength()).unwrap_or(u64::MAX);
    let Some(end) = body.checked_add(length).filter(|&end| end <= size) else {
        return fault("a message is longer than the file");
    };
    let dictionary = message.header_as_dictionary_batch().and_then(|batch| batch.data());
    if let Some(batch) = message.header_as_record_batch().or(dictionary) {
        check_buffers(file, batch, (body, length))?;
    }
    Ok(Some(Place { metadata, body: body..end, is_zstd: compressed(&message).is_some() }))
}

fn check_buffers(file: &mut File, batch: RecordBatch<'_>, (body, length): (u64, u64)) -> Outcome<()> {
    let ratio = match batch.compression() {
        Some(by) if by.codec() == CompressionType::ZSTD => RATIO_OF_ZSTD,
        _ => RATIO,
    };
    for buffer in batch.buffers().into_iter().flatten() {
        let (offset, size) = (u64::try_from(buffer.offset()), u64::try_from(buffer.length()));
        let (Ok(offset), Ok(size)) = (offset, size) else { return fault("a buffer has no length") };
        if offset.checked_add(size).is_none_or(|end| end > length) {
            return fault("a buffer is longer than its message");
        }
        if batch.compression().is_some() && size > 0 {
            let unpacked = at(file, body.checked_add(offset), 8)?;
            let unpacked = i64::from_le_bytes(unpacked.try_into().unwrap_or_default());
            if unpacked != -1 && u64::try_from(unpacked).is_ok_and(|unpacked| unpacked > ratio * size + ratio)
            {
                return fault("a buffer unpacks to more than it can");
            }
        }
    }
    Ok(())
}

/// So many bytes at a place.
fn at(file: &mut File, place: Option<u64>, length: u64) -> Outcome<Vec<u8>> {
    let (size, mut bytes) = (file.metadata()?.len(), Vec::new());
    let Some(place) = place.filter(|&place| place.checked_add(length).is_some_and(|end| end <= size)) else {
        return fault("it ends too early");
    };
    file.seek(SeekFrom::Start(place))?;
    file.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == length { Ok(bytes) } else { fault("it ends too early") }
}
