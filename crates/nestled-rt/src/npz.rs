//! NumPy's `.npz` files: ZIP archives of `.npy` files.

use crate::npy::{self, Npy, Reader, Want};
use crate::zip;
use nestled_ir::value::Buffer;
use std::borrow::Borrow;
use std::io::{Error, Read, Seek, Write};

/// Writes several arrays with their names and shapes.
///
/// # Errors
/// Those of the writer.
pub fn write<B: Borrow<Buffer>>(arrays: &[(String, Vec<u64>, B)], out: &mut dyn Write) -> Result<(), Error> {
    let mut writer = zip::Writer::new(out);
    for (name, shape, elements) in arrays {
        writer.add(&format!("{name}.npy"), &|out| npy::write(shape, elements.borrow(), out))?;
    }
    writer.finish()
}

/// An archive after its directory was read.
#[derive(Debug)]
pub struct Archive<R>(zip::Archive<R>);

impl<R: Read + Seek> Archive<R> {
    /// Reads the directory.
    ///
    /// # Errors
    /// A message to be put after the name of the file.
    pub fn open(input: R) -> Result<Archive<R>, String> {
        zip::Archive::open(input).map(Archive)
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.0.entries().iter().map(|entry| entry.name.strip_suffix(".npy").unwrap_or(&entry.name))
    }

    /// Number of arrays.
    pub fn len(&self) -> usize {
        self.0.entries().len()
    }

    /// True if there is no array.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A message that lists the arrays to choose from.
    pub fn choices(&self) -> String {
        let names: Vec<&str> = self.names().collect();
        choices(&names)
    }

    /// All arrays with their names; they may take `room` bytes together.
    ///
    /// # Errors
    /// A message to be put after the name of the file.
    pub fn all(mut self, room: u64, want: Want<'_>) -> Result<Vec<(String, Npy)>, String> {
        let (mut left, mut arrays) = (room, Vec::new());
        let size = self.0.entries().iter().fold(0u64, |sum, entry| sum.saturating_add(entry.size));
        if size > room {
            return Err(format!("its arrays take {size} bytes; there is room for {room}"));
        }
        for at in 0..self.0.entries().len() {
            let array = self.array(at, left, want)?;
            left = left.saturating_sub(array.elements.size());
            let name = self.names().nth(at).unwrap_or_default().to_owned();
            arrays.push((name, array));
        }
        Ok(arrays)
    }

    /// The array of this name; without a name the only one.
    ///
    /// # Errors
    /// There is none, or there are several; or something is wrong with it.
    pub fn one(mut self, name: Option<&str>, room: u64, want: Want<'_>) -> Result<Npy, String> {
        let found = match name {
            Some(name) => self.names().position(|other| other == name),
            None => Some(0).filter(|_| self.0.entries().len() == 1),
        };
        let at = found.ok_or_else(|| self.choices())?;
        self.array(at, room, want)
    }

    fn array(&mut self, at: usize, room: u64, want: Want<'_>) -> Result<Npy, String> {
        let name = self.names().nth(at).unwrap_or_default().to_owned();
        let size = self.0.entries()[at].size;
        let mut content = self.0.content(at)?;
        let array = Reader::new(&mut content, Some(size)).and_then(|array| array.read(room, want));
        // What is damaged is not what it says; what is too large is not even looked at.
        if array.is_ok() || size <= room {
            content.finish()?;
        }
        array.map_err(|why| format!("`{name}` in it: {why}"))
    }
}

/// The arrays of a file with their names, without conversion; they may take `room` bytes together.
///
/// # Errors
/// A message to be put after the name of the file.
pub fn read(file: &[u8], room: u64) -> Result<Vec<(String, Npy)>, String> {
    Archive::open(std::io::Cursor::new(file))?.all(room, &Ok)
}

/// A message that lists the arrays of a file to choose from.
pub fn choices(names: &[&str]) -> String {
    match names {
        [] => "it holds no array".to_owned(),
        [first, ..] => {
            format!("it holds the arrays {}; `@FILE.npz:{first}` is one of them", names.join(", "))
        }
    }
}

/// Splits a path into the name of a file and that of one of its arrays: `r.npz:lengths`.
pub fn split(path: &str) -> (&str, Option<&str>) {
    match path.rsplit_once(':') {
        Some((file, name)) if file.ends_with(".npz") => (file, Some(name)),
        _ => (path, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_come_back_with_their_names() {
        let arrays = [
            ("a".to_owned(), vec![3], Buffer::U8(b"xyz".to_vec())),
            ("1.lengths".to_owned(), vec![0], Buffer::U8(Vec::new())),
        ];
        let mut file = Vec::new();
        write(&arrays, &mut file).unwrap();
        let back = read(&file, 1 << 20).unwrap();
        let parts = back.iter().map(|(name, array)| (name, &array.shape, array.elements.len()));
        assert!(parts.eq(arrays.iter().map(|(name, shape, elements)| (name, shape, elements.len()))));
        assert!(read(&file, 200).unwrap_err().contains("there is room for 200"));
        let one = |name| Archive::open(std::io::Cursor::new(&file)).unwrap().one(name, 3, &Ok);
        assert!(matches!(one(Some("a")).unwrap().elements, Buffer::U8(bytes) if bytes == b"xyz"));
        assert_eq!(one(None).unwrap_err(), "it holds the arrays a, 1.lengths; `@FILE.npz:a` is one of them");
        assert_eq!(split("x/r.npz:a"), ("x/r.npz", Some("a")));
        assert_eq!(split("a:b.npy"), ("a:b.npy", None));
    }
}
