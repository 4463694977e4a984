//! Writes arrays as `.npy` files, a block of elements at a time.

use super::MAGIC;
use nestled_ir::ScalarType;
use nestled_ir::value::Buffer;
use std::fmt::Write as _;
use std::io::Write;

/// The bytes of a file before its elements: mark, version and header.
pub fn header(shape: &[u64], elem: ScalarType) -> Vec<u8> {
    let mut extents = String::new();
    for extent in shape {
        let _ = write!(extents, "{extent}, ");
    }
    let extents = if shape.len() == 1 { extents.trim_end() } else { extents.trim_end_matches(", ") };
    let mut header =
        format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({extents}), }}", descr(elem));
    // The data begins at a multiple of 64; the header ends with a line break.
    let length = (MAGIC.len() + 4 + header.len() + 1).next_multiple_of(64) - MAGIC.len() - 4;
    header.push_str(&" ".repeat(length - header.len() - 1));
    header.push('\n');
    [MAGIC, &[1, 0], &(header.len() as u16).to_le_bytes(), header.as_bytes()].concat()
}

/// NumPy's name of a type. Indices are stored as 64-bit integers.
pub(super) fn descr(elem: ScalarType) -> &'static str {
    match elem {
        ScalarType::Bool => "|b1",
        ScalarType::I8 => "|i1",
        ScalarType::U8 => "|u1",
        ScalarType::I16 => "<i2",
        ScalarType::U16 => "<u2",
        ScalarType::I32 => "<i4",
        ScalarType::U32 => "<u4",
        ScalarType::I64 | ScalarType::Idx => "<i8",
        ScalarType::U64 => "<u8",
        ScalarType::F16 => "<f2",
        ScalarType::F32 => "<f4",
        ScalarType::F64 => "<f8",
    }
}

/// Writes a file with these elements.
///
/// # Errors
/// Those of the writer.
pub fn write(shape: &[u64], elements: &Buffer, out: &mut dyn Write) -> std::io::Result<()> {
    out.write_all(&header(shape, elements.elem()))?;
    match elements {
        Buffer::Bool(truths) => all(truths, out, |truth| [u8::from(truth)]),
        Buffer::I8(numbers) => all(numbers, out, i8::to_le_bytes),
        Buffer::U8(bytes) => out.write_all(bytes),
        Buffer::I16(numbers) => all(numbers, out, i16::to_le_bytes),
        Buffer::U16(numbers) => all(numbers, out, u16::to_le_bytes),
        Buffer::I32(numbers) => all(numbers, out, i32::to_le_bytes),
        Buffer::U32(numbers) => all(numbers, out, u32::to_le_bytes),
        Buffer::I64(numbers) | Buffer::Idx(numbers) => all(numbers, out, i64::to_le_bytes),
        Buffer::U64(numbers) => all(numbers, out, u64::to_le_bytes),
        Buffer::F16(bits) => all(bits, out, u16::to_le_bytes),
        Buffer::F32(numbers) => all(numbers, out, f32::to_le_bytes),
        Buffer::F64(numbers) => all(numbers, out, f64::to_le_bytes),
    }
}

fn all<const N: usize, T: Copy>(
    elements: &[T],
    out: &mut dyn Write,
    write: impl Fn(T) -> [u8; N],
) -> std::io::Result<()> {
    const PIECE: usize = 1 << 16;
    let mut bytes = vec![[0; N]; elements.len().min(PIECE)];
    elements.chunks(PIECE).try_for_each(|piece| {
        bytes.iter_mut().zip(piece).for_each(|(place, element)| *place = write(*element));
        out.write_all(bytes[..piece.len()].as_flattened())
    })
}
