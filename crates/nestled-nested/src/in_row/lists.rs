//! Operations along the axes of a row, of which 0 is its outermost.

use super::operators::{InRowTerm, applied};
use super::results::of_frame;
use super::{InRow, together};
use crate::fault::{Outcome, fault, told};
use crate::nested::Nested;
use crate::{Slice, concatenate};
use nestled_array::Result;

macro_rules! along {
    ($($name:ident($($argument:ident: $ty:ty),*; axis $(, $after:ident: $after_ty:ty)*);)*) => {
        impl InRow {$(
            #[doc = concat!("[`", stringify!($name), "`](Nested::", stringify!($name), ") along an axis of the row.")]
            ///
            /// # Errors
            /// The row has no such axis; and as there.
            #[track_caller]
            pub fn $name(&self, $($argument: $ty,)* axis: isize $(, $after: $after_ty)*) -> Result<InRow> {
                let axis = told(stringify!($name), self.axis(axis))?;
                Ok(self.with(self.across.$name($($argument,)* axis $(, $after)*)?))
            }
        )*}
    };
}

along! {
    num(; axis); count(; axis); count_nonzero(; axis);
    sum(; axis); prod(; axis); any(; axis); all(; axis); mean(; axis);
    min(; axis); max(; axis); argmin(; axis); argmax(; axis); ptp(; axis); median(; axis);
    var(; axis, ddof: usize); std(; axis, ddof: usize); quantile(q: f64; axis); histogram(bins: usize, low: f64, high: f64; axis);
    cumsum(; axis); cumprod(; axis); cummin(; axis); cummax(; axis); softmax(; axis);
    sort(; axis, ascending: bool); argsort(; axis, ascending: bool); rank(; axis, ascending: bool);
    reversed(; axis); top(k: usize; axis); unique(; axis); value_counts(; axis); run_lengths(; axis);
    slice(slice: impl Into<Slice>; axis); pad(length: usize; axis); pad_clip(length: usize; axis);
    firsts(; axis); singletons(; axis); local_index(; axis);
    is_missing(; axis); drop_missing(; axis); missing_as_empty(; axis);
    combinations(n: usize; axis); arg_combinations(n: usize; axis);
    combinations_with_replacement(n: usize; axis); arg_combinations_with_replacement(n: usize; axis);
    sort_by(fields: &[(&str, bool)]; axis); argsort_by(fields: &[(&str, bool)]; axis);
    join_texts(between: &str; axis);
}

macro_rules! of_two {
    ($($name:ident)*) => {
        impl InRow {$(
            #[doc = concat!("[`", stringify!($name), "`](Nested::", stringify!($name), ") of two lists of a row.")]
            ///
            /// # Errors
            /// The row has no such axis; and as there.
            #[track_caller]
            pub fn $name(&self, other: &InRow, axis: isize) -> Result<InRow> {
                let (frame, sides) = told(stringify!($name), together(&[self, other]))?;
                let axis = told(stringify!($name), self.axis(axis))?;
                Ok(of_frame(frame, sides[0].$name(&sides[1], axis)?))
            }
        )*}
    };
}

of_two! { set_union set_intersection set_difference merge_sorted places_in nearest group_by_along }

macro_rules! of_several {
    ($($name:ident)*) => {
        impl InRow {$(
            #[doc = concat!("[`", stringify!($name), "`](crate::", stringify!($name), ") of lists of a row.")]
            ///
            /// # Errors
            /// The row has no such axis; and as there.
            #[track_caller]
            pub fn $name(parts: &[&InRow], axis: isize) -> Result<InRow> {
                let (frame, sides) = told(stringify!($name), together(parts))?;
                let axis = told(stringify!($name), parts[0].axis(axis))?;
                Ok(of_frame(frame, crate::$name(&sides.iter().collect::<Vec<_>>(), axis)?))
            }
        )*}
    };
}

of_several! { cartesian arg_cartesian nested_cartesian }

impl InRow {
    /// [`concatenate`] of lists of a row.
    ///
    /// ```
    /// use nestled_nested::{InRow, Nested};
    /// let rows = Nested::from_iter([vec![3, 1], vec![5]]);
    /// let made = rows.map_rows_with(|row| InRow::concatenate(&[row, &(row * 10)], 0))?;
    /// assert_eq!(made.to_list()?.to_string(), "[[3, 1, 30, 10], [5, 50]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// The row has no such axis; and as there.
    #[track_caller]
    pub fn concatenate(parts: &[&InRow], axis: isize) -> Result<InRow> {
        let (frame, sides) = told("concatenate", together(parts))?;
        let axis = told("concatenate", parts[0].axis(axis))?;
        Ok(of_frame(frame, concatenate(&sides.iter().collect::<Vec<_>>(), axis)?))
    }

    /// [`filter`](Nested::filter): the elements for which a mask holds. A mask that is one value of the row keeps all or none.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![3, 1], vec![5, 4, 6]]);
    /// let high = rows.map_rows_with(|row| row.filter(&row.gt(row.mean(0)?)?))?;
    /// assert_eq!(high.to_list()?.to_string(), "[[3], [6]]");
    /// let long = rows.map_rows_with(|row| row.filter(&row.num(0)?.gt(2)?))?;
    /// assert_eq!(long.to_list()?.to_string(), "[[], [5, 4, 6]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// As there.
    #[track_caller]
    pub fn filter(&self, mask: &InRow) -> Result<InRow> {
        let (frame, sides) = told("filter", together(&[self, mask]))?;
        let mask = told("filter", for_elements(&sides[0], &sides[1]))?;
        Ok(of_frame(frame, sides[0].filter(&mask)?))
    }

    /// [`mask`](Nested::mask): elements are missing where a mask does not hold; a mask that is one value of the row makes all of it missing.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![3, 1], vec![5]]);
    /// let made = rows.map_rows_with(|row| Ok((row.mask(&row.gt(1)?)?, row.max(0)?.mask(&row.num(0)?.gt(1)?)?)))?;
    /// assert_eq!(made.to_list()?.to_string(), "[([3, None], 3), ([5], None)]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// As there.
    #[track_caller]
    pub fn mask(&self, mask: &InRow) -> Result<InRow> {
        let (frame, sides) = told("mask", together(&[self, mask]))?;
        Ok(of_frame(frame, sides[0].mask(&sides[1])?))
    }

    /// [`pick`](Nested::pick): the elements at a list of places.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![3, 1], vec![5]]);
    /// let made = rows.map_rows_with(|row| row.pick(&row.argsort(0, true)?))?;
    /// assert_eq!(made.to_list()?.to_string(), "[[1, 3], [5]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// The places are one of the row (that is [`get`](InRow::get)); and as there.
    #[track_caller]
    pub fn pick(&self, places: &InRow) -> Result<InRow> {
        let (frame, sides) = told("pick", together(&[self, places]))?;
        if !sides[1].parts().1.is_lists() {
            return told("pick", fault(format!("a list of places is wanted, not `{}`", sides[1].schema())));
        }
        Ok(of_frame(frame, sides[0].pick(&sides[1])?))
    }

    /// [`at`](Nested::at): the element at a place along an axis.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![3, 1], vec![5]]);
    /// assert_eq!(rows.map_rows_with(|row| row.at(-1, 0))?.to_list()?.to_string(), "[1, 5]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// A row has no element there; and as there.
    #[track_caller]
    pub fn at(&self, place: impl Into<InRowTerm>, axis: isize) -> Result<InRow> {
        let axis = told("at", self.axis(axis))?;
        applied!("at", self, place, x, y => x.at(y, axis))
    }

    /// [`get`](Nested::get): as [`at`](InRow::at), missing where there is no element.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![3, 1], vec![5]]);
    /// let made = rows.map_rows_with(|row| Ok((row.get(1, 0)?, row.get(row.argmin(0)?, 0)?)))?;
    /// assert_eq!(made.to_list()?.to_string(), "[(1, 1), (None, 5)]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// As there.
    #[track_caller]
    pub fn get(&self, place: impl Into<InRowTerm>, axis: isize) -> Result<InRow> {
        let axis = told("get", self.axis(axis))?;
        applied!("get", self, place, x, y => x.get(y, axis))
    }

    /// [`flatten`](Nested::flatten): the lists along an axis, which is 1 at least, put one after another.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![vec![3, 1], vec![2]], vec![vec![5]]]);
    /// assert_eq!(rows.map_rows_with(|row| row.flatten(1)?.sum(0))?.to_list()?.to_string(), "[6, 5]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// The row has no such axis, or it is the outermost.
    #[track_caller]
    pub fn flatten(&self, axis: isize) -> Result<InRow> {
        let axis = told("flatten", self.axis(axis))?;
        if axis == 1 {
            return told("flatten", fault("the outermost lists of a row are put into no others"));
        }
        Ok(self.with(self.across.flatten(axis)?))
    }
}

/// A mask for the elements of a row: of one that is a value of the row, the value for each element.
fn for_elements(row: &Nested, mask: &Nested) -> Outcome<Nested> {
    if mask.parts().1.is_lists() {
        return Ok(mask.clone());
    }
    match row.as_rows()? {
        Some((rows, _)) => Ok(Nested::lists(&rows, mask.take(rows.owners())?)),
        None => fault(format!("`{}` has no elements to choose from", row.schema())),
    }
}
