//! Data from files: NumPy's, by how they begin, and texts. What is neither is not taken for one of them.

use crate::files;
use nestled_rt::npy::Npy;
use nestled_rt::{npz, zip};
use std::path::Path;

/// What a file holds.
pub enum Data {
    /// An `.npy` file, or an array of an `.npz` file that was named.
    Array(Npy),
    /// An `.npz` file.
    Arrays(Vec<(String, Npy)>),
    /// UTF-8, or what has no bytes that texts have not.
    Text(Vec<u8>),
    /// Something else.
    Unknown,
}

/// What to say of something else.
pub const UNKNOWN: &str = "it is neither a NumPy file (.npy, .npz) nor a text; \
    in NESL `read_string_from_file` gives the bytes of any file";

/// Reads a file for which there is so much room. `r.npz:name` is one array of it.
///
/// # Errors
/// It cannot be read, or is not what it seems to be.
pub fn read(path: &str, room: u64) -> Result<Data, String> {
    let (path, name) = npz::split(path);
    let path = Path::new(path);
    let file = files::read_data(path, room)?;
    let ends = |end: &str| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(end));
    if zip::is_one(&file) || ends("npz") {
        let arrays = npz::read(&file, room)?;
        return match name {
            Some(_) => npz::one(arrays, name).map(Data::Array),
            None => Ok(Data::Arrays(arrays)),
        };
    }
    if Npy::is_one(&file) || ends("npy") {
        return Npy::parse(&file).map(Data::Array);
    }
    Ok(if is_text(&file) { Data::Text(file) } else { Data::Unknown })
}

/// Whether nothing in it is what only other files have: a zero, or many control characters where it is no UTF-8.
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
