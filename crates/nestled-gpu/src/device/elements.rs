//! Encoding of elements as words of a machine's memory, whose bytes are those of a processor with little-endian order.

use bytemuck::{NoUninit, cast_slice, cast_slice_mut, pod_collect_to_vec};
use nestled_ir::ScalarType;
use nestled_ir::value::Buffer;

/// Encodes elements as words; the last word is padded with zeros.
pub(super) fn to_words(data: &Buffer) -> Vec<u32> {
    match data {
        Buffer::Bool(data) => narrow_to_words(data),
        Buffer::I8(data) => narrow_to_words(data),
        Buffer::U8(data) => narrow_to_words(data),
        Buffer::I16(data) => narrow_to_words(data),
        Buffer::U16(data) | Buffer::F16(data) => narrow_to_words(data),
        Buffer::I32(data) => cast_slice(data).to_vec(),
        Buffer::U32(data) => data.clone(),
        Buffer::F32(data) => cast_slice(data).to_vec(),
        Buffer::I64(data) | Buffer::Idx(data) => cast_slice(data).to_vec(),
        Buffer::U64(data) => cast_slice(data).to_vec(),
        Buffer::F64(data) => cast_slice(data).to_vec(),
    }
}

fn narrow_to_words<T: NoUninit>(data: &[T]) -> Vec<u32> {
    let bytes: &[u8] = cast_slice(data);
    let mut words = vec![0; bytes.len().div_ceil(4)];
    cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
    words
}

/// Decodes some elements after `skip` bytes.
pub(super) fn from_words(elem: ScalarType, data: &[u32], skip: usize, len: usize) -> Buffer {
    let bytes = || &cast_slice::<u32, u8>(data)[skip..skip + len];
    let halves = || &cast_slice::<u32, u16>(data)[skip / 2..skip / 2 + len];
    let wide = &data[..data.len() / 2 * 2];
    match elem {
        ScalarType::Bool => Buffer::Bool(bytes().iter().map(|&x| x != 0).collect()),
        ScalarType::I8 => Buffer::I8(cast_slice(bytes()).to_vec()),
        ScalarType::U8 => Buffer::U8(bytes().to_vec()),
        ScalarType::I16 => Buffer::I16(cast_slice(halves()).to_vec()),
        ScalarType::U16 => Buffer::U16(halves().to_vec()),
        ScalarType::F16 => Buffer::F16(halves().to_vec()),
        ScalarType::I32 => Buffer::I32(cast_slice(data).to_vec()),
        ScalarType::U32 => Buffer::U32(data.to_vec()),
        ScalarType::F32 => Buffer::F32(cast_slice(data).to_vec()),
        // Words are not aligned as elements of eight bytes are.
        ScalarType::I64 => Buffer::I64(pod_collect_to_vec(wide)),
        ScalarType::U64 => Buffer::U64(pod_collect_to_vec(wide)),
        ScalarType::Idx => Buffer::Idx(pod_collect_to_vec(wide)),
        ScalarType::F64 => Buffer::F64(pod_collect_to_vec(wide)),
    }
}
