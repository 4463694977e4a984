//! Binary serialisation of programs: exact, including names, fault sites and source spans.
//!
//! The text form is for people: it makes names unique and has no spans. The binary form is for caches that need the identical program back.
//! It is no exchange format and carries no version: keep the version of the code that wrote the bytes beside them.
//!
//! Integers are written in groups of seven bits, the lowest first. A list is its length, then its elements. A variant is its number, in the
//! order of `parts.rs`, then its fields. That file names every field of every type, so that a new field does not compile until it is
//! serialised as well.
//!
//! ```
//! use nestled_ir::{bytes, text};
//! let program = text::parse("one.lcu", "fn main() -> i64 { ret 1 }").unwrap();
//! let kept = bytes::write(&program);
//! let again = bytes::read(&kept, program.sources.clone()).unwrap();
//! assert_eq!(again, program);
//! assert!(bytes::read(&kept[1..], program.sources.clone()).is_none());
//! ```

mod parts;

use crate::program::Program;
use crate::scalar::{Scalar, ScalarType};
use crate::span::SourceMap;
use crate::verify::MAX_NESTING;
use std::sync::Arc;

/// The bytes of a program, but for its sources.
#[must_use]
pub fn write(program: &Program) -> Vec<u8> {
    let mut out = Vec::new();
    program.write(&mut out);
    out
}

/// Deserialises a program; its spans point into `sources`. `None` if the bytes are not those of a program. The result may be ill-formed:
/// only the [verifier](crate::verify) tells.
#[must_use]
pub fn read(bytes: &[u8], sources: SourceMap) -> Option<Program> {
    let mut reader = Reader::new(bytes);
    let program = Program::read(&mut reader)?;
    reader.rest.is_empty().then_some(Program { sources, ..program })
}

/// A type that can be serialised to bytes and read again.
pub trait Part: Sized {
    /// Appends its bytes.
    fn write(&self, out: &mut Vec<u8>);

    /// `None` if the bytes are not the output of `write`.
    fn read(from: &mut Reader<'_>) -> Option<Self>;
}

/// Bytes that are being read.
#[derive(Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
    /// Number of open blocks: the nesting depth of the reader.
    depth: usize,
}

impl<'a> Reader<'a> {
    /// Creates a reader of these bytes.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { rest: bytes, depth: 0 }
    }

    /// Returns the bytes that have not been read.
    #[must_use]
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Reads a byte.
    pub fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(byte)
    }

    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(taken)
    }

    /// Reads a block, which may lie in others, but not so deep that reading it takes too much of the stack.
    fn block<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.depth == MAX_NESTING {
            return None;
        }
        self.depth += 1;
        let block = read(self);
        self.depth -= 1;
        block
    }
}

impl Part for u64 {
    fn write(&self, out: &mut Vec<u8>) {
        let mut rest = *self;
        while rest >= 0x80 {
            out.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        out.push(rest as u8);
    }

    fn read(from: &mut Reader<'_>) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = from.byte()?;
            let group = u64::from(byte & 0x7f);
            if group << shift >> shift != group {
                return None;
            }
            number |= group << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }
}

impl Part for u32 {
    fn write(&self, out: &mut Vec<u8>) {
        u64::from(*self).write(out);
    }

    fn read(from: &mut Reader<'_>) -> Option<u32> {
        u64::read(from)?.try_into().ok()
    }
}

impl Part for usize {
    fn write(&self, out: &mut Vec<u8>) {
        (*self as u64).write(out);
    }

    fn read(from: &mut Reader<'_>) -> Option<usize> {
        u64::read(from)?.try_into().ok()
    }
}

/// Small numbers of either sign are short.
impl Part for i64 {
    fn write(&self, out: &mut Vec<u8>) {
        ((*self << 1 ^ *self >> 63) as u64).write(out);
    }

    fn read(from: &mut Reader<'_>) -> Option<i64> {
        let folded = u64::read(from)?;
        Some((folded >> 1) as i64 ^ -((folded & 1) as i64))
    }
}

impl Part for bool {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn read(from: &mut Reader<'_>) -> Option<bool> {
        match from.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl Part for Arc<str> {
    fn write(&self, out: &mut Vec<u8>) {
        self.len().write(out);
        out.extend_from_slice(self.as_bytes());
    }

    fn read(from: &mut Reader<'_>) -> Option<Arc<str>> {
        let len = usize::read(from)?;
        std::str::from_utf8(from.take(len)?).ok().map(Arc::from)
    }
}

/// The type, and the bits.
impl Part for Scalar {
    fn write(&self, out: &mut Vec<u8>) {
        self.ty().write(out);
        self.to_bits().write(out);
    }

    fn read(from: &mut Reader<'_>) -> Option<Scalar> {
        let (ty, bits) = (ScalarType::read(from)?, u64::read(from)?);
        Some(Scalar::from_bits(ty, bits)).filter(|scalar| scalar.to_bits() == bits)
    }
}

impl<T: Part> Part for Vec<T> {
    fn write(&self, out: &mut Vec<u8>) {
        self.len().write(out);
        self.iter().for_each(|element| element.write(out));
    }

    fn read(from: &mut Reader<'_>) -> Option<Vec<T>> {
        let len = usize::read(from)?;
        // No element takes less than a byte.
        if len > from.rest.len() {
            return None;
        }
        (0..len).map(|_| T::read(from)).collect()
    }
}

impl<T: Part + Copy, const N: usize> Part for [T; N] {
    fn write(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|element| element.write(out));
    }

    fn read(from: &mut Reader<'_>) -> Option<[T; N]> {
        let elements = (0..N).map(|_| T::read(from)).collect::<Option<Vec<T>>>()?;
        elements.try_into().ok()
    }
}

impl<T: Part> Part for Option<T> {
    fn write(&self, out: &mut Vec<u8>) {
        self.is_some().write(out);
        self.iter().for_each(|part| part.write(out));
    }

    fn read(from: &mut Reader<'_>) -> Option<Option<T>> {
        match bool::read(from)? {
            true => T::read(from).map(Some),
            false => Some(None),
        }
    }
}

#[cfg(test)]
mod tests;
