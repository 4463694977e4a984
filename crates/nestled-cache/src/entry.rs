//! The bytes of an entry: a header, and what was put.

use super::Key;
use super::hash::hash;
use std::fs::File;
use std::io::Read;

/// The mark at the start; its last byte is the version of the format.
const MARK: [u8; 8] = *b"nestled\x01";

/// Mark, key, size, checksum.
pub(super) const HEADER_SIZE: usize = 8 + 16 + 8 + 16;

/// The header for these bytes.
pub(super) fn header(key: Key, bytes: &[u8]) -> [u8; HEADER_SIZE] {
    let mut header = [0; HEADER_SIZE];
    header[..8].copy_from_slice(&MARK);
    header[8..24].copy_from_slice(&key.to_bytes());
    header[24..32].copy_from_slice(&(bytes.len() as u64).to_le_bytes());
    header[32..].copy_from_slice(&hash(bytes).to_le_bytes());
    header
}

/// Reads an entry of at most so many bytes, and compares its header with the one it must have.
pub(super) fn read(file: &mut File, key: Key, most: u64) -> Result<Vec<u8>, String> {
    let damaged = || "the entry is damaged".to_string();
    let said = |error: std::io::Error| error.to_string();
    let mut found = [0; HEADER_SIZE];
    file.read_exact(&mut found).map_err(|_| damaged())?;
    let size = file.metadata().map_err(said)?.len().saturating_sub(HEADER_SIZE as u64);
    if size > most || found[..24] != header(key, &[])[..24] || found[24..32] != size.to_le_bytes() {
        return Err(damaged());
    }
    let mut bytes = Vec::new();
    file.take(size).read_to_end(&mut bytes).map_err(said)?;
    if found == header(key, &bytes) { Ok(bytes) } else { Err(damaged()) }
}
