//! Sorts within segments: elements by themselves or by keys, upward or downward.

use super::Ragged;
use crate::array::Array;
use crate::element::{Element, Ordered};
use crate::node::{Node, Op, Segmented};
use std::sync::Arc;

impl<T: Ordered> Ragged<T> {
    /// Sorts each segment, least element first.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let rows = Ragged::from_rows(&[vec![3, 1], vec![], vec![2]]);
    /// assert_eq!(rows.sort().to_rows()?, [vec![1, 3], vec![], vec![2]]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn sort(&self) -> Ragged<T> {
        self.sorted(false)
    }

    /// Sorts each segment, greatest element first; NaN comes last.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let rows = Ragged::from_rows(&[vec![1, 3], vec![], vec![2]]);
    /// assert_eq!(rows.sort_descending().to_rows()?, [vec![3, 1], vec![], vec![2]]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn sort_descending(&self) -> Ragged<T> {
        self.sorted(true)
    }

    #[track_caller]
    fn sorted(&self, descending: bool) -> Ragged<T> {
        let values = self.segmented(Segmented::Sort { descending, payload: None }, *self.values.shape());
        Ragged { values, segments: self.segments.clone() }
    }
}

impl<T: Element> Ragged<T> {
    /// Sorts the elements of each segment by keys, least key first; equal keys keep their order. There is a key for each element, segment after segment.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let rows = Ragged::from_rows(&[vec![b'b', b'a'], vec![], vec![b'z']]);
    /// let keys = Array::from_vec(vec![0.5, 0.25, 1.0]);
    /// assert_eq!(rows.sort_by_key(&keys).to_rows()?, [vec![b'a', b'b'], vec![], vec![b'z']]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Panics
    /// There are not as many keys as elements.
    #[track_caller]
    pub fn sort_by_key<K: Ordered>(&self, keys: &Array<K>) -> Ragged<T> {
        self.sorted_by(keys, false, "sort_by_key")
    }

    /// As [`sort_by_key`](Ragged::sort_by_key), greatest key first; equal keys keep their order, and NaN comes last.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let rows = Ragged::from_rows(&[vec![b'a', b'b', b'c']]);
    /// let keys = Array::from_vec(vec![0.25, 0.5, 0.5]);
    /// assert_eq!(rows.sort_by_key_descending(&keys).to_rows()?, [vec![b'b', b'c', b'a']]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Panics
    /// There are not as many keys as elements.
    #[track_caller]
    pub fn sort_by_key_descending<K: Ordered>(&self, keys: &Array<K>) -> Ragged<T> {
        self.sorted_by(keys, true, "sort_by_key_descending")
    }

    #[track_caller]
    fn sorted_by<K: Ordered>(&self, keys: &Array<K>, descending: bool, name: &str) -> Ragged<T> {
        let shape = *self.values.shape();
        assert!(*keys.shape() == shape, "{name}: {shape} elements have keys of shape {}", keys.shape());
        let how = Segmented::Sort { descending, payload: Some(Arc::clone(&self.values.node)) };
        let (values, lengths) = (Arc::clone(&keys.node), Arc::clone(&self.segments.lengths.node));
        let values = Array::of(Node::lazy(T::TYPE, shape, Op::Segmented { values, lengths, how }));
        Ragged { values, segments: self.segments.clone() }
    }
}
