//! NumPy's `.npy` files: versions 1 to 3, little and big endian, C and Fortran order.
//!
//! A file is a mark, a version, the length of the header, the header (a dictionary as Python writes it), and the elements:
//!
//! ```text
//! \x93NUMPY 1 0 118 {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }␣␣␣↵ 00 00 80 3f …
//! ```
//!
//! Elements are streamed from the file into the array, a block at a time, and back: memory never holds them twice. Reading gives C order;
//! writing gives version 1, little endian.

mod elements;
mod header;
mod write;

pub use write::{header, write};

use elements::Order;
use header::Header;
use nestled_ir::ScalarType;
use nestled_ir::value::Buffer;
use std::io::Read;

const MAGIC: &[u8] = b"\x93NUMPY";

/// The content of a file: elements in C order.
///
/// ```
/// use nestled_rt::npy::Npy;
/// use nestled_ir::value::Buffer;
/// let matrix = Npy { shape: vec![2, 3], elements: Buffer::U8(vec![1, 2, 3, 4, 5, 6]) };
/// assert_eq!(Npy::parse(&matrix.to_file())?.shape, [2, 3]);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug)]
pub struct Npy {
    /// The extent of each axis.
    pub shape: Vec<u64>,
    /// The elements, with [a margin](nestled_ir::value::MARGIN) if they come from a file.
    pub elements: Buffer,
}

/// Chooses the element type to convert a file's elements to: their own, or a wider one.
pub type Want<'w> = &'w dyn Fn(ScalarType) -> Result<ScalarType, String>;

/// An `.npy` file after its header was read.
#[derive(Debug)]
pub struct Reader<R> {
    header: Header,
    count: usize,
    input: R,
}

impl Npy {
    /// True if the bytes begin with the mark of an `.npy` file.
    pub fn is_one(file: &[u8]) -> bool {
        file.starts_with(MAGIC)
    }

    /// Reads the bytes of a file, without conversion of elements.
    ///
    /// # Errors
    /// A message to be put after the name of the file and a colon.
    pub fn parse(file: &[u8]) -> Result<Npy, String> {
        Reader::new(file, Some(file.len() as u64))?.read(u64::MAX, &Ok)
    }

    /// The bytes of a file with this content.
    pub fn to_file(&self) -> Vec<u8> {
        let mut file = Vec::new();
        write(&self.shape, &self.elements, &mut file).expect("there is room in memory");
        file
    }
}

const EARLY: &str = "it ends early";

/// Longer headers there are only in files that are broken.
const LONGEST: u32 = 1 << 24;

impl<R: Read> Reader<R> {
    /// Reads the header. `size` is the size of the file, where known.
    ///
    /// # Errors
    /// A message to be put after the name of the file and a colon.
    pub fn new(mut input: R, size: Option<u64>) -> Result<Reader<R>, String> {
        let mut start = [0; 8];
        let found = read_some(&mut input, &mut start)?;
        if found < MAGIC.len() || !start.starts_with(MAGIC) {
            return Err("it is not an .npy file".to_owned());
        }
        let [.., major, minor] = start;
        let mut length = [0; 4];
        let digits = match major {
            _ if found < start.len() => return Err(EARLY.to_owned()),
            1 => 2,
            2 | 3 => 4,
            _ => return Err(format!("its version is {major}.{minor}; versions 1 to 3 are known")),
        };
        input.read_exact(&mut length[..digits]).map_err(early)?;
        let length = u32::from_le_bytes(length);
        if length > LONGEST {
            return Err("its header is too long".to_owned());
        }
        let mut text = Vec::new();
        input.by_ref().take(length.into()).read_to_end(&mut text).map_err(early)?;
        if text.len() < length as usize {
            return Err(EARLY.to_owned());
        }
        let header = Header::parse(&String::from_utf8_lossy(&text))?;
        let count = count(&header)?;
        let before = start.len() as u64 + digits as u64 + u64::from(length);
        let bytes = (count * header.stored.size()) as u64;
        if size.is_some_and(|size| size.saturating_sub(before) < bytes) {
            return Err(EARLY.to_owned());
        }
        Ok(Reader { header, count, input })
    }

    /// The type of its elements.
    pub fn stored(&self) -> ScalarType {
        self.header.stored
    }

    /// The extent of each axis.
    pub fn shape(&self) -> &[u64] {
        &self.header.shape
    }

    /// Reads the elements; they may take `room` bytes.
    ///
    /// # Errors
    /// They are too many, or fewer than the header says, or cannot be converted.
    pub fn read(mut self, room: u64, want: Want<'_>) -> Result<Npy, String> {
        let elem = want(self.header.stored)?;
        let size = (self.count as u64).saturating_mul(elem.size() as u64);
        if size > room
            || Vec::<u8>::new().try_reserve_exact(usize::try_from(size).unwrap_or(usize::MAX)).is_err()
        {
            return Err(format!("its elements take {size} bytes here; there is room for {room}"));
        }
        let order = Order::new(&self.header, self.count);
        let elements = elements::read(&mut self.input, &order, (self.header.stored, elem))?;
        Ok(Npy { shape: self.header.shape, elements })
    }
}

/// Number of elements.
fn count(header: &Header) -> Result<usize, String> {
    let large = || "its shape is too large".to_owned();
    // Also of nothing there is no more than λcu can count.
    let mut counted = header.shape.iter().filter(|&&extent| extent > 0);
    counted
        .try_fold(1i64, |count, &extent| count.checked_mul(i64::try_from(extent).ok()?))
        .ok_or_else(large)?;
    let count = header.shape.iter().try_fold(1u64, |count, &extent| count.checked_mul(extent));
    let count = count.and_then(|count| usize::try_from(count).ok());
    count.filter(|count| count.checked_mul(header.stored.size()).is_some()).ok_or_else(large)
}

/// Reads until the buffer is full or the input ends; returns the number of bytes read.
fn read_some(input: &mut impl Read, into: &mut [u8]) -> Result<usize, String> {
    let mut found = 0;
    while found < into.len() {
        match input.read(&mut into[found..]) {
            Ok(0) => break,
            Ok(more) => found += more,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(found)
}

/// The message for a read error.
fn early(error: std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::UnexpectedEof => EARLY.to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests;
