//! Sizes in Arrow's files: what a message says of its buffers is checked before anybody makes room for them.

use crate::fault::{Outcome, fault};
use arrow_ipc::{RecordBatch, root_as_footer, root_as_message};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

/// The most bytes that a compressed byte becomes.
const RATIO: u64 = 256;

/// Refuses a file with an index whose messages say that they are longer than it is, or unpack to more than they can.
pub(super) fn check_file(file: &mut File) -> Outcome<()> {
    let size = file.metadata()?.len();
    let ends = at(file, size.checked_sub(10), 4)?;
    let length = u64::from(u32::from_le_bytes([ends[0], ends[1], ends[2], ends[3]]));
    let footer = at(file, size.checked_sub(10).and_then(|end| end.checked_sub(length)), length)?;
    let Ok(footer) = root_as_footer(&footer) else { return fault("its index is malformed") };
    let blocks = footer.recordBatches().into_iter().chain(footer.dictionaries()).flatten();
    for block in blocks {
        let begin = u64::try_from(block.offset()).unwrap_or(u64::MAX);
        // The index says where the body begins, which may be another place than the message's own.
        let own = u64::try_from(block.metaDataLength()).unwrap_or(u64::MAX);
        check_message(file, (begin, size), Some(begin.saturating_add(own)))?;
    }
    Ok(())
}

/// As [`check_file`], of a stream.
pub(super) fn check_stream(file: &mut File) -> Outcome<()> {
    let (size, mut begin) = (file.metadata()?.len(), 0);
    while begin < size {
        let next = check_message(file, (begin, size), None)?;
        if next == begin {
            break;
        }
        begin = next;
    }
    Ok(())
}

/// Checks a message, and says where the next begins; the same place at the end of a stream.
fn check_message(file: &mut File, (begin, size): (u64, u64), body: Option<u64>) -> Outcome<u64> {
    let word = |bytes: &[u8]| u64::from(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
    // A mark of four bytes may come before the length.
    let (mut start, mut length) = (begin.checked_add(4), word(&at(file, Some(begin), 4)?));
    if length == u64::from(u32::MAX) {
        (start, length) = (begin.checked_add(8), word(&at(file, start, 4)?));
    }
    if length == 0 {
        return Ok(begin);
    }
    let message = at(file, start, length)?;
    let Ok(message) = root_as_message(&message) else { return fault("a message is malformed") };
    let behind = start.and_then(|start| start.checked_add(length)).unwrap_or(u64::MAX);
    let body = body.unwrap_or(behind);
    let length = u64::try_from(message.bodyLength()).unwrap_or(u64::MAX);
    let Some(end) = body.checked_add(length).filter(|&end| end <= size) else {
        return fault("a message is longer than the file");
    };
    let dictionary = message.header_as_dictionary_batch().and_then(|batch| batch.data());
    if let Some(batch) = message.header_as_record_batch().or(dictionary) {
        check_buffers(file, batch, (body, length))?;
    }
    Ok(end)
}

fn check_buffers(file: &mut File, batch: RecordBatch<'_>, (body, length): (u64, u64)) -> Outcome<()> {
    for buffer in batch.buffers().into_iter().flatten() {
        let (offset, size) = (u64::try_from(buffer.offset()), u64::try_from(buffer.length()));
        let (Ok(offset), Ok(size)) = (offset, size) else { return fault("a buffer has no length") };
        if offset.checked_add(size).is_none_or(|end| end > length) {
            return fault("a buffer is longer than its message");
        }
        if batch.compression().is_some() && size > 0 {
            let unpacked = at(file, body.checked_add(offset), 8)?;
            let unpacked = i64::from_le_bytes(unpacked.try_into().unwrap_or_default());
            if unpacked != -1 && u64::try_from(unpacked).is_ok_and(|unpacked| unpacked > RATIO * size + RATIO)
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
