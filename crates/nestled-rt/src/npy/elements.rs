//! Streams the elements of an `.npy` file into an array, a block at a time, and transposes Fortran order to C order.
//!
//! In Fortran order the first axis is the fastest: the file holds whole columns, one after another. A block of columns is written row by
//! row, so that neighbours in memory are written together.

use super::early;
use super::header::Header;
use nestled_ir::ScalarType;
use nestled_ir::value::{Buffer, MARGIN, f16_to_f64};
use std::io::Read;

/// Bytes of a block.
const BLOCK: usize = 1 << 20;

/// In which order a file has its elements.
pub(super) struct Order {
    count: usize,
    big_endian: bool,
    /// In Fortran order the extents.
    columns: Option<Vec<usize>>,
}

impl Order {
    pub(super) fn new(header: &Header, count: usize) -> Order {
        let turned = header.fortran && header.shape.len() > 1 && count > 0;
        let columns = turned.then(|| header.shape.iter().map(|&extent| extent as usize).collect());
        Order { count, big_endian: header.big_endian, columns }
    }
}

/// Reads elements that are stored so as such.
pub(super) fn read(
    input: &mut dyn Read,
    order: &Order,
    (stored, elem): (ScalarType, ScalarType),
) -> Result<Buffer, String> {
    use ScalarType as To;
    let all = Elements { input, order };
    Ok(match (stored, elem) {
        (To::Bool, To::Bool) => Buffer::Bool(all.read(|[byte]| Some(byte != 0))?),
        (To::I8, To::I8) => Buffer::I8(all.same(i8::from_le_bytes)?),
        (To::U8, To::U8) => Buffer::U8(all.bytes()?),
        (To::I16, To::I16) => Buffer::I16(all.same(i16::from_le_bytes)?),
        (To::U16, To::U16) => Buffer::U16(all.same(u16::from_le_bytes)?),
        (To::I32, To::I32) => Buffer::I32(all.same(i32::from_le_bytes)?),
        (To::U32, To::U32) => Buffer::U32(all.same(u32::from_le_bytes)?),
        (To::I64, To::I64) => Buffer::I64(all.same(i64::from_le_bytes)?),
        (To::U64, To::U64) => Buffer::U64(all.same(u64::from_le_bytes)?),
        (To::I64, To::Idx) => Buffer::Idx(all.same(i64::from_le_bytes)?),
        (To::F16, To::F16) => Buffer::F16(all.same(u16::from_le_bytes)?),
        (To::F32, To::F32) => Buffer::F32(all.same(f32::from_le_bytes)?),
        (To::F64, To::F64) => Buffer::F64(all.same(f64::from_le_bytes)?),
        (To::Bool, To::I64) => Buffer::I64(all.same(|[byte]: [u8; 1]| i64::from(byte != 0))?),
        (To::U8, To::I64) => Buffer::I64(all.same(|[byte]: [u8; 1]| i64::from(byte))?),
        (To::I8, To::I64) => Buffer::I64(all.same(|bytes| i64::from(i8::from_le_bytes(bytes)))?),
        (To::I16, To::I64) => Buffer::I64(all.same(|bytes| i64::from(i16::from_le_bytes(bytes)))?),
        (To::U16, To::I64) => Buffer::I64(all.same(|bytes| i64::from(u16::from_le_bytes(bytes)))?),
        (To::I32, To::I64) => Buffer::I64(all.same(|bytes| i64::from(i32::from_le_bytes(bytes)))?),
        (To::U32, To::I64) => Buffer::I64(all.same(|bytes| i64::from(u32::from_le_bytes(bytes)))?),
        (To::U64, To::I64) => Buffer::I64(all.read(|bytes| i64::try_from(u64::from_le_bytes(bytes)).ok())?),
        (To::F16, To::F64) => Buffer::F64(all.same(|bytes| f16_to_f64(u16::from_le_bytes(bytes)))?),
        (To::F32, To::F64) => Buffer::F64(all.same(|bytes| f64::from(f32::from_le_bytes(bytes)))?),
        (stored, elem) => return Err(format!("it holds `{stored}`, which is not read as `{elem}`")),
    })
}

struct Elements<'a> {
    input: &'a mut dyn Read,
    order: &'a Order,
}

impl Elements<'_> {
    /// Bytes in C order need not be looked at.
    fn bytes(self) -> Result<Vec<u8>, String> {
        if self.order.columns.is_some() {
            return self.same(|[byte]: [u8; 1]| byte);
        }
        let mut bytes = zeros(self.order.count);
        self.input.read_exact(&mut bytes).map_err(early)?;
        Ok(bytes)
    }

    fn same<const N: usize, T: Copy + Default>(self, read: impl Fn([u8; N]) -> T) -> Result<Vec<T>, String> {
        self.read(|bytes| Some(read(bytes)))
    }

    /// Reads all elements, of `N` bytes each, and converts them.
    fn read<const N: usize, T: Copy + Default>(
        self,
        read: impl Fn([u8; N]) -> Option<T>,
    ) -> Result<Vec<T>, String> {
        let Order { count, big_endian, columns } = self.order;
        let mut elements = zeros(*count);
        let most = BLOCK / N;
        let mut block = vec![[0; N]; most.min(*count)];
        let mut done = 0;
        while done < *count {
            let part = match columns {
                None => most.min(count - done),
                Some(shape) => columns_at(shape, done, most, *count),
            };
            let part = &mut block[..part];
            self.input.read_exact(part.as_flattened_mut()).map_err(early)?;
            if *big_endian {
                part.iter_mut().for_each(|bytes| bytes.reverse());
            }
            match columns {
                None => row(&mut elements[done..done + part.len()], part, &read)?,
                Some(shape) => turn(&mut elements, (shape, done), part, &read)?,
            }
            done += part.len();
        }
        Ok(elements)
    }
}

/// Zeros with a margin. Memory is taken where it is written, in huge pages if it is large.
fn zeros<T: Copy + Default>(count: usize) -> Vec<T> {
    let mut zeros = vec![T::default(); count + MARGIN / size_of::<T>()];
    zeros.truncate(count);
    nestled_pages::prefer_huge(zeros.as_ptr().cast(), size_of_val(zeros.as_slice()));
    zeros
}

fn row<const N: usize, T>(
    places: &mut [T],
    block: &[[u8; N]],
    read: &impl Fn([u8; N]) -> Option<T>,
) -> Result<(), String> {
    for (place, bytes) in places.iter_mut().zip(block) {
        *place = read(*bytes).ok_or_else(|| too_large(bytes))?;
    }
    Ok(())
}

/// Number of elements of the next block in Fortran order: whole columns, or a part of one long column.
fn columns_at(shape: &[usize], done: usize, most: usize, count: usize) -> usize {
    let rows = shape[0];
    if rows > most { most.min(rows - done % rows) } else { (most / rows * rows).min(count - done) }
}

/// Puts columns, or a part of one, to their places.
fn turn<const N: usize, T: Copy>(
    elements: &mut [T],
    (shape, done): (&[usize], usize),
    block: &[[u8; N]],
    read: &impl Fn([u8; N]) -> Option<T>,
) -> Result<(), String> {
    let (all_rows, width) = (shape[0], elements.len() / shape[0]);
    let rows = block.len().min(all_rows);
    let columns: Vec<usize> =
        (0..block.len() / rows).map(|column| place_of(&shape[1..], done / all_rows + column)).collect();
    for row in 0..rows {
        let line = &mut elements[(done % all_rows + row) * width..][..width];
        for (number, column) in columns.iter().enumerate() {
            let bytes = &block[number * rows + row];
            line[*column] = read(*bytes).ok_or_else(|| too_large(bytes))?;
        }
    }
    Ok(())
}

/// Index in C order of a column, given its index in Fortran order.
fn place_of(shape: &[usize], mut column: usize) -> usize {
    let (mut place, mut stride) = (0, shape.iter().product::<usize>());
    for &extent in shape {
        stride /= extent;
        place += column % extent * stride;
        column /= extent;
    }
    place
}

fn too_large(bytes: &[u8]) -> String {
    let digits = bytes.iter().rev().fold(0u128, |number, byte| number << 8 | u128::from(*byte));
    format!("{digits} in it is beyond `int`, which ends at {}; convert it with `.astype('f8')`", i64::MAX)
}
