//! Memory of numbers, from Arrow's buffers and to them: shared where the device reads memory of the host, else copied.

use crate::fault::Outcome;
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};
use nestled_array::F16;
use nestled_nested::{Array, Typed};

/// A number that Arrow stores as we do: all but booleans, which are bits there.
pub(crate) trait Native: Typed {
    fn copied(numbers: Vec<Self>) -> Buffer;
}

macro_rules! native {
    ($($ty:ident)*) => {$(
        impl Native for $ty {
            fn copied(numbers: Vec<$ty>) -> Buffer {
                Buffer::from_vec(numbers)
            }
        }
    )*};
}

native!(i8 u8 i16 u16 i32 u32 i64 u64 f32 f64);

impl Native for F16 {
    fn copied(numbers: Vec<F16>) -> Buffer {
        Buffer::from_vec(numbers.into_iter().map(F16::to_bits).collect::<Vec<u16>>())
    }
}

/// The numbers of an array of primitives, where they lie.
pub(crate) fn numbers<T: Native>(array: &dyn arrow_array::Array) -> Outcome<Array<T>> {
    let (data, size) = (array.to_data(), size_of::<T>());
    let bytes = data.buffers()[0].slice_with_length(data.offset() * size, data.len() * size);
    shared(bytes)
}

/// The numbers of a buffer, where they lie.
pub(crate) fn shared<T: Native>(buffer: Buffer) -> Outcome<Array<T>> {
    Ok(Array::from_memory(buffer)?)
}

/// The buffer of an array's numbers, where they lie.
pub(crate) fn buffer<T: Native>(array: &Array<T>) -> Outcome<Buffer> {
    Ok(match array.memory()? {
        Some(memory) => Buffer::from(bytes::Bytes::from_owner(memory)),
        None => T::copied(array.to_vec()?),
    })
}

/// Truth values as one byte for each.
pub(crate) fn unpacked(bits: &BooleanBuffer) -> Array<bool> {
    Array::from_vec(bits.iter().collect())
}

/// The validity mask: true where an element is present. Without missing elements it is a constant, which takes no memory.
pub(crate) fn presence(nulls: Option<&NullBuffer>, length: usize) -> Array<bool> {
    match nulls.filter(|nulls| nulls.null_count() > 0) {
        Some(nulls) => unpacked(nulls.inner()),
        None => Array::fill(true, &[length]),
    }
}

/// Truth values as bits.
pub(crate) fn packed(array: &Array<bool>) -> Outcome<BooleanBuffer> {
    Ok(BooleanBuffer::from(array.to_vec()?))
}
