//! The elements of a sequence: there, or made when somebody asks for them.
//!
//! What λcu computed, and what came from outside, lies in flat arrays, one number after the other. A statement that hands it on to the next, shows
//! how it begins or writes it to a file need not take it apart, which takes many times the room.

use super::Value;
use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, Range};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Where elements come from.
pub(crate) trait Source: Send + Sync {
    /// Makes some of them.
    fn elements(&self, range: Range<usize>) -> Vec<Value>;

    /// Those that are characters, if they are and lie there one after the other.
    fn characters(&self) -> Option<&[u8]>;
}

/// The elements of a sequence. It is a `Vec` for everybody who looks inside.
pub struct Sequence {
    made: OnceLock<Vec<Value>>,
    len: usize,
    source: Option<Box<dyn Source>>,
    /// Bytes that the source takes, which is this sequence's alone.
    own: u64,
}

/// Elements that are made at a time by those who look at all of them once.
const PIECE: usize = 4096;

impl Sequence {
    /// Elements that are made once they are needed.
    pub(crate) fn later(len: usize, source: Box<dyn Source>) -> Sequence {
        Sequence { made: OnceLock::new(), len, source: Some(source), own: 0 }
    }

    /// The characters of a text.
    pub(crate) fn text(text: Vec<u8>) -> Sequence {
        let own = text.capacity() as u64;
        HELD.fetch_add(own, Ordering::Relaxed);
        let mut sequence = Sequence::later(text.len(), Box::new(text));
        sequence.own = own;
        sequence
    }

    /// Bytes that the elements of all sequences of the process take, texts included, but for those that lie in arrays of λcu only.
    pub(crate) fn held() -> u64 {
        HELD.load(Ordering::Relaxed)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Bytes that the elements take once they are made.
    fn size(&self) -> u64 {
        (self.len * size_of::<Value>()) as u64
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Some of the elements. The others are not made.
    pub fn part(&self, range: Range<usize>) -> Cow<'_, [Value]> {
        match (self.made.get(), &self.source) {
            (None, Some(source)) => Cow::Owned(source.elements(range)),
            _ => Cow::Borrowed(&self[range]),
        }
    }

    /// The first elements, `most` of them if there are as many. The others are not made.
    pub fn beginning(&self, most: usize) -> Cow<'_, [Value]> {
        self.part(0..most.min(self.len))
    }

    /// All elements, some at a time. None of them stay.
    pub fn pieces(&self) -> impl Iterator<Item = Cow<'_, [Value]>> {
        self.first_pieces(self.len)
    }

    /// The first elements, `most` of them if there are as many, some at a time.
    pub fn first_pieces(&self, most: usize) -> impl Iterator<Item = Cow<'_, [Value]>> {
        let end = most.min(self.len);
        (0..end).step_by(PIECE).map(move |start| self.part(start..(start + PIECE).min(end)))
    }

    /// The characters of a text. Of anything else those of its elements that are some.
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

/// What the elements of sequences take that were made and are not gone yet.
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

    /// Sevens, of which few may be made.
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
