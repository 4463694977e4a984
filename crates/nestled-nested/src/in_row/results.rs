//! What a closure of rows gives: a value, or a tuple of several.

use super::{Frame, InRow, together};
use crate::fault::{Outcome, told};
use crate::nested::{Layout, Nested};
use nestled_array::Result;
use std::sync::Arc;

mod sealed {
    /// Keeps the list of results ours.
    pub trait Sealed {}
}

/// What a closure of [`Nested::map_rows_with`] gives: an [`InRow`], or a tuple of two to six, which makes tuples. For records see [`InRow::record`].
///
/// ```
/// use nestled_nested::Nested;
/// let rows = Nested::from_iter([vec![3, 1], vec![5]]);
/// let ends = rows.map_rows_with(|row| Ok((row.min(0)?, row.max(0)?)))?;
/// assert_eq!(ends.to_list()?.to_string(), "[(1, 3), (5, 5)]");
/// # Ok::<(), nestled_nested::Error>(())
/// ```
pub trait RowResult: sealed::Sealed {
    #[doc(hidden)]
    fn in_row(self, row: &InRow) -> Result<InRow>;
}

impl sealed::Sealed for InRow {}

impl RowResult for InRow {
    fn in_row(self, _row: &InRow) -> Result<InRow> {
        Ok(self)
    }
}

impl sealed::Sealed for &InRow {}

impl RowResult for &InRow {
    fn in_row(self, _row: &InRow) -> Result<InRow> {
        Ok(self.clone())
    }
}

macro_rules! tuples {
    ($($($part:ident $place:tt)*;)*) => {$(
        impl<$($part: RowResult),*> sealed::Sealed for ($($part,)*) {}

        impl<$($part: RowResult),*> RowResult for ($($part,)*) {
            fn in_row(self, row: &InRow) -> Result<InRow> {
                tuple(row, vec![$(self.$place.in_row(row)?),*])
            }
        }
    )*};
}

tuples! {
    A 0 B 1;
    A 0 B 1 C 2;
    A 0 B 1 C 2 D 3;
    A 0 B 1 C 2 D 3 E 4;
    A 0 B 1 C 2 D 3 E 4 F 5;
}

/// Values as a tuple for each row.
fn tuple(row: &InRow, parts: Vec<InRow>) -> Result<InRow> {
    let fields = parts.iter().map(|part| part.within(&row.frame)).collect::<Outcome<Vec<_>>>();
    let fields = told("map_rows_with", fields)?;
    Ok(row.with(Nested { length: row.across.len(), layout: Layout::Tuple(fields) }))
}

impl InRow {
    /// A record of several values of a row, each as it is.
    ///
    /// ```
    /// use nestled_nested::{InRow, Nested};
    /// let rows = Nested::from_iter([vec![3, 1], vec![5]]);
    /// let made = rows.map_rows_with(|row| InRow::record(&[("sorted", &row.sort(0, true)?), ("least", &row.min(0)?)]))?;
    /// assert_eq!(made.to_list()?.to_string(), "[{sorted: [1, 3], least: 1}, {sorted: [5], least: 5}]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no field, there are two of one name, or values of rows that have nothing to do with each other.
    #[track_caller]
    pub fn record(fields: &[(&str, &InRow)]) -> Result<InRow> {
        let parts: Vec<&InRow> = fields.iter().map(|&(_, part)| part).collect();
        let (frame, sides) = told("record", together(&parts))?;
        let named: Vec<(&str, &Nested)> = fields.iter().map(|&(name, _)| name).zip(&sides).collect();
        Ok(of_frame(frame, Nested::records(&named)?))
    }

    /// Records of elements, as [`zip`](crate::zip) makes them: a value of the row goes with each of its elements.
    ///
    /// ```
    /// use nestled_nested::{InRow, Nested};
    /// let rows = Nested::from_iter([vec![3, 1], vec![5]]);
    /// let made = rows.map_rows_with(|row| InRow::zip(&[("x", row), ("most", &row.max(0)?)]))?;
    /// assert_eq!(made.to_list()?.to_string(), "[[{x: 3, most: 3}, {x: 1, most: 3}], [{x: 5, most: 5}]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// As those of `zip`; or values of rows that have nothing to do with each other.
    #[track_caller]
    pub fn zip(fields: &[(&str, &InRow)]) -> Result<InRow> {
        let parts: Vec<&InRow> = fields.iter().map(|&(_, part)| part).collect();
        let (frame, sides) = told("zip", together(&parts))?;
        let named: Vec<(&str, &Nested)> = fields.iter().map(|&(name, _)| name).zip(&sides).collect();
        Ok(of_frame(frame, crate::zip(&named)?))
    }
}

/// Something of the rows of a frame.
pub(super) fn of_frame(frame: Arc<Frame>, across: Nested) -> InRow {
    InRow { frame, across }
}
