//! The elements of a sequence: there, or made when somebody asks for them.
//!
//! What λcu computed lies in flat arrays. A statement that hands it on to the next, or shows how it begins, need not take all of it apart.

use super::value::Value;
use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Makes so many of the first elements.
pub(crate) type First = dyn Fn(usize) -> Vec<Value> + Send + Sync;

/// The elements of a sequence. It is a `Vec` for everybody who looks inside.
pub struct Sequence {
    made: OnceLock<Vec<Value>>,
    len: usize,
    first: Option<Box<First>>,
}

impl Sequence {
    /// Sequence that are made once they are needed.
    pub(crate) fn later(len: usize, first: Box<First>) -> Sequence {
        Sequence { made: OnceLock::new(), len, first: Some(first) }
    }

    /// Bytes that the elements of all sequences of the process take, but for those that lie in flat arrays.
    pub(crate) fn held() -> u64 {
        HELD.load(Ordering::Relaxed)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The first elements, `most` of them if there are as many. The others are not made.
    pub fn beginning(&self, most: usize) -> Cow<'_, [Value]> {
        let most = most.min(self.len);
        match (self.made.get(), &self.first) {
            (None, Some(first)) => Cow::Owned(first(most)),
            _ => Cow::Borrowed(&self[..most]),
        }
    }
}

impl Deref for Sequence {
    type Target = Vec<Value>;

    fn deref(&self) -> &Vec<Value> {
        self.made.get_or_init(|| self.first.as_ref().map_or_else(Vec::new, |first| first(self.len)))
    }
}

/// What the elements of sequences take that were made from vectors and are not gone yet.
static HELD: AtomicU64 = AtomicU64::new(0);

impl Drop for Sequence {
    fn drop(&mut self) {
        if self.first.is_none() {
            HELD.fetch_sub((self.len * size_of::<Value>()) as u64, Ordering::Relaxed);
        }
    }
}

impl From<Vec<Value>> for Sequence {
    fn from(elements: Vec<Value>) -> Sequence {
        HELD.fetch_add((elements.len() * size_of::<Value>()) as u64, Ordering::Relaxed);
        Sequence { len: elements.len(), made: OnceLock::from(elements), first: None }
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

    #[test]
    fn only_what_is_asked_for_is_made() {
        let first = |most: usize| {
            assert!(most <= 3, "{most} are made");
            vec![Value::Int(7); most]
        };
        let elements = Sequence::later(1_000_000, Box::new(first));
        assert_eq!(elements.len(), 1_000_000);
        assert_eq!(elements.beginning(3).len(), 3);
        let few = Sequence::later(2, Box::new(first));
        assert_eq!(few.beginning(3), vec![Value::Int(7); 2]);
        assert_eq!(few, Sequence::from(vec![Value::Int(7); 2]));
        assert_eq!(few.beginning(1), vec![Value::Int(7)]);
    }
}
