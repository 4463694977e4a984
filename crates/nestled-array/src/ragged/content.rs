//! Contents of segments: elements, pairs, segments again, and records of these.

use super::{Ragged, Segments};
use crate::array::Array;
use crate::debug::WHOLE;
use crate::element::Element;
use crate::engine::{Evaluate, Handle};
use crate::error::Result;
use crate::jit::{Arrays as _, Param};
use std::ops::Range;

/// The content of the segments of a [`Ragged`]: elements, pairs of contents, segments again, and records of contents, which are structs of `#[derive(Record)]` with `#[record(columns = …)]`.
/// A `Vec` is segments in the struct.
///
/// ```
/// use nestled_array::{Content, Ragged};
/// fn how_many<T: Content>(rows: &Ragged<T>) -> usize {
///     rows.segments().total()
/// }
/// assert_eq!(how_many(&Ragged::from_rows(&[vec![1, 2], vec![3]])), 3);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no content of segments",
    note = "contents are elements, pairs, `Ragged`, `Vec`, and structs of `#[derive(Record)]` with `#[record(columns = NAME)]`"
)]
pub trait Content: Clone + 'static {
    /// A list of contents: an array for each scalar.
    type Values: Clone + Send + Sync;
    /// A content on the host: an element, a pair, a `Vec` or a struct.
    type Host;
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
    #[doc(hidden)]
    fn from_host(list: Vec<Self::Host>) -> Self::Values;
    #[doc(hidden)]
    fn to_host(values: &Self::Values) -> Result<Vec<Self::Host>>;
}

impl<T: Element> Content for T {
    type Values = Array<T>;
    type Host = T;

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

    fn from_host(list: Vec<T>) -> Array<T> {
        Array::from_vec(list)
    }

    fn to_host(values: &Array<T>) -> Result<Vec<T>> {
        values.to_vec()
    }
}

impl<A: Content, B: Content> Content for (A, B) {
    type Values = (A::Values, B::Values);
    type Host = (A::Host, B::Host);

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

    fn from_host(list: Vec<(A::Host, B::Host)>) -> Self::Values {
        let (left, right) = list.into_iter().unzip();
        (A::from_host(left), B::from_host(right))
    }

    fn to_host(values: &Self::Values) -> Result<Vec<(A::Host, B::Host)>> {
        let (left, right) = (A::to_host(&values.0)?, B::to_host(&values.1)?);
        Ok(left.into_iter().zip(right).collect())
    }
}

impl<T: Content> Content for Ragged<T> {
    type Values = Ragged<T>;
    type Host = Vec<T::Host>;

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

    fn from_host(list: Vec<Vec<T::Host>>) -> Ragged<T> {
        let lengths: Vec<usize> = list.iter().map(Vec::len).collect();
        let values = T::from_host(list.into_iter().flatten().collect());
        Ragged { values, segments: Segments::from_lengths(&lengths) }
    }

    fn to_host(values: &Ragged<T>) -> Result<Vec<Vec<T::Host>>> {
        let (contents, lengths) = (T::to_host(&values.values)?, values.segments.lengths.to_vec()?);
        let mut rest = contents.into_iter();
        Ok(lengths.into_iter().map(|length| rest.by_ref().take(length.max(0) as usize).collect()).collect())
    }
}

/// The segments in a record.
impl<T: Content> Content for Vec<T> {
    type Values = Ragged<T>;
    type Host = Vec<T::Host>;

    fn count(values: &Ragged<T>) -> usize {
        Ragged::<T>::count(values)
    }

    fn is_list(values: &Ragged<T>, count: usize) -> bool {
        <Ragged<T> as Content>::is_list(values, count)
    }

    fn slice(values: &Ragged<T>, range: Range<usize>) -> Result<Ragged<T>> {
        values.slice(range)
    }

    fn nodes(values: &Ragged<T>, into: &mut Vec<Handle>) {
        <Ragged<T> as Content>::nodes(values, into);
    }

    fn with(values: &Ragged<T>, other: &mut dyn FnMut(&Param) -> Param) -> Ragged<T> {
        <Ragged<T> as Content>::with(values, other)
    }

    fn rows(values: &Ragged<T>) -> Result<Vec<String>> {
        <Ragged<T> as Content>::rows(values)
    }

    fn from_host(list: Vec<Vec<T::Host>>) -> Ragged<T> {
        <Ragged<T> as Content>::from_host(list)
    }

    fn to_host(values: &Ragged<T>) -> Result<Vec<Vec<T::Host>>> {
        <Ragged<T> as Content>::to_host(values)
    }
}

/// Records as texts: with the names of their fields, or as tuples.
#[doc(hidden)]
pub fn record_rows(names: &[&str], columns: &[Vec<String>]) -> Vec<String> {
    let count = columns.iter().map(Vec::len).min().unwrap_or(0);
    let record = |row: usize| {
        let fields = names.iter().zip(columns).map(|(name, column)| match name.is_empty() {
            true => column[row].clone(),
            false => format!("{name}: {}", column[row]),
        });
        let fields = fields.collect::<Vec<_>>().join(", ");
        if names.contains(&"") { format!("({fields})") } else { format!("{{{fields}}}") }
    };
    (0..count).map(record).collect()
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
