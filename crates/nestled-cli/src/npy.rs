//! NumPy's `.npy` files: versions 1 to 3, little and big endian, C and Fortran order.

use nestled_ir::ScalarType;
use std::fmt::Write as _;

const MAGIC: &[u8] = b"\x93NUMPY";

/// The content of a file: elements in C order, little endian.
#[derive(Debug, PartialEq, Eq)]
pub struct Npy {
    /// The type of the elements.
    pub elem: ScalarType,
    /// The extent of each axis.
    pub shape: Vec<u64>,
    /// The elements.
    pub bytes: Vec<u8>,
}

/// The header: a Python dictionary.
struct Header {
    elem: ScalarType,
    swap: bool,
    fortran: bool,
    shape: Vec<u64>,
}

impl Npy {
    /// Whether a file begins as these do.
    pub fn is_one(file: &[u8]) -> bool {
        file.starts_with(MAGIC)
    }

    /// Reads the bytes of a file.
    pub fn parse(file: &[u8]) -> Result<Npy, String> {
        let rest = file.strip_prefix(MAGIC).ok_or("it is not an .npy file")?;
        let (&[major, _minor], rest) = rest.split_first_chunk::<2>().ok_or("it ends early")?;
        let (length, rest) = if major == 1 {
            let (length, rest) = rest.split_first_chunk::<2>().ok_or("it ends early")?;
            (u16::from_le_bytes(*length) as usize, rest)
        } else {
            let (length, rest) = rest.split_first_chunk::<4>().ok_or("it ends early")?;
            (u32::from_le_bytes(*length) as usize, rest)
        };
        let (text, data) = rest.split_at_checked(length).ok_or("it ends early")?;
        let header = Header::parse(&String::from_utf8_lossy(text))?;
        let count = header
            .shape
            .iter()
            .try_fold(1u64, |count, &extent| count.checked_mul(extent))
            .and_then(|count| usize::try_from(count).ok())
            .and_then(|count| count.checked_mul(header.elem.size()))
            .ok_or("its shape is too large")?;
        let mut bytes = data.get(..count).ok_or("it ends early")?.to_vec();
        if header.swap {
            bytes.chunks_exact_mut(header.elem.size()).for_each(<[u8]>::reverse);
        }
        if header.fortran {
            bytes = to_c_order(&bytes, &header.shape, header.elem.size());
        }
        Ok(Npy { elem: header.elem, shape: header.shape, bytes })
    }

    /// The bytes of a file with this content.
    pub fn to_file(&self) -> Vec<u8> {
        let mut shape = String::new();
        for extent in &self.shape {
            let _ = write!(shape, "{extent}, ");
        }
        let shape = if self.shape.len() == 1 { shape.trim_end() } else { shape.trim_end_matches(", ") };
        let mut header =
            format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({shape}), }}", descr(self.elem));
        // The data begins at a multiple of 64; the header ends with a line break.
        let length = (MAGIC.len() + 4 + header.len() + 1).next_multiple_of(64) - MAGIC.len() - 4;
        header.push_str(&" ".repeat(length - header.len() - 1));
        header.push('\n');
        let mut file = MAGIC.to_vec();
        file.extend([1, 0]);
        file.extend((header.len() as u16).to_le_bytes());
        file.extend(header.as_bytes());
        file.extend(&self.bytes);
        file
    }
}

/// NumPy's name of a type. Indices are stored as 64-bit integers.
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

impl Header {
    fn parse(text: &str) -> Result<Header, String> {
        let field = |name: &str| -> Result<&str, String> {
            let quoted = [format!("'{name}':"), format!("\"{name}\":")];
            let at = quoted.iter().find_map(|key| Some(text.find(key.as_str())? + key.len()));
            Ok(text[at.ok_or_else(|| format!("its header has no `{name}`"))?..].trim_start())
        };
        let quoted = field("descr")?;
        let descr_text = quoted.trim_start_matches(['\'', '"']);
        let descr_text = descr_text.split(['\'', '"']).next().unwrap_or("");
        let (elem, swap) = parse_descr(descr_text)
            .ok_or_else(|| format!("its elements are `{descr_text}`, which has no counterpart here"))?;
        let fortran = field("fortran_order")?.starts_with("True");
        let shape = field("shape")?
            .strip_prefix('(')
            .and_then(|shape| shape.split(')').next())
            .ok_or("its shape is not a tuple")?;
        let shape = shape
            .split(',')
            .map(str::trim)
            .filter(|extent| !extent.is_empty())
            .map(|extent| extent.parse().map_err(|_| format!("its shape has an extent `{extent}`")))
            .collect::<Result<Vec<u64>, String>>()?;
        Ok(Header { elem, swap, fortran, shape })
    }
}

fn parse_descr(text: &str) -> Option<(ScalarType, bool)> {
    let swap = text.starts_with('>');
    let little = format!("<{}", text.get(1..)?);
    let single = format!("|{}", text.get(1..)?);
    ScalarType::ALL
        .into_iter()
        .filter(|&elem| elem != ScalarType::Idx)
        .find(|&elem| descr(elem) == little || descr(elem) == single)
        .map(|elem| (elem, swap && elem.size() > 1))
}

/// Elements in Fortran order (first axis fastest) to C order (last axis fastest).
fn to_c_order(bytes: &[u8], shape: &[u64], size: usize) -> Vec<u8> {
    let mut strides = vec![0usize; shape.len()];
    let mut stride = size;
    for (axis, &extent) in shape.iter().enumerate() {
        strides[axis] = stride;
        stride *= extent as usize;
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut point = vec![0u64; shape.len()];
    while out.len() < bytes.len() {
        let at: usize = point.iter().zip(&strides).map(|(&index, &stride)| index as usize * stride).sum();
        out.extend(&bytes[at..at + size]);
        for axis in (0..shape.len()).rev() {
            point[axis] += 1;
            if point[axis] < shape[axis] {
                break;
            }
            point[axis] = 0;
        }
    }
    out
}

/// Several arrays with their names as the bytes of an `.npz` file: a ZIP archive in which nothing is compressed.
pub fn npz(arrays: &[(String, Npy)]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut directory = Vec::new();
    for (name, array) in arrays {
        let (name, file) = (format!("{name}.npy"), array.to_file());
        let start = out.len() as u32;
        let size = (file.len() as u32).to_le_bytes();
        // Version 2.0, no flags, stored, the first of January 1980.
        let mut entry = vec![20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0];
        entry.extend(crc32(&file).to_le_bytes());
        entry.extend([size, size].concat());
        entry.extend((name.len() as u16).to_le_bytes());
        entry.extend([0, 0]);
        out.extend([b"PK\x03\x04", &entry[..], name.as_bytes(), &file].concat());
        directory.extend(
            [b"PK\x01\x02\x14\0", &entry[..], &[0; 10], &start.to_le_bytes(), name.as_bytes()].concat(),
        );
    }
    let count = (arrays.len() as u16).to_le_bytes();
    let place = [(directory.len() as u32).to_le_bytes(), (out.len() as u32).to_le_bytes()].concat();
    out.extend(&directory);
    out.extend([b"PK\x05\x06\0\0\0\0", &count[..], &count, &place, &[0, 0]].concat());
    out
}

/// The check sum of ZIP, and of PNG.
pub fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_back_as_they_were() {
        for shape in [vec![], vec![3], vec![2, 2], vec![0, 5]] {
            let count = shape.iter().product::<u64>() as usize;
            let bytes = (0..count * 4).map(|byte| byte as u8).collect();
            let npy = Npy { elem: ScalarType::F32, shape, bytes };
            let file = npy.to_file();
            assert_eq!(Npy::parse(&file).unwrap(), npy);
            assert_eq!((file.len() - npy.bytes.len()) % 64, 0);
        }
    }

    #[test]
    fn fortran_order_and_big_endian_are_turned_round() {
        let mut file = Npy { elem: ScalarType::I32, shape: vec![2, 3], bytes: vec![] }.to_file();
        let text = String::from_utf8_lossy(&file).replace("False", "True ").replace("<i4", ">i4");
        file = [b"\x93", &text.as_bytes()[3..]].concat();
        for value in [1i32, 4, 2, 5, 3, 6] {
            file.extend(value.to_be_bytes());
        }
        let npy = Npy::parse(&file).unwrap();
        let expected: Vec<u8> = (1i32..=6).flat_map(i32::to_le_bytes).collect();
        assert_eq!(npy.bytes, expected);
    }

    #[test]
    fn check_sums() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn broken_files_are_refused_in_words() {
        assert_eq!(Npy::parse(b"hello").unwrap_err(), "it is not an .npy file");
        let file = Npy { elem: ScalarType::F64, shape: vec![3], bytes: vec![0; 24] }.to_file();
        assert_eq!(Npy::parse(&file[..file.len() - 1]).unwrap_err(), "it ends early");
        let strange: Vec<u8> = file.iter().map(|&byte| if byte == b'f' { b'c' } else { byte }).collect();
        assert!(Npy::parse(&strange).is_err());
    }
}
