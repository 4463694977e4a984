//! NumPy's `.npy` files.

use crate::array::Array;
use crate::element::Element;
use crate::error::{Error, Reason, Result};
use nestled_ir::{Scalar, ScalarType};
use std::path::Path;

const MAGIC: &[u8] = b"\x93NUMPY";

impl<T: Element> Array<T> {
    /// Reads a file of elements of this type: little endian, in C order.
    ///
    /// # Errors
    /// The file cannot be read, or holds something else.
    #[track_caller]
    pub fn read_npy(path: impl AsRef<Path>) -> Result<Array<T>> {
        let path = path.as_ref();
        let wrong = |why: &str| Error::of("read_npy", Reason::File(format!("{}: {why}", path.display())));
        let file = std::fs::read(path).map_err(|error| wrong(&error.to_string()))?;
        let (shape, data) = header::<T>(&file).map_err(|why| wrong(&why))?;
        let size = T::TYPE.size();
        let count: usize = shape.iter().product();
        let data = data.get(..count * size).ok_or_else(|| wrong("it ends early"))?;
        let element = |bytes: &[u8]| {
            let bits = bytes.iter().rev().fold(0u64, |bits, &byte| bits << 8 | u64::from(byte));
            T::from_scalar(Scalar::from_bits(T::TYPE, bits))
        };
        let elements: Option<Vec<T>> = data.chunks_exact(size).map(element).collect();
        Array::try_new(elements.ok_or_else(|| wrong("it holds something else"))?, &shape)
    }

    /// Writes a file.
    ///
    /// # Errors
    /// Those of evaluation; or the file cannot be written.
    #[track_caller]
    pub fn write_npy(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let failed = |error: std::io::Error| {
            Error::of("write_npy", Reason::File(format!("{}: {error}", path.display())))
        };
        let extents: String = self.shape().iter().map(|extent| format!("{extent}, ")).collect();
        let mut header = format!(
            "{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
            descr(T::TYPE),
            extents.trim_end()
        );
        let length = (MAGIC.len() + 4 + header.len() + 1).next_multiple_of(64) - MAGIC.len() - 4;
        header.push_str(&" ".repeat(length - header.len() - 1));
        header.push('\n');
        let mut file = MAGIC.to_vec();
        file.extend([1, 0]);
        file.extend((header.len() as u16).to_le_bytes());
        file.extend(header.as_bytes());
        for element in self.to_vec()? {
            file.extend(&element.scalar().to_bits().to_le_bytes()[..T::TYPE.size()]);
        }
        std::fs::write(path, file).map_err(failed)
    }
}

fn descr(elem: ScalarType) -> &'static str {
    match elem {
        ScalarType::Bool => "|b1",
        ScalarType::U8 => "|u1",
        ScalarType::I32 => "<i4",
        ScalarType::U32 => "<u4",
        ScalarType::I64 | ScalarType::Idx => "<i8",
        ScalarType::F16 => "<f2",
        ScalarType::F32 => "<f4",
        ScalarType::F64 => "<f8",
    }
}

/// The shape, and where the data begins.
fn header<T: Element>(file: &[u8]) -> std::result::Result<(Vec<usize>, &[u8]), String> {
    let rest = file.strip_prefix(MAGIC).ok_or("it is not an .npy file")?;
    let (&[major, _], rest) = rest.split_first_chunk::<2>().ok_or("it ends early")?;
    let (length, rest) = if major == 1 {
        let (length, rest) = rest.split_first_chunk::<2>().ok_or("it ends early")?;
        (usize::from(u16::from_le_bytes(*length)), rest)
    } else {
        let (length, rest) = rest.split_first_chunk::<4>().ok_or("it ends early")?;
        (u32::from_le_bytes(*length) as usize, rest)
    };
    let (text, data) = rest.split_at_checked(length).ok_or("it ends early")?;
    let text = String::from_utf8_lossy(text);
    if !text.contains(descr(T::TYPE)) {
        return Err(format!("its elements are not {}: {}", T::TYPE, text.trim()));
    }
    if text.contains("'fortran_order': True") {
        return Err("it is in Fortran order".to_owned());
    }
    let shape = text.split_once('(').and_then(|(_, rest)| rest.split_once(')')).ok_or("it has no shape")?.0;
    let extents = shape.split(',').map(str::trim).filter(|extent| !extent.is_empty());
    let shape = extents.map(|extent| extent.parse().map_err(|_| format!("an extent `{extent}`")));
    Ok((shape.collect::<std::result::Result<_, String>>()?, data))
}
