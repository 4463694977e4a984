//! Contents of segments: elements, pairs, and segments again.

use super::Ragged;
use crate::array::Array;
use crate::debug::WHOLE;
use crate::element::Element;
use crate::engine::{Evaluate, Handle};
use crate::error::Result;
use crate::jit::{Arrays as _, Param};
use std::ops::Range;

mod sealed {
    /// Keeps the list of contents ours.
    pub trait Sealed {}
}

/// The content of the segments of a [`Ragged`]: elements, pairs of contents, or segments again.
///
/// ```
/// use nestled_array::{Content, Ragged};
/// fn how_many<T: Content>(rows: &Ragged<T>) -> usize {
///     rows.segments().total()
/// }
/// assert_eq!(how_many(&Ragged::from_rows(&[vec![1, 2], vec![3]])), 3);
/// ```
pub trait Content: sealed::Sealed + Clone + 'static {
    /// A list of contents.
    type Values: Clone + Send + Sync;
    #[doc(hidden)]
    fn count(values: &Self::Values) -> usize;
    #[doc(hidden)]
    fn is_list(values: &Self::Values, count: usize) -> bool;
    #[doc(hidden)]
    fn slice(values: &Self::Values, range: Range<usize>) -> Result<Self::Values>;
    #[doc(hidden)]
    fn nodes(values: &Self::Values, into: &mut Vec<Handle>);
    /// Replaces each array.
    #[doc(hidden)]
    fn with(values: &Self::Values, other: &mut dyn FnMut(&Param) -> Param) -> Self::Values;
    /// Each content of the list as text.
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

    fn with(values: &Array<T>, other: &mut dyn FnMut(&Param) -> Param) -> Array<T> {
        values.with(other)
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

    fn with(values: &Self::Values, other: &mut dyn FnMut(&Param) -> Param) -> Self::Values {
        (A::with(&values.0, other), B::with(&values.1, other))
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

    fn with(values: &Ragged<T>, other: &mut dyn FnMut(&Param) -> Param) -> Ragged<T> {
        values.with(other)
    }

    fn rows(values: &Ragged<T>) -> Result<Vec<String>> {
        let (rows, lengths) = (T::rows(&values.values)?, values.segments.lengths.to_vec()?);
        Ok(in_rows(&rows, &lengths, rows.len() <= WHOLE))
    }
}

/// Number of rows, and of elements of a row, that an abridged text shows at each end.
const ENDS: usize = 3;

/// The rows as texts; of many rows only the first and the last, of long rows only their ends.
pub(super) fn shown<T: Content>(rows: &Ragged<T>) -> Result<Vec<String>> {
    let count = rows.count();
    let whole = rows.segments.total + count <= WHOLE;
    let texts =
        |rows: &Ragged<T>| Ok(in_rows(&T::rows(&rows.values)?, &rows.segments.lengths.to_vec()?, whole));
    if whole || count <= 2 * ENDS + 1 {
        return texts(rows);
    }
    let mut all = texts(&rows.slice(0..ENDS)?)?;
    all.push("…".to_owned());
    all.extend(texts(&rows.slice(count - ENDS..count)?)?);
    Ok(all)
}

/// Joins texts to the rows that they lie in, long rows whole or abridged.
pub(super) fn in_rows(texts: &[String], lengths: &[i64], whole: bool) -> Vec<String> {
    let mut rest = texts;
    let row = |&length: &i64| {
        let (row, after) = rest.split_at((length.max(0) as usize).min(rest.len()));
        rest = after;
        if !whole && row.len() > 2 * ENDS + 1 {
            let (first, last) = (row[..ENDS].join(", "), row[row.len() - ENDS..].join(", "));
            return format!("[{first}, …, {last}]");
        }
        format!("[{}]", row.join(", "))
    };
    lengths.iter().map(row).collect()
}
