//! Encoding of elements as words of a machine's memory.

use crate::repr::scalar_words;
use nestled_ir::value::Buffer;
use nestled_ir::{Scalar, ScalarType};

/// Encodes elements as words; the last word is padded with zeros.
pub(super) fn to_words(data: &Buffer) -> Vec<u32> {
    match data {
        Buffer::Bool(_)
        | Buffer::I8(_)
        | Buffer::U8(_)
        | Buffer::I16(_)
        | Buffer::U16(_)
        | Buffer::F16(_) => {
            let mut bytes = vec![0; data.size().next_multiple_of(4) as usize];
            put_bytes(data, &mut bytes[..data.size() as usize]);
            bytes_to_words(&bytes)
        }
        Buffer::I32(data) => data.iter().map(|&x| x as u32).collect(),
        Buffer::U32(data) => data.clone(),
        Buffer::F32(data) => data.iter().map(|x| x.to_bits()).collect(),
        Buffer::I64(data) | Buffer::Idx(data) => {
            data.iter().flat_map(|&x| scalar_words(Scalar::I64(x))).collect()
        }
        Buffer::U64(data) => data.iter().flat_map(|&x| scalar_words(Scalar::U64(x))).collect(),
        Buffer::F64(data) => data.iter().flat_map(|&x| scalar_words(Scalar::F64(x))).collect(),
    }
}

/// Encodes elements as bytes; `into` has exactly the right size.
fn put_bytes(data: &Buffer, into: &mut [u8]) {
    match data {
        Buffer::Bool(data) => into.iter_mut().zip(data).for_each(|(to, &x)| *to = u8::from(x)),
        Buffer::I8(data) => into.iter_mut().zip(data).for_each(|(to, &x)| *to = x as u8),
        Buffer::U8(data) => into.copy_from_slice(data),
        Buffer::I16(data) => {
            into.chunks_exact_mut(2).zip(data).for_each(|(to, x)| to.copy_from_slice(&x.to_le_bytes()));
        }
        Buffer::U16(data) | Buffer::F16(data) => {
            into.chunks_exact_mut(2).zip(data).for_each(|(to, x)| to.copy_from_slice(&x.to_le_bytes()));
        }
        wide => {
            let words = to_words(wide);
            into.chunks_exact_mut(4).zip(words).for_each(|(to, x)| to.copy_from_slice(&x.to_le_bytes()));
        }
    }
}

fn bytes_to_words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

/// Decodes some elements after `skip` bytes.
pub(super) fn from_words(elem: ScalarType, data: &[u32], skip: usize, len: usize) -> Buffer {
    let each = || data.iter().flat_map(|word| word.to_le_bytes()).skip(skip);
    let halves = || {
        let halves = data.iter().flat_map(|&word| [word as u16, (word >> 16) as u16]);
        halves.skip(skip / 2).take(len)
    };
    let wide = || data.chunks_exact(2).map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32);
    match elem {
        ScalarType::Bool => Buffer::Bool(each().take(len).map(|x| x != 0).collect()),
        ScalarType::I8 => Buffer::I8(each().take(len).map(|x| x as i8).collect()),
        ScalarType::U8 => Buffer::U8(each().take(len).collect()),
        ScalarType::I16 => Buffer::I16(halves().map(|x| x as i16).collect()),
        ScalarType::U16 => Buffer::U16(halves().collect()),
        ScalarType::F16 => Buffer::F16(halves().collect()),
        ScalarType::I32 => Buffer::I32(data.iter().map(|&x| x as i32).collect()),
        ScalarType::U32 => Buffer::U32(data.to_vec()),
        ScalarType::F32 => Buffer::F32(data.iter().map(|&x| f32::from_bits(x)).collect()),
        ScalarType::I64 => Buffer::I64(wide().map(|x| x as i64).collect()),
        ScalarType::U64 => Buffer::U64(wide().collect()),
        ScalarType::Idx => Buffer::Idx(wide().map(|x| x as i64).collect()),
        ScalarType::F64 => Buffer::F64(wide().map(f64::from_bits).collect()),
    }
}
