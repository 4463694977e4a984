//! Standard traits of ragged arrays: collecting rows, evaluation, and `Debug`.

use super::{Content, Ragged, content};
use crate::element::Element;
use crate::engine::{Evaluate, Handle};

/// Collects the rows of an iterator.
///
/// ```
/// # use nestled_array::*;
/// let rows: Ragged<i64> = (0..3).map(|n| (0..n).collect()).collect();
/// assert_eq!(rows.sum().to_vec()?, [0, 0, 1]);
/// # Ok::<(), Error>(())
/// ```
impl<T: Element> FromIterator<Vec<T>> for Ragged<T> {
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = Vec<T>>>(rows: I) -> Ragged<T> {
        Ragged::from_rows(&rows.into_iter().collect::<Vec<_>>())
    }
}

impl<T: Content> Evaluate for Ragged<T> {
    fn nodes(&self, into: &mut Vec<Handle>) {
        T::nodes(&self.values, into);
        self.segments.lengths.nodes(into);
    }
}

/// The rows; of many the first and the last.
impl<T: Content> std::fmt::Debug for Ragged<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match content::shown(self) {
            Ok(rows) => write!(f, "[{}]", rows.join(", ")),
            Err(error) => write!(f, "({error})"),
        }
    }
}
