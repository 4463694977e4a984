//! Prints values: `1.5`, `[1, 2, 3]`, nested data as `[[1, 2], [], [3]]`.
//!
//! Printed numbers read back to the same bits (all NaNs as `nan`).

use super::array::f16_to_f64;
use super::layout::Layout;
use super::{Array, AxisValue, Buffer, Value};
use crate::scalar::Scalar;
use std::fmt::{self, Write};
use std::sync::Arc;

/// Prints a value with a limited number of entries per list: the first ones, `…`, and the last ones.
#[derive(Clone, Copy, Debug)]
pub struct Abridged<'a> {
    /// The value to print.
    pub value: &'a Value,
    /// The most entries of one list that are printed; at least 2.
    pub entries: u64,
}

/// Adds a value to a line as the command `print` writes it: an array `[n]u8` as the bytes that it is; all else as results appear.
pub fn print_to(line: &mut Vec<u8>, value: &Value) {
    match text(value) {
        Some(bytes) => line.extend_from_slice(bytes),
        None => line.extend_from_slice(value.to_string().as_bytes()),
    }
}

/// The bytes of an array `[n]u8`.
fn text(value: &Value) -> Option<&[u8]> {
    let Value::Array(Array { shape, starts: None, data, .. }) = value else { return None };
    match (shape.as_slice(), &**data) {
        ([AxisValue::Extent(_)], Buffer::U8(bytes)) => Some(bytes),
        _ => None,
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Abridged { value: self, entries: u64::MAX })
    }
}

impl fmt::Display for Abridged<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value {
            Value::Scalar(scalar) => write_scalar(f, *scalar),
            Value::Dim(extent) => write!(f, "{extent}"),
            Value::Seg(seg) => {
                let element = |at: u64| Scalar::Idx(seg.lengths.length(at) as i64);
                write_list(f, &Layout::new(&seg.parent), self.entries, &element)
            }
            Value::Array(array) => {
                write_list(f, &array.layout(), self.entries, &|at| array.data.get(at as usize))
            }
        }
    }
}

impl fmt::Display for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Value::Array(self.clone()))
    }
}

/// Prints the extent, or the lengths of the segments.
impl fmt::Display for AxisValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AxisValue::Extent(extent) => write!(f, "{extent}"),
            AxisValue::Seg(seg) => write!(f, "{}", Value::Seg(Arc::clone(seg))),
        }
    }
}

fn write_list(
    f: &mut fmt::Formatter<'_>,
    layout: &Layout,
    entries: u64,
    element: &dyn Fn(u64) -> Scalar,
) -> fmt::Result {
    write_level(f, layout, 0, 0, entries.max(2), element)
}

/// Prints the contents of point `at` of a level: an element, or the list of its points one level deeper.
fn write_level(
    f: &mut fmt::Formatter<'_>,
    layout: &Layout,
    level: usize,
    at: u64,
    entries: u64,
    element: &dyn Fn(u64) -> Scalar,
) -> fmt::Result {
    let Some(step) = layout.steps().get(level) else { return write_scalar(f, element(at)) };
    let (start, extent) = step.segment(at);
    let (head, tail) =
        if extent <= entries { (extent, extent) } else { (entries - entries / 2, extent - entries / 2) };
    f.write_char('[')?;
    for entry in (0..head).chain(tail..extent) {
        if entry > 0 {
            f.write_str(", ")?;
        }
        if entry == tail && head < tail {
            f.write_str("…, ")?;
        }
        write_level(f, layout, level + 1, start.wrapping_add(entry), entries, element)?;
    }
    f.write_char(']')
}

/// Prints a scalar without its type.
fn write_scalar(f: &mut fmt::Formatter<'_>, scalar: Scalar) -> fmt::Result {
    if scalar.is_nan() {
        return f.write_str("nan");
    }
    match scalar {
        Scalar::Bool(value) => write!(f, "{value}"),
        Scalar::I8(value) => write!(f, "{value}"),
        Scalar::U8(value) => write!(f, "{value}"),
        Scalar::I16(value) => write!(f, "{value}"),
        Scalar::U16(value) => write!(f, "{value}"),
        Scalar::I32(value) => write!(f, "{value}"),
        Scalar::U32(value) => write!(f, "{value}"),
        Scalar::I64(value) | Scalar::Idx(value) => write!(f, "{value}"),
        Scalar::U64(value) => write!(f, "{value}"),
        Scalar::F16(bits) => write!(f, "{:?}", f16_to_f64(bits)),
        Scalar::F32(value) => write!(f, "{value:?}"),
        Scalar::F64(value) => write!(f, "{value:?}"),
    }
}
