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

/// Reads an entry, and compares its header with the one it must have.
pub(super) fn read(file: &mut File, key: Key) -> Result<Vec<u8>, String> {
    let mut all = Vec::new();
    file.read_to_end(&mut all).map_err(|error| error.to_string())?;
    match all.first_chunk::<HEADER_SIZE>() {
        Some(found) if *found == header(key, &all[HEADER_SIZE..]) => Ok(all.split_off(HEADER_SIZE)),
        Some(_) | None => Err("the entry is damaged".to_string()),
    }
}
