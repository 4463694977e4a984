//! Sequences with lazily materialised elements.
//!
//! Results of λcu and data from outside lie in flat arrays. A statement that passes a sequence on, shows its beginning or writes it to a file need not
//! materialise its elements as nested values, which would take many times the memory.

use super::Value;
use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, Range};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The flat data from which elements are made.
pub(crate) trait Source: Send + Sync {
    /// Makes a range of the elements.
    fn elements(&self, range: Range<usize>) -> Vec<Value>;

    /// Returns the elements as bytes, if they are consecutive characters.
    fn characters(&self) -> Option<&[u8]>;
}

/// The elements of a sequence. It dereferences to a `Vec`, which materialises the elements.
pub struct Sequence {
    made: OnceLock<Vec<Value>>,
    len: usize,
    source: Option<Box<dyn Source>>,
    /// Bytes of a source that only this sequence owns.
    own: u64,
}

/// Number of elements made at a time for a single pass over all.
const PIECE: usize = 4096;

impl Sequence {
    /// Makes a sequence whose elements are materialised at their first use.
    pub(crate) fn later(len: usize, source: Box<dyn Source>) -> Sequence {
        Sequence { made: OnceLock::new(), len, source: Some(source), own: 0 }
    }

    /// Makes a sequence of characters.
    pub(crate) fn text(text: Vec<u8>) -> Sequence {
        let own = text.capacity() as u64;
        HELD.fetch_add(own, Ordering::Relaxed);
        let mut sequence = Sequence::later(text.len(), Box::new(text));
        sequence.own = own;
        sequence
    }

    /// Returns the bytes of the elements of all sequences of the process, texts included, without data that is only in arrays of λcu.
    pub(crate) fn held() -> u64 {
        HELD.load(Ordering::Relaxed)
    }

    /// Takes the elements that are materialised, unless they are scalars; whoever does is the last owner.
    pub(super) fn take_nested(&mut self) -> Vec<Value> {
        match self.made.get().and_then(|made| made.first()) {
            Some(Value::Data(_) | Value::Pair(_) | Value::Seq(_)) => {
                HELD.fetch_sub(self.size(), Ordering::Relaxed);
                self.made.take().unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns the bytes of the elements once they are materialised.
    fn size(&self) -> u64 {
        (self.len * size_of::<Value>()) as u64
    }

    /// True if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns a range of the elements without materialising the others.
    pub fn part(&self, range: Range<usize>) -> Cow<'_, [Value]> {
        match (self.made.get(), &self.source) {
            (None, Some(source)) => Cow::Owned(source.elements(range)),
            _ => Cow::Borrowed(&self[range]),
        }
    }

    /// Returns at most the first `most` elements without materialising the others.
    pub fn beginning(&self, most: usize) -> Cow<'_, [Value]> {
        self.part(0..most.min(self.len))
    }

    /// Iterates over all elements in pieces, none of which are kept.
    pub fn pieces(&self) -> impl Iterator<Item = Cow<'_, [Value]>> {
        self.first_pieces(self.len)
    }

    /// Iterates over at most the first `most` elements in pieces.
    pub fn first_pieces(&self, most: usize) -> impl Iterator<Item = Cow<'_, [Value]>> {
        let end = most.min(self.len);
        (0..end).step_by(PIECE).map(move |start| self.part(start..(start + PIECE).min(end)))
    }

    /// Returns the characters of a text; of any other sequence those elements that are characters.
    pub fn characters(&self) -> Cow<'_, [u8]> {
        let there = self.source.as_ref().and_then(|source| source.characters());
        there.map_or_else(
            || Cow::Owned(self.pieces().flat_map(|piece| codes(&piece)).collect()),
            Cow::Borrowed,
        )
    }
}

fn codes(values: &[Value]) -> Vec<u8> {
    values.iter().filter_map(|value| if let Value::Char(code) = value { Some(*code) } else { None }).collect()
}

impl Source for Vec<u8> {
    fn elements(&self, range: Range<usize>) -> Vec<Value> {
        self[range].iter().map(|code| Value::Char(*code)).collect()
    }

    fn characters(&self) -> Option<&[u8]> {
        Some(self)
    }
}

impl Deref for Sequence {
    type Target = Vec<Value>;

    fn deref(&self) -> &Vec<Value> {
        self.made.get_or_init(|| {
            HELD.fetch_add(self.size(), Ordering::Relaxed);
            self.source.as_ref().map_or_else(Vec::new, |source| source.elements(0..self.len))
        })
    }
}

/// Bytes of all sequence elements that are materialised.
static HELD: AtomicU64 = AtomicU64::new(0);

impl Drop for Sequence {
    fn drop(&mut self) {
        let made = self.made.get().map_or(0, |_| self.size());
        HELD.fetch_sub(self.own + made, Ordering::Relaxed);
    }
}

impl From<Vec<Value>> for Sequence {
    fn from(elements: Vec<Value>) -> Sequence {
        let sequence = Sequence { len: elements.len(), made: OnceLock::from(elements), source: None, own: 0 };
        HELD.fetch_add(sequence.size(), Ordering::Relaxed);
        sequence
    }
}

impl PartialEq for Sequence {
    fn eq(&self, other: &Sequence) -> bool {
        **self == **other
    }
}

impl fmt::Debug for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A source of sevens that may materialise only few of them.
    struct Few;

    impl Source for Few {
        fn elements(&self, range: Range<usize>) -> Vec<Value> {
            assert!(range.len() <= 3, "{range:?} are made");
            vec![Value::Int(7); range.len()]
        }

        fn characters(&self) -> Option<&[u8]> {
            None
        }
    }

    #[test]
    fn only_what_is_asked_for_is_made() {
        let elements = Sequence::later(1_000_000, Box::new(Few));
        assert_eq!(elements.len(), 1_000_000);
        assert_eq!(elements.beginning(3).len(), 3);
        assert_eq!(elements.part(999_998..1_000_000).len(), 2);
        let few = Sequence::later(2, Box::new(Few));
        assert_eq!(few.beginning(3), vec![Value::Int(7); 2]);
        assert_eq!(few, Sequence::from(vec![Value::Int(7); 2]));
        assert_eq!(few.beginning(1), vec![Value::Int(7)]);
    }

    #[test]
    fn texts_are_texts() {
        let text = Sequence::text(b"abc".to_vec());
        assert!(matches!(text.characters(), Cow::Borrowed(b"abc")));
        assert_eq!(text, Sequence::from([b'a', b'b', b'c'].map(Value::Char).to_vec()));
        assert_eq!(text.part(1..2), vec![Value::Char(b'b')]);
        let made = Sequence::from(vec![Value::Char(b'x'); 10_000]);
        assert_eq!(made.characters().len(), 10_000);
        assert_eq!(made.pieces().map(|piece| piece.len()).sum::<usize>(), 10_000);
    }
}
