//! Lengths of lists, and places in them.

use crate::fault::{Outcome, fault, told};
use crate::nested::Nested;
use crate::rows::{Rows, counting};
use nestled_array::{Array, Result};

/// The rows of lists that are given by [`Nested::at_axis`].
pub(super) fn rows_of(lists: &Nested) -> Outcome<(Rows, &Nested)> {
    match lists.rows() {
        Some(found) => Ok(found),
        None => fault(format!("`{}` has no lists", lists.schema())),
    }
}

impl Nested {
    /// The number of elements of each list along an axis: `ak.num`. Along the outermost it is one number.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![1, 2], vec![]]);
    /// assert_eq!(rows.num(1)?.to_list()?.to_string(), "[2, 0]");
    /// assert_eq!(rows.num(0)?.item()?, 2.into());
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis.
    #[track_caller]
    pub fn num(&self, axis: isize) -> Result<Nested> {
        if self.is_outermost(axis) {
            return Ok(Nested::of(Array::fill(self.length as i64, &[1])));
        }
        told("num", self.at_axis(axis, &mut |lists| Ok(Nested::of(rows_of(lists)?.0.lengths().clone()))))
    }

    /// For each element its place in its list along an axis: `ak.local_index`. What is deeper is left out.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec!["a", "b"], vec![]]);
    /// assert_eq!(rows.local_index(-1)?.to_list()?.to_string(), "[[0, 1], []]");
    /// assert_eq!(rows.local_index(0)?.to_list()?.to_string(), "[0, 1]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis.
    #[track_caller]
    pub fn local_index(&self, axis: isize) -> Result<Nested> {
        told("local_index", self.places_along(axis))
    }

    pub(super) fn places_along(&self, axis: isize) -> Outcome<Nested> {
        if self.is_outermost(axis) {
            return Ok(Nested::leaf(counting(self.length)));
        }
        self.at_axis(axis, &mut |lists| {
            let (rows, _) = rows_of(lists)?;
            lists.map_content(&mut |_| Ok(Nested::of(rows.places().clone())))
        })
    }
}
