//! NumPy's `.npy` files: versions 1 to 3, little and big endian, C and Fortran order.
//!
//! A file is a mark, a version, the length of the header, the header (a dictionary as Python writes it), and the elements:
//!
//! ```text
//! \x93NUMPY 1 0 118 {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }␣␣␣↵ 00 00 80 3f …
//! ```
//!
//! What is read here is always little endian and in C order; what is written is version 1.

mod header;

use header::Header;
use nestled_ir::ScalarType;
use nestled_ir::value::Buffer;
use std::fmt::Write as _;

const MAGIC: &[u8] = b"\x93NUMPY";

/// The content of a file: elements in C order, little endian.
///
/// ```
/// use nestled_rt::npy::Npy;
/// use nestled_ir::ScalarType;
/// let matrix = Npy { elem: ScalarType::U8, shape: vec![2, 3], bytes: vec![1, 2, 3, 4, 5, 6] };
/// assert_eq!(Npy::parse(&matrix.to_file())?, matrix);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Npy {
    /// The type of the elements.
    pub elem: ScalarType,
    /// The extent of each axis.
    pub shape: Vec<u64>,
    /// The elements.
    pub bytes: Vec<u8>,
}

impl Npy {
    /// Whether a file begins as these do.
    pub fn is_one(file: &[u8]) -> bool {
        file.starts_with(MAGIC)
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// What is wrong with it, in words that follow the name of the file and a colon.
    pub fn parse(file: &[u8]) -> Result<Npy, String> {
        let rest = file.strip_prefix(MAGIC).ok_or("it is not an .npy file")?;
        let (&[major, minor], rest) = rest.split_first_chunk::<2>().ok_or("it ends early")?;
        let (length, rest) = match major {
            1 => {
                let (length, rest) = rest.split_first_chunk::<2>().ok_or("it ends early")?;
                (usize::from(u16::from_le_bytes(*length)), rest)
            }
            2 | 3 => {
                let (length, rest) = rest.split_first_chunk::<4>().ok_or("it ends early")?;
                (u32::from_le_bytes(*length) as usize, rest)
            }
            _ => return Err(format!("its version is {major}.{minor}; versions 1 to 3 are known")),
        };
        let (text, data) = rest.split_at_checked(length).ok_or("it ends early")?;
        let header = Header::parse(&String::from_utf8_lossy(text))?;
        let size = header.elem.size();
        // Also of nothing there is no more than λcu can count.
        let mut counted = header.shape.iter().filter(|&&extent| extent > 0);
        if counted.try_fold(1i64, |count, &extent| count.checked_mul(i64::try_from(extent).ok()?)).is_none() {
            return Err("its shape is too large".to_owned());
        }
        let count = header
            .shape
            .iter()
            .try_fold(1u64, |count, &extent| count.checked_mul(extent))
            .and_then(|count| usize::try_from(count).ok())
            .and_then(|count| count.checked_mul(size))
            .ok_or("its shape is too large")?;
        let mut bytes = data.get(..count).ok_or("it ends early")?.to_vec();
        if header.elem == ScalarType::Bool {
            // Any byte but 0 is true there.
            bytes.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0));
        }
        if header.big_endian {
            bytes.chunks_exact_mut(size).for_each(<[u8]>::reverse);
        }
        if header.fortran && header.shape.len() > 1 && !bytes.is_empty() {
            bytes = to_c_order(&bytes, &header.shape, size);
        }
        Ok(Npy { elem: header.elem, shape: header.shape, bytes })
    }

    /// An array of this shape. Indices are stored as `i64`.
    pub fn of(shape: Vec<u64>, elements: &Buffer) -> Npy {
        fn all<const N: usize, T: Copy>(elements: &[T], write: impl Fn(T) -> [u8; N]) -> Vec<u8> {
            elements.iter().flat_map(|&element| write(element)).collect()
        }
        let bytes = match elements {
            Buffer::Bool(truths) => truths.iter().map(|&truth| u8::from(truth)).collect(),
            Buffer::U8(bytes) => bytes.clone(),
            Buffer::I32(numbers) => all(numbers, i32::to_le_bytes),
            Buffer::U32(numbers) => all(numbers, u32::to_le_bytes),
            Buffer::I64(numbers) | Buffer::Idx(numbers) => all(numbers, i64::to_le_bytes),
            Buffer::F16(bits) => all(bits, u16::to_le_bytes),
            Buffer::F32(numbers) => all(numbers, f32::to_le_bytes),
            Buffer::F64(numbers) => all(numbers, f64::to_le_bytes),
        };
        let elem = if elements.elem() == ScalarType::Idx { ScalarType::I64 } else { elements.elem() };
        Npy { elem, shape, bytes }
    }

    /// The elements. `elem` is their type, or `idx` where `i64` is stored.
    pub fn buffer(&self, elem: ScalarType) -> Buffer {
        fn all<const N: usize, T>(bytes: &[u8], read: impl Fn([u8; N]) -> T) -> Vec<T> {
            bytes.as_chunks::<N>().0.iter().map(|&chunk| read(chunk)).collect()
        }
        let bytes = &self.bytes;
        match elem {
            ScalarType::Bool => Buffer::Bool(bytes.iter().map(|&byte| byte != 0).collect()),
            ScalarType::U8 => Buffer::U8(bytes.clone()),
            ScalarType::I32 => Buffer::I32(all(bytes, i32::from_le_bytes)),
            ScalarType::U32 => Buffer::U32(all(bytes, u32::from_le_bytes)),
            ScalarType::I64 => Buffer::I64(all(bytes, i64::from_le_bytes)),
            ScalarType::F16 => Buffer::F16(all(bytes, u16::from_le_bytes)),
            ScalarType::F32 => Buffer::F32(all(bytes, f32::from_le_bytes)),
            ScalarType::F64 => Buffer::F64(all(bytes, f64::from_le_bytes)),
            ScalarType::Idx => Buffer::Idx(all(bytes, i64::from_le_bytes)),
        }
    }

    /// The bytes of a file with this content.
    pub fn to_file(&self) -> Vec<u8> {
        let mut file = self.header();
        file.extend(&self.bytes);
        file
    }

    /// What a file with this content has before the elements.
    pub fn header(&self) -> Vec<u8> {
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
        let mut file = Vec::with_capacity(MAGIC.len() + 4 + header.len());
        file.extend(MAGIC);
        file.extend([1, 0]);
        file.extend((header.len() as u16).to_le_bytes());
        file.extend(header.as_bytes());
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

#[cfg(test)]
mod tests {
    use super::*;
    use nestled_ir::Scalar;

    /// A file of any version whose header is this text.
    fn file(version: u8, header: &str, data: &[u8]) -> Vec<u8> {
        let length = header.len() as u32;
        let length = if version == 1 { &length.to_le_bytes()[..2] } else { &length.to_le_bytes()[..] };
        [MAGIC, &[version, 0], length, header.as_bytes(), data].concat()
    }

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
    fn elements_of_every_type() {
        for elem in ScalarType::ALL {
            let bits = |at: u64| if elem == ScalarType::Bool { at % 2 } else { 11 * at };
            let numbers: Vec<_> = (0..3).map(|at| Scalar::from_bits(elem, bits(at))).collect();
            let npy = Npy::of(vec![3], &Buffer::from_scalars(elem, &numbers));
            let read = Npy::parse(&npy.to_file()).unwrap().buffer(elem);
            assert_eq!((0..3).map(|at| read.get(at)).collect::<Vec<_>>(), numbers);
        }
    }

    #[test]
    fn fortran_order_and_big_endian_are_turned_round() {
        let data: Vec<u8> = [1i32, 4, 2, 5, 3, 6].into_iter().flat_map(i32::to_be_bytes).collect();
        let header = "{'descr': '>i4', 'fortran_order': True, 'shape': (2, 3), }\n";
        let npy = Npy::parse(&file(1, header, &data)).unwrap();
        let expected: Vec<u8> = (1i32..=6).flat_map(i32::to_le_bytes).collect();
        assert_eq!(npy.bytes, expected);
    }

    #[test]
    fn headers_of_every_version_and_style() {
        let data: Vec<u8> = [1.5f32, 2.5].into_iter().flat_map(f32::to_le_bytes).collect();
        let headers = [
            "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }",
            "{\"shape\":(2,),\"descr\":\"<f4\",\"fortran_order\":False}",
            " { 'fortran_order' : False , 'shape' : ( 2 , ) , 'descr' : '=f4' } \n",
            // As an old Python wrote lengths.
            "{'descr': '<f4', 'fortran_order': False, 'shape': (2L,), }",
            "{'shape': (2,), 'title': 'a (strange), {one} \\' \"', 'fortran_order': False, 'descr': '<f4'}",
        ];
        for version in 1..=3 {
            for header in headers {
                let npy = Npy::parse(&file(version, header, &data)).unwrap();
                assert_eq!(
                    (npy.elem, &npy.shape[..], &npy.bytes),
                    (ScalarType::F32, &[2][..], &data),
                    "{header}"
                );
            }
        }
    }

    #[test]
    fn truth_is_any_byte_but_zero() {
        let header = "{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }";
        assert_eq!(Npy::parse(&file(1, header, &[0, 1, 7])).unwrap().bytes, [0, 1, 1]);
    }

    #[test]
    fn broken_files_are_refused_in_words() {
        let refused = |file: &[u8]| Npy::parse(file).unwrap_err();
        assert_eq!(refused(b"hello"), "it is not an .npy file");
        let whole = Npy { elem: ScalarType::F64, shape: vec![3], bytes: vec![0; 24] }.to_file();
        (0..whole.len()).for_each(|length| drop(refused(&whole[..length])));
        assert_eq!(refused(&whole[..whole.len() - 1]), "it ends early");
        assert_eq!(refused(&file(4, "{}", &[])), "its version is 4.0; versions 1 to 3 are known");
        let with = |descr: &str, shape: &str| {
            refused(&file(
                1,
                &format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}"),
                &[],
            ))
        };
        assert_eq!(with("'<c8'", "(1,)"), "its elements are `<c8`, which has no counterpart here");
        assert_eq!(with("'<é4'", "(1,)"), "its elements are `<é4`, which has no counterpart here");
        assert_eq!(
            with("[('x', '<f4'), ('y', '<f4')]", "(1,)"),
            "its elements are records, which have no counterpart here"
        );
        assert_eq!(with("'<f4'", "(1, x)"), "its shape is not a tuple of lengths");
        assert_eq!(with("'<f4'", "(-1,)"), "its shape is not a tuple of lengths");
        assert_eq!(with("'<f4'", "(99999999999, 99999999999)"), "its shape is too large");
        // Nothing is as long as one likes, in either order.
        for fortran in ["False", "True"] {
            let shape = format!("({0}, {0}, 0)", i64::MAX);
            let header = format!("{{'descr': '<f4', 'fortran_order': {fortran}, 'shape': {shape}, }}");
            assert_eq!(refused(&file(1, &header, &[])), "its shape is too large");
            for shape in [
                format!("({}, 0)", u64::MAX),
                format!("(2, {}, 0)", i64::MAX),
                format!("(0, {0}, {0})", i64::MAX),
            ] {
                let header = format!("{{'descr': '<f4', 'fortran_order': {fortran}, 'shape': {shape}, }}");
                assert_eq!(refused(&file(1, &header, &[])), "its shape is too large");
            }
            let header = header.replace(&shape, &format!("({}, 0)", i64::MAX));
            assert_eq!(Npy::parse(&file(1, &header, &[])).unwrap().shape, [i64::MAX as u64, 0]);
        }
        assert_eq!(
            refused(&file(1, "{'descr': '<f4', 'shape': ()}", &[])),
            "its header has no `fortran_order`"
        );
        assert_eq!(refused(&file(1, "[1, 2]", &[])), "its header is not a dictionary");
    }
}
