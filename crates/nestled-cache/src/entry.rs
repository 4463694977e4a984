//! The bytes of an entry: a header, what it was made from, and what was put.

use super::Source;
use super::hash::hash;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The mark at the start; its last byte is the version of the format.
const MARK: [u8; 8] = *b"nestled\x02";

/// Mark, key, size of the source, size of what was put and its checksum.
pub(super) const HEADER_SIZE: usize = 8 + 16 + 8 + 8 + 16;

/// The header for these bytes.
pub(super) fn header(source: &Source, bytes: &[u8]) -> [u8; HEADER_SIZE] {
    let mut header = [0; HEADER_SIZE];
    header[..8].copy_from_slice(&MARK);
    header[8..24].copy_from_slice(&source.key().to_bytes());
    header[24..32].copy_from_slice(&(source.size() as u64).to_le_bytes());
    header[32..40].copy_from_slice(&(bytes.len() as u64).to_le_bytes());
    header[40..].copy_from_slice(&hash(bytes).to_le_bytes());
    header
}

/// Reads an entry of at most so many bytes, and compares its header and what it was made from with those it must have.
pub(super) fn read(file: &mut File, source: &Source, most: u64) -> Result<Vec<u8>, String> {
    let damaged = || "the entry is damaged".to_string();
    let said = |error: std::io::Error| error.to_string();
    let (mut found, mut made_from) = ([0; HEADER_SIZE], vec![0; source.size()]);
    file.read_exact(&mut found).map_err(|_| damaged())?;
    let rest = file.metadata().map_err(said)?.len().saturating_sub(HEADER_SIZE as u64);
    let size = rest.checked_sub(source.size() as u64).filter(|size| *size <= most).ok_or_else(damaged)?;
    file.read_exact(&mut made_from).map_err(|_| damaged())?;
    if made_from != source.bytes() {
        return Err("the entry was made from something else".to_string());
    }
    let mut bytes = Vec::new();
    file.take(size).read_to_end(&mut bytes).map_err(said)?;
    if found == header(source, &bytes) { Ok(bytes) } else { Err(damaged()) }
}

impl Source {
    /// What an entry's file says that it was made from.
    #[must_use]
    pub fn of_file(path: &Path) -> Option<Source> {
        let whole = std::fs::read(path).ok()?;
        let rest = whole.strip_prefix(&MARK)?;
        let size = u64::from_le_bytes(*rest.get(16..)?.first_chunk()?);
        Some(Source::from_bytes(whole.get(HEADER_SIZE..)?.get(..usize::try_from(size).ok()?)?))
    }
}
