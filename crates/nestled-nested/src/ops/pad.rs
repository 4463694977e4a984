//! Lists brought to a length: padded with missing elements, or cut.

use super::count::rows_of;
use crate::fault::{Outcome, told};
use crate::nested::Nested;
use crate::rows::Rows;
use nestled_array::{Array, Result};

impl Nested {
    /// Adds missing elements to the lists along an axis, until each has `length`: `ak.pad_none`. Longer ones stay. Computes the number of elements at once.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![1, 2, 3], vec![]]);
    /// assert_eq!(rows.pad(2, 1)?.to_list()?.to_string(), "[[1, 2, 3], [None, None]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis; and errors of evaluation.
    #[track_caller]
    pub fn pad(&self, length: usize, axis: isize) -> Result<Nested> {
        if self.is_outermost(axis) {
            let padded = at_places(self, self.length.max(length));
            return told("pad", padded);
        }
        told("pad", self.at_axis(axis, &mut |lists| padded(lists, length)))
    }

    /// Brings the lists along an axis to one length: shorter ones get missing elements, longer ones are cut. `ak.pad_none` with `clip`. The lists are of that length in the
    /// schema, so nothing is computed, unless elements are lists.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![1, 2, 3], vec![]]).pad_clip(2, 1)?;
    /// assert_eq!(rows.to_list()?.to_string(), "[[1, 2], [None, None]]");
    /// assert_eq!(rows.type_string(), "2 * 2 * ?int64");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis; and errors of evaluation.
    #[track_caller]
    pub fn pad_clip(&self, length: usize, axis: isize) -> Result<Nested> {
        if self.is_outermost(axis) {
            return told("pad_clip", at_places(self, length));
        }
        told("pad_clip", self.at_axis(axis, &mut |lists| clipped(lists, length)))
    }
}

/// The first elements, missing beyond the last.
fn at_places(nested: &Nested, length: usize) -> Outcome<Nested> {
    let places = Array::<i64>::range(length);
    Ok(nested.take(&places)?.blank_outside(places.lt(nested.length as i64)))
}

fn padded(lists: &Nested, length: usize) -> Outcome<Nested> {
    let (rows, content) = rows_of(lists)?;
    let padded = Rows::of(&rows.lengths().maximum(length as i64))?;
    Ok(Nested::lists(&padded, moved(&rows, content, &padded)?))
}

fn clipped(lists: &Nested, length: usize) -> Outcome<Nested> {
    let (rows, content) = rows_of(lists)?;
    let even = Rows::even(lists.length, length);
    Nested::fixed(lists.length, length, moved(&rows, content, &even)?)
}

/// The elements of lists in lists of other lengths.
fn moved(rows: &Rows, content: &Nested, other: &Rows) -> Outcome<Nested> {
    let inside = other.places().lt(other.spread(rows.lengths()));
    let from = inside.select(other.places_from(rows.starts()), -1);
    Ok(content.take(&from)?.blank_outside(inside))
}
