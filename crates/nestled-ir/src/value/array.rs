//! Arrays: typed element buffers with a shape.

use super::layout::Layout;
use super::segmentation::{AxisValue, count_points};
use crate::scalar::{Scalar, ScalarType};
use std::sync::Arc;

/// An array of rank 1 or more.
#[derive(Clone, Debug)]
pub struct Array {
    /// The type of each element.
    pub elem: ScalarType,
    /// The shape; a segmentation only first.
    pub shape: Vec<AxisValue>,
    /// For a view, the start of each segment in the buffer. Only for a shape that is one segmentation.
    pub starts: Option<Arc<[i64]>>,
    /// The elements, of type `elem`; of a dense array as many as the shape has points.
    pub data: Arc<Buffer>,
}

/// Elements of one type, one after another.
#[derive(Clone, Debug)]
pub enum Buffer {
    /// Truth values.
    Bool(Vec<bool>),
    /// Signed 8-bit integers.
    I8(Vec<i8>),
    /// Small unsigned integers, or characters.
    U8(Vec<u8>),
    /// Signed 16-bit integers.
    I16(Vec<i16>),
    /// Unsigned 16-bit integers.
    U16(Vec<u16>),
    /// Signed 32-bit integers.
    I32(Vec<i32>),
    /// Unsigned 32-bit integers.
    U32(Vec<u32>),
    /// Signed 64-bit integers.
    I64(Vec<i64>),
    /// Unsigned 64-bit integers.
    U64(Vec<u64>),
    /// The bits of binary16 numbers.
    F16(Vec<u16>),
    /// Binary32 numbers.
    F32(Vec<f32>),
    /// Binary64 numbers.
    F64(Vec<f64>),
    /// Indices.
    Idx(Vec<i64>),
}

/// Instantiates an expression for every variant of a buffer.
macro_rules! each_buffer {
    ($buffer:expr, $vec:ident => $body:expr) => {
        match $buffer {
            Buffer::Bool($vec) => $body,
            Buffer::I8($vec) => $body,
            Buffer::U8($vec) => $body,
            Buffer::I16($vec) => $body,
            Buffer::U16($vec) => $body,
            Buffer::I32($vec) => $body,
            Buffer::U32($vec) => $body,
            Buffer::I64($vec) => $body,
            Buffer::U64($vec) => $body,
            Buffer::F16($vec) => $body,
            Buffer::F32($vec) => $body,
            Buffer::F64($vec) => $body,
            Buffer::Idx($vec) => $body,
        }
    };
}

/// Bytes of allocated margin behind the elements: a device may read them, with any contents, when memory is lent to it.
pub const MARGIN: usize = 256;

impl Buffer {
    /// `len` zeros, and room for [`MARGIN`] behind them.
    pub fn with_margin(elem: ScalarType, len: usize) -> Buffer {
        let mut buffer = Buffer::zeroed(elem, len + MARGIN / elem.size());
        each_buffer!(&mut buffer, vec => vec.truncate(len));
        buffer
    }

    /// Bytes of memory that are its own, from the first element on.
    pub fn capacity(&self) -> usize {
        each_buffer!(self, vec => vec.capacity()) * self.elem().size()
    }

    /// Address of the first element.
    pub fn start(&self) -> *const u8 {
        each_buffer!(self, vec => vec.as_ptr().cast())
    }

    /// Writes elements of the same type from one place on.
    ///
    /// # Panics
    /// If they are of another type, or too many.
    pub fn put(&mut self, at: usize, part: &Buffer) {
        match (self, part) {
            (Buffer::Bool(vec), Buffer::Bool(part)) => vec[at..at + part.len()].copy_from_slice(part),
            (Buffer::I8(vec), Buffer::I8(part)) => vec[at..at + part.len()].copy_from_slice(part),
            (Buffer::U8(vec), Buffer::U8(part)) => vec[at..at + part.len()].copy_from_slice(part),
            (Buffer::I16(vec), Buffer::I16(part)) => vec[at..at + part.len()].copy_from_slice(part),
            (Buffer::U16(vec), Buffer::U16(part)) => vec[at..at + part.len()].copy_from_slice(part),
            (Buffer::I32(vec), Buffer::I32(part)) => vec[at..at + part.len()].copy_from_slice(part),
            (Buffer::U32(vec), Buffer::U32(part)) => vec[at..at + part.len()].copy_from_slice(part),
            (Buffer::I64(vec), Buffer::I64(part)) => vec[at..at + part.len()].copy_from_slice(part),
            (Buffer::U64(vec), Buffer::U64(part)) => vec[at..at + part.len()].copy_from_slice(part),
            (Buffer::F16(vec), Buffer::F16(part)) => vec[at..at + part.len()].copy_from_slice(part),
            (Buffer::F32(vec), Buffer::F32(part)) => vec[at..at + part.len()].copy_from_slice(part),
            (Buffer::F64(vec), Buffer::F64(part)) => vec[at..at + part.len()].copy_from_slice(part),
            (Buffer::Idx(vec), Buffer::Idx(part)) => vec[at..at + part.len()].copy_from_slice(part),
            (buffer, part) => panic!("{} in a buffer of {}", part.elem(), buffer.elem()),
        }
    }

    /// `len` zeros.
    pub fn zeroed(elem: ScalarType, len: usize) -> Buffer {
        match elem {
            ScalarType::Bool => Buffer::Bool(vec![false; len]),
            ScalarType::I8 => Buffer::I8(vec![0; len]),
            ScalarType::U8 => Buffer::U8(vec![0; len]),
            ScalarType::I16 => Buffer::I16(vec![0; len]),
            ScalarType::U16 => Buffer::U16(vec![0; len]),
            ScalarType::I32 => Buffer::I32(vec![0; len]),
            ScalarType::U32 => Buffer::U32(vec![0; len]),
            ScalarType::I64 => Buffer::I64(vec![0; len]),
            ScalarType::U64 => Buffer::U64(vec![0; len]),
            ScalarType::F16 => Buffer::F16(vec![0; len]),
            ScalarType::F32 => Buffer::F32(vec![0.0; len]),
            ScalarType::F64 => Buffer::F64(vec![0.0; len]),
            ScalarType::Idx => Buffer::Idx(vec![0; len]),
        }
    }

    /// A buffer of these elements, all of type `elem`.
    pub fn from_scalars(elem: ScalarType, scalars: &[Scalar]) -> Buffer {
        let mut buffer = Buffer::zeroed(elem, 0);
        scalars.iter().for_each(|&scalar| buffer.push(scalar));
        buffer
    }

    /// The type of its elements.
    pub fn elem(&self) -> ScalarType {
        match self {
            Buffer::Bool(_) => ScalarType::Bool,
            Buffer::I8(_) => ScalarType::I8,
            Buffer::U8(_) => ScalarType::U8,
            Buffer::I16(_) => ScalarType::I16,
            Buffer::U16(_) => ScalarType::U16,
            Buffer::I32(_) => ScalarType::I32,
            Buffer::U32(_) => ScalarType::U32,
            Buffer::I64(_) => ScalarType::I64,
            Buffer::U64(_) => ScalarType::U64,
            Buffer::F16(_) => ScalarType::F16,
            Buffer::F32(_) => ScalarType::F32,
            Buffer::F64(_) => ScalarType::F64,
            Buffer::Idx(_) => ScalarType::Idx,
        }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        each_buffer!(self, vec => vec.len())
    }

    /// True if it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One element, which must exist.
    pub fn get(&self, at: usize) -> Scalar {
        match self {
            Buffer::Bool(vec) => Scalar::Bool(vec[at]),
            Buffer::I8(vec) => Scalar::I8(vec[at]),
            Buffer::U8(vec) => Scalar::U8(vec[at]),
            Buffer::I16(vec) => Scalar::I16(vec[at]),
            Buffer::U16(vec) => Scalar::U16(vec[at]),
            Buffer::I32(vec) => Scalar::I32(vec[at]),
            Buffer::U32(vec) => Scalar::U32(vec[at]),
            Buffer::I64(vec) => Scalar::I64(vec[at]),
            Buffer::U64(vec) => Scalar::U64(vec[at]),
            Buffer::F16(vec) => Scalar::F16(vec[at]),
            Buffer::F32(vec) => Scalar::F32(vec[at]),
            Buffer::F64(vec) => Scalar::F64(vec[at]),
            Buffer::Idx(vec) => Scalar::Idx(vec[at]),
        }
    }

    /// Changes one element, which must exist.
    ///
    /// # Panics
    /// If the scalar has another type.
    pub fn set(&mut self, at: usize, scalar: Scalar) {
        match (self, scalar) {
            (Buffer::Bool(vec), Scalar::Bool(value)) => vec[at] = value,
            (Buffer::I8(vec), Scalar::I8(value)) => vec[at] = value,
            (Buffer::U8(vec), Scalar::U8(value)) => vec[at] = value,
            (Buffer::I16(vec), Scalar::I16(value)) => vec[at] = value,
            (Buffer::U16(vec), Scalar::U16(value)) => vec[at] = value,
            (Buffer::I32(vec), Scalar::I32(value)) => vec[at] = value,
            (Buffer::U32(vec), Scalar::U32(value)) => vec[at] = value,
            (Buffer::I64(vec), Scalar::I64(value)) => vec[at] = value,
            (Buffer::U64(vec), Scalar::U64(value)) => vec[at] = value,
            (Buffer::F16(vec), Scalar::F16(value)) => vec[at] = value,
            (Buffer::F32(vec), Scalar::F32(value)) => vec[at] = value,
            (Buffer::F64(vec), Scalar::F64(value)) => vec[at] = value,
            (Buffer::Idx(vec), Scalar::Idx(value)) => vec[at] = value,
            (buffer, scalar) => panic!("a {} in a buffer of {}", scalar.ty(), buffer.elem()),
        }
    }

    /// Appends an element.
    ///
    /// # Panics
    /// If the scalar has another type.
    pub fn push(&mut self, scalar: Scalar) {
        match (self, scalar) {
            (Buffer::Bool(vec), Scalar::Bool(value)) => vec.push(value),
            (Buffer::I8(vec), Scalar::I8(value)) => vec.push(value),
            (Buffer::U8(vec), Scalar::U8(value)) => vec.push(value),
            (Buffer::I16(vec), Scalar::I16(value)) => vec.push(value),
            (Buffer::U16(vec), Scalar::U16(value)) => vec.push(value),
            (Buffer::I32(vec), Scalar::I32(value)) => vec.push(value),
            (Buffer::U32(vec), Scalar::U32(value)) => vec.push(value),
            (Buffer::I64(vec), Scalar::I64(value)) => vec.push(value),
            (Buffer::U64(vec), Scalar::U64(value)) => vec.push(value),
            (Buffer::F16(vec), Scalar::F16(value)) => vec.push(value),
            (Buffer::F32(vec), Scalar::F32(value)) => vec.push(value),
            (Buffer::F64(vec), Scalar::F64(value)) => vec.push(value),
            (Buffer::Idx(vec), Scalar::Idx(value)) => vec.push(value),
            (buffer, scalar) => panic!("a {} in a buffer of {}", scalar.ty(), buffer.elem()),
        }
    }

    /// The elements `from..to` in a buffer of their own.
    pub fn slice(&self, from: usize, to: usize) -> Buffer {
        match self {
            Buffer::Bool(vec) => Buffer::Bool(vec[from..to].to_vec()),
            Buffer::I8(vec) => Buffer::I8(vec[from..to].to_vec()),
            Buffer::U8(vec) => Buffer::U8(vec[from..to].to_vec()),
            Buffer::I16(vec) => Buffer::I16(vec[from..to].to_vec()),
            Buffer::U16(vec) => Buffer::U16(vec[from..to].to_vec()),
            Buffer::I32(vec) => Buffer::I32(vec[from..to].to_vec()),
            Buffer::U32(vec) => Buffer::U32(vec[from..to].to_vec()),
            Buffer::I64(vec) => Buffer::I64(vec[from..to].to_vec()),
            Buffer::U64(vec) => Buffer::U64(vec[from..to].to_vec()),
            Buffer::F16(vec) => Buffer::F16(vec[from..to].to_vec()),
            Buffer::F32(vec) => Buffer::F32(vec[from..to].to_vec()),
            Buffer::F64(vec) => Buffer::F64(vec[from..to].to_vec()),
            Buffer::Idx(vec) => Buffer::Idx(vec[from..to].to_vec()),
        }
    }

    /// The bytes that the elements take.
    pub fn size(&self) -> u64 {
        self.len() as u64 * self.elem().size() as u64
    }
}

impl Array {
    /// A dense array.
    ///
    /// # Panics
    /// If the buffer does not have one element for each point of the shape.
    pub fn dense(shape: Vec<AxisValue>, data: impl Into<Arc<Buffer>>) -> Array {
        let data = data.into();
        assert_eq!(count_points(&shape), data.len() as u64, "a dense array has an element for each point");
        Array { elem: data.elem(), shape, starts: None, data }
    }

    /// A dense array of rank 1.
    pub fn vector(data: impl Into<Arc<Buffer>>) -> Array {
        let data = data.into();
        Array { elem: data.elem(), shape: vec![AxisValue::Extent(data.len() as u64)], starts: None, data }
    }

    /// A text, or other bytes: `[_]u8`.
    pub fn bytes(bytes: &[u8]) -> Array {
        Array::vector(Buffer::U8(bytes.to_vec()))
    }

    /// The number of elements.
    pub fn points(&self) -> u64 {
        count_points(&self.shape)
    }

    /// True if the buffer has an element for each point, and the shape is one that an array can have.
    pub fn is_valid(&self) -> bool {
        let is_shape = !self.shape.is_empty()
            && self.shape.iter().enumerate().all(|(position, axis)| {
                axis.is_valid() && (position == 0 || matches!(axis, AxisValue::Extent(_)))
            });
        let len = self.data.len() as u64;
        is_shape
            && self.data.elem() == self.elem
            && match (&self.starts, self.shape.as_slice()) {
                (None, _) => self.points() == len,
                (Some(starts), [AxisValue::Seg(seg)]) => {
                    starts.len() as u64 == seg.n_segments()
                        && starts
                            .iter()
                            .enumerate()
                            .all(|(segment, &start)| seg.lengths.fits(segment as u64, start, len))
                }
                (Some(_), _) => false,
            }
    }

    /// The map from coordinates to positions in the buffer.
    pub fn layout(&self) -> Layout {
        match (&self.starts, self.shape.first()) {
            (Some(starts), Some(AxisValue::Seg(seg))) => Layout::view(seg, starts),
            _ => Layout::new(&self.shape),
        }
    }

    /// The elements in the order of their coordinates.
    pub fn elements(&self) -> Box<dyn Iterator<Item = Scalar> + '_> {
        match (&self.starts, self.shape.first()) {
            (Some(starts), Some(AxisValue::Seg(seg))) => {
                Box::new(starts.iter().enumerate().flat_map(move |(segment, &start)| {
                    let length = seg.lengths.length(segment as u64) as usize;
                    (start as usize..start as usize + length).map(|at| self.data.get(at))
                }))
            }
            _ => Box::new((0..self.data.len()).map(|at| self.data.get(at))),
        }
    }

    /// The dense array with the same elements; copies only views.
    pub fn to_dense(&self) -> Array {
        if self.starts.is_none() {
            return self.clone();
        }
        let mut data = Buffer::zeroed(self.elem, 0);
        self.elements().for_each(|element| data.push(element));
        Array { elem: self.elem, shape: self.shape.clone(), starts: None, data: Arc::new(data) }
    }

    /// The elements of an array of bytes.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match (&*self.data, &self.starts) {
            (Buffer::U8(bytes), None) => Some(bytes),
            _ => None,
        }
    }
}

/// The exact value of a binary16 from its bits.
pub fn f16_to_f64(bits: u16) -> f64 {
    let sign = if bits & 0x8000 != 0 { -1.0 } else { 1.0 };
    let exponent = i32::from(bits >> 10 & 0x1f);
    let fraction = f64::from(bits & 0x3ff);
    match exponent {
        0 => sign * fraction * 2f64.powi(-24),
        0x1f if fraction == 0.0 => sign * f64::INFINITY,
        0x1f => f64::NAN,
        _ => sign * (1024.0 + fraction) * 2f64.powi(exponent - 25),
    }
}

/// The bits of the nearest binary16, ties to even.
pub fn f16_from_f64(value: f64) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let magnitude = value.abs();
    if value.is_nan() {
        return 0x7e00;
    }
    // 65520 lies half way between the greatest finite number and the next power of two, which is even.
    if magnitude >= 65520.0 {
        return sign | 0x7c00;
    }
    // The exponent of the unit in the last place, so that scaling by it is exact.
    let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(-14) - 10;
    let units = (magnitude * 2f64.powi(-exponent)).round_ties_even() as u16;
    // A carry out of the fraction moves into the exponent field by itself.
    sign | if units < 1024 { units } else { (((exponent + 25) as u16) << 10) + (units - 1024) }
}
