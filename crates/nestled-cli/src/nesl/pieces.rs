//! Elements of NumPy files to flat arrays and back, some at a time: so there is never twice as much of them.

use nestled_ir::ScalarType;
use nestled_ir::value::Buffer;
use nestled_rt::npy::Npy;
use std::io::Write;

/// The elements that some bytes are. These are given back while those are made.
pub fn buffer(bytes: Vec<u8>, elem: ScalarType) -> Buffer {
    match elem {
        ScalarType::Bool => Buffer::Bool(bytes.into_iter().map(|byte| byte != 0).collect()),
        ScalarType::U8 => Buffer::U8(bytes),
        ScalarType::I32 => Buffer::I32(elements(bytes, i32::from_le_bytes)),
        ScalarType::U32 => Buffer::U32(elements(bytes, u32::from_le_bytes)),
        ScalarType::I64 => Buffer::I64(elements(bytes, i64::from_le_bytes)),
        ScalarType::F16 => Buffer::F16(elements(bytes, u16::from_le_bytes)),
        ScalarType::F32 => Buffer::F32(elements(bytes, f32::from_le_bytes)),
        ScalarType::F64 => Buffer::F64(elements(bytes, f64::from_le_bytes)),
        ScalarType::Idx => Buffer::Idx(elements(bytes, i64::from_le_bytes)),
    }
}

fn elements<const N: usize, T: Clone + Default>(mut bytes: Vec<u8>, read: impl Fn([u8; N]) -> T) -> Vec<T> {
    const PIECE: usize = 1 << 20;
    // Memory is taken where it is written.
    let mut elements = vec![T::default(); bytes.len() / N];
    let mut end = elements.len();
    while end > 0 {
        let start = end.saturating_sub(PIECE);
        let (chunks, _) = bytes[start * N..end * N].as_chunks::<N>();
        for (element, chunk) in elements[start..end].iter_mut().zip(chunks) {
            *element = read(*chunk);
        }
        bytes.truncate(start * N);
        bytes.shrink_to_fit();
        end = start;
    }
    elements
}

/// Writes an `.npy` file with these elements.
pub fn write(shape: &[u64], elements: &Buffer, out: &mut dyn Write) -> std::io::Result<()> {
    let elem = if elements.elem() == ScalarType::Idx { ScalarType::I64 } else { elements.elem() };
    out.write_all(&Npy { elem, shape: shape.to_vec(), bytes: Vec::new() }.header())?;
    match elements {
        Buffer::Bool(truths) => all(truths, out, |truth| [u8::from(truth)]),
        Buffer::U8(bytes) => out.write_all(bytes),
        Buffer::I32(numbers) => all(numbers, out, i32::to_le_bytes),
        Buffer::U32(numbers) => all(numbers, out, u32::to_le_bytes),
        Buffer::I64(numbers) | Buffer::Idx(numbers) => all(numbers, out, i64::to_le_bytes),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_come_back() {
        let numbers: Vec<i64> = (0..(1 << 21) + 3).map(|at| at * at - 7).collect();
        let mut file = Vec::new();
        write(&[numbers.len() as u64], &Buffer::I64(numbers.clone()), &mut file).unwrap();
        let array = Npy::parse(&file).unwrap();
        assert_eq!(array.shape, [numbers.len() as u64]);
        let Buffer::I64(found) = buffer(array.bytes, ScalarType::I64) else { panic!() };
        assert_eq!(found, numbers);
        let Buffer::Bool(truths) = buffer(vec![0, 1, 2], ScalarType::Bool) else { panic!() };
        assert_eq!(truths, [false, true, true]);
    }
}
