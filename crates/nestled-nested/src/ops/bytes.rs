//! Texts as lengths and bytes, and what categories stand for.

use crate::column::Column;
use crate::fault::{Outcome, fault};
use crate::nested::{Face, Layout, Nested};
use crate::rows::Rows;
use nestled_array::Array;

/// The lengths and bytes of texts.
pub(super) fn text(nested: &Nested) -> Option<(&Rows, &Array<u8>)> {
    match &nested.layout {
        Layout::List(Face::String | Face::Bytes, rows, content) => match &content.layout {
            Layout::Leaf(Column::Uint8(bytes)) => Some((rows, bytes)),
            _ => None,
        },
        _ => None,
    }
}

/// Words of a category for each element; others as they are.
pub(super) fn decoded(nested: &Nested) -> Outcome<Nested> {
    match &nested.layout {
        Layout::Category(codes, words) => words.take(codes),
        _ => Ok(nested.clone()),
    }
}

/// Texts as bytes.
pub(super) fn as_bytes(texts: &Nested) -> Outcome<Nested> {
    match &texts.layout {
        Layout::List(Face::String | Face::Bytes, rows, content) => {
            Ok(Nested::list(Face::Bytes, rows, (**content).clone()))
        }
        _ => fault(format!("`{}` is neither a number nor a text", texts.schema())),
    }
}

/// True for each byte that is white space of ASCII.
pub(super) fn is_space(bytes: &Array<u8>) -> Array<bool> {
    bytes.eq(b' ').or(bytes.ge(b'\t').and(bytes.le(b'\r')))
}
