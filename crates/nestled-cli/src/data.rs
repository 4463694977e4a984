//! Data files: recognises NumPy files by their first bytes, and texts. Any other file is refused.

use crate::files;
use nestled_rt::npy::{Npy, Reader, Want};
use nestled_rt::{npz, zip};
use std::io::{Cursor, Read, Seek};
use std::path::Path;

/// The content of a data file.
pub enum Data {
    /// An `.npy` file, or an array of an `.npz` file.
    Array(Npy),
    /// An `.npz` file of several arrays.
    Arrays(Vec<(String, Npy)>),
    /// A text: UTF-8, or bytes without control characters.
    Text(Vec<u8>),
    /// Something else.
    Unknown(Vec<u8>),
}

/// The message for a file of another kind.
pub const UNKNOWN: &str = "it is neither a NumPy file (.npy, .npz) nor a text; \
    in NESL `read_string_from_file` gives the bytes of any file";

/// Requirements on a file: room, element type, number of arrays.
#[derive(Clone, Copy)]
pub struct Wish<'w> {
    /// The most bytes that may be read.
    pub room: u64,
    /// The element type that is wanted.
    pub elements: Want<'w>,
    /// Whether all arrays of an `.npz` file are accepted, instead of one.
    pub several: bool,
}

/// Reads a file. `r.npz:name` is one array of it.
///
/// # Errors
/// The file cannot be read, is malformed, or does not meet the requirements.
pub fn read(path: &str, wish: Wish<'_>) -> Result<Data, String> {
    let (path, name) = npz::split(path);
    let path = Path::new(path);
    match files::open(path)? {
        (file, Some(size)) => of_kind(file, size, (path, name), wish),
        (file, None) => {
            let bytes = files::all_of(file, 0, wish.room)?;
            let size = bytes.len() as u64;
            of_kind(Cursor::new(bytes), size, (path, name), wish)
        }
    }
}

fn of_kind<R: Read + Seek>(
    mut input: R,
    size: u64,
    (path, name): (&Path, Option<&str>),
    wish: Wish<'_>,
) -> Result<Data, String> {
    let said = |error: std::io::Error| error.to_string();
    let ends = |end: &str| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(end));
    let mut start = Vec::new();
    input.by_ref().take(8).read_to_end(&mut start).map_err(said)?;
    input.rewind().map_err(said)?;
    if zip::is_one(&start) || ends("npz") {
        let archive = npz::Archive::open(input)?;
        return match name.is_some() || archive.len() == 1 || !wish.several {
            true => archive.one(name, wish.room, wish.elements).map(Data::Array),
            false => archive.all(wish.room, wish.elements).map(Data::Arrays),
        };
    }
    if Npy::is_one(&start) || ends("npy") {
        return Reader::new(input, Some(size))?.read(wish.room, wish.elements).map(Data::Array);
    }
    let bytes = files::all_of(input, size, wish.room)?;
    Ok(if is_text(&bytes) { Data::Text(bytes) } else { Data::Unknown(bytes) })
}

/// True if a file looks like text: no zero byte, and valid UTF-8 or else no control characters.
fn is_text(file: &[u8]) -> bool {
    let control = |byte: &&u8| **byte < 32 && !byte.is_ascii_whitespace() && **byte != 27;
    !file.contains(&0) && (std::str::from_utf8(file).is_ok() || file.iter().filter(control).count() == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_old_files_are_texts_and_pictures_are_not() {
        assert!(is_text(b"") && is_text("gr\u{fc}n\n".as_bytes()) && is_text(b"gr\xfcn\r\n"));
        assert!(!is_text(b"\x89PNG\r\n\x1a\n\0") && !is_text(b"\xff\x01"));
    }
}
