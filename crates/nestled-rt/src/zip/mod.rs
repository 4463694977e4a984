//! ZIP archives: files under names in one file, stored or deflated, of any size (ZIP64).
//!
//! The directory at the end of an archive is authoritative: it gives the place, length and compression of each file. Files are streamed in
//! both directions. Written files are stored uncompressed; ZIP64 fields are written only where a size or an offset does not fit into 32
//! bits.

mod crc;
mod read;
mod write;

pub use crc::Crc;
pub use read::{Archive, Content, Entry};
pub use write::Writer;

/// A number that does not fit: it stands in a field of ZIP64.
const ELSEWHERE: u64 = u32::MAX as u64;
const LOCAL: &[u8] = b"PK\x03\x04";
const CENTRAL: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";
const END_64: &[u8] = b"PK\x06\x06";
const LOCATOR_64: &[u8] = b"PK\x06\x07";

/// True if the bytes begin like an archive; an empty archive is only an end record.
pub fn is_one(file: &[u8]) -> bool {
    file.starts_with(LOCAL) || file.starts_with(END)
}

#[cfg(test)]
mod tests;
