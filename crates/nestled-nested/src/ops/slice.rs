//! Slices: every so many elements between two places, where negative places count from the end, as in Python.

use super::count::rows_of;
use crate::fault::{Outcome, fault, told};
use crate::nested::{Layout, Nested};
use crate::rows::Rows;
use nestled_array::{Array, Result};
use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

/// A slice of a list: the places from one to another that it does not reach, in steps. Negative places count from the end, and what lies outside of a list is not there.
///
/// ```
/// use nestled_nested::{Nested, Slice};
/// let rows = Nested::from_iter([vec![1, 2, 3, 4, 5], vec![6]]);
/// let backward = Slice::from(..).step(-2);
/// assert_eq!(rows.slice(backward, 1)?.to_list()?.to_string(), "[[5, 3, 1], [6]]");
/// # Ok::<(), nestled_nested::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slice {
    start: Option<i64>,
    stop: Option<i64>,
    step: i64,
}

impl Slice {
    /// The slice in other steps; with negative ones it goes from its start down.
    ///
    /// ```
    /// use nestled_nested::{Nested, Slice};
    /// let numbers: Nested = (0..5).collect();
    /// assert_eq!(numbers.slice(Slice::from(1..).step(2), 0)?.to_list()?.to_string(), "[1, 3]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    #[must_use]
    pub fn step(self, step: isize) -> Slice {
        Slice { step: step as i64, ..self }
    }

    /// The first place of a list and the number of places.
    fn of(&self, length: i64) -> (i64, i64) {
        let (least, most) = if self.step > 0 { (0, length) } else { (-1, length - 1) };
        let place = |place: i64| if place < 0 { (place + length).max(least) } else { place.min(most) };
        let (first, end) = if self.step > 0 { (0, length) } else { (length - 1, -1) };
        let (first, end) = (self.start.map_or(first, place), self.stop.map_or(end, place));
        let between = if self.step > 0 { end - first } else { first - end };
        (first, if between > 0 { (between - 1) / self.step.saturating_abs() + 1 } else { 0 })
    }

    /// As [`of`](Slice::of), for each of many lists.
    fn of_each(&self, lengths: &Array<i64>) -> (Array<i64>, Array<i64>) {
        let (least, most) = if self.step > 0 {
            (Array::scalar(0), lengths.clone())
        } else {
            (Array::scalar(-1), lengths - 1)
        };
        let place = |place: i64| {
            if place < 0 { (lengths + place).maximum(&least) } else { most.minimum(place) }
        };
        let all = |place: i64| Array::fill(place, &[lengths.size()]);
        let (first, end) = if self.step > 0 { (all(0), lengths.clone()) } else { (lengths - 1, all(-1)) };
        let (first, end) = (self.start.map_or(first, place), self.stop.map_or(end, place));
        let between = if self.step > 0 { end - &first } else { &first - end };
        let counts = (&between - 1) / self.step.saturating_abs() + 1;
        (first, between.gt(0).select(counts, 0))
    }

    /// True if it takes all elements, in one order or the other.
    fn takes_all(&self) -> bool {
        (self.start, self.stop) == (None, None) && matches!(self.step, 1 | -1)
    }
}

fn bounds(start: Option<isize>, stop: Option<isize>) -> Slice {
    Slice { start: start.map(|place| place as i64), stop: stop.map(|place| place as i64), step: 1 }
}

/// The place after one, where the last of all has none.
fn after(last: isize) -> Option<isize> {
    (last != -1).then(|| last.saturating_add(1))
}

macro_rules! ranges {
    ($($range:ty: $given:ident => $start:expr, $stop:expr;)*) => {$(
        impl From<$range> for Slice {
            fn from($given: $range) -> Slice {
                bounds($start, $stop)
            }
        }
    )*};
}

ranges! {
    RangeFull: _all => None, None;
    Range<isize>: range => Some(range.start), Some(range.end);
    RangeFrom<isize>: range => Some(range.start), None;
    RangeTo<isize>: range => None, Some(range.end);
    RangeInclusive<isize>: range => Some(*range.start()), after(*range.end());
    RangeToInclusive<isize>: range => None, after(range.end);
}

impl Nested {
    /// A slice of each list along an axis: `array[:, 1:3]`, `array[:, -2:]`, `array[:, ::-1]`. Places outside of a list are not there. Computes the number of elements at
    /// once, unless lists are of one length or all elements are taken.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![1, 2, 3], vec![4], vec![]]);
    /// assert_eq!(rows.slice(..2, 1)?.to_list()?.to_string(), "[[1, 2], [4], []]");
    /// assert_eq!(rows.slice(-2.., 1)?.to_list()?.to_string(), "[[2, 3], [4], []]");
    /// assert_eq!(rows.slice(1..-1, 0)?.to_list()?.to_string(), "[[4]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis, or the step is 0; and errors of evaluation.
    #[track_caller]
    pub fn slice(&self, slice: impl Into<Slice>, axis: isize) -> Result<Nested> {
        told("slice", self.sliced(&slice.into(), axis))
    }

    /// The elements of each list along an axis in the opposite order: `array[:, ::-1]`. Computes nothing, unless elements are lists.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![1, 2, 3], vec![]]);
    /// assert_eq!(rows.reversed(1)?.to_list()?.to_string(), "[[3, 2, 1], []]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis; and errors of evaluation.
    #[track_caller]
    pub fn reversed(&self, axis: isize) -> Result<Nested> {
        told("reversed", self.sliced(&Slice::from(..).step(-1), axis))
    }

    pub(super) fn sliced(&self, slice: &Slice, axis: isize) -> Outcome<Nested> {
        if slice.step == 0 {
            return fault("a slice has no steps of 0");
        }
        if self.is_outermost(axis) {
            let (first, count) = slice.of(self.length as i64);
            return self.take(&(Array::<i64>::range(count as usize) * slice.step + first));
        }
        self.at_axis(axis, &mut |lists| slice_of_lists(lists, slice))
    }
}

fn slice_of_lists(lists: &Nested, slice: &Slice) -> Outcome<Nested> {
    if let Layout::Fixed(size, content) = &lists.layout {
        let (first, count) = slice.of(*size as i64);
        let rows = Rows::even(lists.length, count as usize);
        let from = rows.owners() * *size as i64 + rows.places() * slice.step + first;
        return Nested::fixed(lists.length, count as usize, content.take(&from)?);
    }
    let (rows, content) = rows_of(lists)?;
    let (first, counts) = slice.of_each(rows.lengths());
    let made = if slice.takes_all() { rows.clone() } else { Rows::of(&counts)? };
    let from = made.spread(&(rows.starts() + first)) + made.places() * slice.step;
    Ok(Nested::lists(&made, content.take(&from)?))
}
