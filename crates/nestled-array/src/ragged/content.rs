//! What segments can hold.

use super::Ragged;
use crate::array::Array;
use crate::element::Element;
use crate::engine::{Evaluate, Handle};
use crate::error::Result;
use std::ops::Range;

mod sealed {
    /// Keeps the list of contents ours.
    pub trait Sealed {}
}

/// What the segments of a [`Ragged`] hold: elements, pairs of what segments can hold, or segments again.
///
/// ```
/// use nestled_array::{Content, Ragged};
/// fn how_many<T: Content>(rows: &Ragged<T>) -> usize {
///     rows.segments().total()
/// }
/// assert_eq!(how_many(&Ragged::from_rows(&[vec![1, 2], vec![3]])), 3);
/// ```
pub trait Content: sealed::Sealed + Clone + 'static {
    /// A list of them.
    type Values: Clone + Send + Sync;
    #[doc(hidden)]
    fn count(values: &Self::Values) -> usize;
    #[doc(hidden)]
    fn is_list(values: &Self::Values, count: usize) -> bool;
    #[doc(hidden)]
    fn slice(values: &Self::Values, range: Range<usize>) -> Result<Self::Values>;
    #[doc(hidden)]
    fn nodes(values: &Self::Values, into: &mut Vec<Handle>);
    /// Each of the list as text.
    #[doc(hidden)]
    fn rows(values: &Self::Values) -> Result<Vec<String>>;
}

impl<T: Element> sealed::Sealed for T {}

impl<T: Element> Content for T {
    type Values = Array<T>;

    fn count(values: &Array<T>) -> usize {
        values.size()
    }

    fn is_list(values: &Array<T>, count: usize) -> bool {
        **values.shape() == [count]
    }

    fn slice(values: &Array<T>, range: Range<usize>) -> Result<Array<T>> {
        values.try_slice(0, range)
    }

    fn nodes(values: &Array<T>, into: &mut Vec<Handle>) {
        values.nodes(into);
    }

    fn rows(values: &Array<T>) -> Result<Vec<String>> {
        Ok(values.to_vec()?.iter().map(|value| format!("{value:?}")).collect())
    }
}

impl<A: Content, B: Content> sealed::Sealed for (A, B) {}

impl<A: Content, B: Content> Content for (A, B) {
    type Values = (A::Values, B::Values);

    fn count(values: &Self::Values) -> usize {
        A::count(&values.0)
    }

    fn is_list(values: &Self::Values, count: usize) -> bool {
        A::is_list(&values.0, count) && B::is_list(&values.1, count)
    }

    fn slice(values: &Self::Values, range: Range<usize>) -> Result<Self::Values> {
        Ok((A::slice(&values.0, range.clone())?, B::slice(&values.1, range)?))
    }

    fn nodes(values: &Self::Values, into: &mut Vec<Handle>) {
        A::nodes(&values.0, into);
        B::nodes(&values.1, into);
    }

    fn rows(values: &Self::Values) -> Result<Vec<String>> {
        let (left, right) = (A::rows(&values.0)?, B::rows(&values.1)?);
        Ok(left.iter().zip(&right).map(|(left, right)| format!("({left}, {right})")).collect())
    }
}

impl<T: Content> sealed::Sealed for Ragged<T> {}

impl<T: Content> Content for Ragged<T> {
    type Values = Ragged<T>;

    fn count(values: &Ragged<T>) -> usize {
        values.count()
    }

    fn is_list(values: &Ragged<T>, count: usize) -> bool {
        values.count() == count
    }

    fn slice(values: &Ragged<T>, range: Range<usize>) -> Result<Ragged<T>> {
        values.slice(range)
    }

    fn nodes(values: &Ragged<T>, into: &mut Vec<Handle>) {
        values.nodes(into);
    }

    fn rows(values: &Ragged<T>) -> Result<Vec<String>> {
        let (rows, lengths) = (T::rows(&values.values)?, values.segments.lengths.to_vec()?);
        Ok(in_rows(&rows, &lengths))
    }
}

/// Texts as the rows that they lie in.
pub(super) fn in_rows(texts: &[String], lengths: &[i64]) -> Vec<String> {
    let mut rest = texts;
    let row = |&length: &i64| {
        let (row, after) = rest.split_at((length.max(0) as usize).min(rest.len()));
        rest = after;
        format!("[{}]", row.join(", "))
    };
    lengths.iter().map(row).collect()
}
