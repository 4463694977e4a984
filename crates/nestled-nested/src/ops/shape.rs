//! The shape of lists, changed without moving elements: levels of one, lists of one length and of any, one number everywhere.

use super::arithmetic::elementwise;
use super::count::rows_of;
use super::term::{Term, column, literal};
use crate::column::Column;
use crate::fault::{Outcome, fault, told};
use crate::nested::Nested;
use crate::rows::Rows;
use nestled_array::{Array, Result};

impl Nested {
    /// Lists of one element around those along an axis; for axis 0, one list around everything.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![1, 2], vec![3]]);
    /// assert_eq!(rows.add_axis(1)?.to_list()?.to_string(), "[[[1, 2]], [[3]]]");
    /// assert_eq!(rows.add_axis(2)?.to_list()?.to_string(), "[[[1], [2]], [[3]]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis.
    #[track_caller]
    pub fn add_axis(&self, axis: isize) -> Result<Nested> {
        let made = match axis {
            0 => Nested::fixed(1, self.length, self.clone()),
            1 => alone(self),
            _ => self.at_axis(axis - 1, &mut |lists| lists.map_content(&mut alone)),
        };
        told("add_axis", made)
    }

    /// A reduction that leaves its axis behind, as lists of one element, which broadcasts with what was reduced. The function is called with some of the levels, and the axis in them.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![1, 2], vec![]]);
    /// assert_eq!(rows.keep_axis(-1, &Nested::sum)?.to_list()?.to_string(), "[[3], [0]]");
    /// assert_eq!(rows.keep_axis(0, &Nested::sum)?.to_list()?.to_string(), "[[1, 2]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis; and errors of the function.
    #[track_caller]
    pub fn keep_axis(
        &self,
        axis: isize,
        reduce: &dyn Fn(&Nested, isize) -> Result<Nested>,
    ) -> Result<Nested> {
        if !self.is_outermost(axis) {
            return told("keep_axis", self.at_axis(axis, &mut |lists| alone(&reduce(lists, 1)?)));
        }
        let made = reduce(self, 0)?;
        // The result of numbers has one element already.
        Ok(if self.levels().1 == 0 { made } else { Nested::lists(&Rows::single(made.length), made) })
    }

    /// Lists of one length, where lists along an axis have one. Their lengths are computed at once.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![1, 2], vec![3, 4]]);
    /// assert_eq!(rows.to_regular(1)?.type_string(), "2 * 2 * int64");
    /// assert!(Nested::from_iter([vec![1, 2], vec![]]).to_regular(1).is_err());
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis, or two lists differ in length; and errors of evaluation.
    #[track_caller]
    pub fn to_regular(&self, axis: isize) -> Result<Nested> {
        told("to_regular", self.at_axis(axis, &mut of_one_length))
    }

    /// Lists of any length, where lists along an axis have one length by their schema.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let pairs = Nested::from_iter([1, 2, 3, 4]).in_fixed(2)?;
    /// assert_eq!(pairs.to_ragged(1)?.type_string(), "2 * var * int64");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis.
    #[track_caller]
    pub fn to_ragged(&self, axis: isize) -> Result<Nested> {
        let made = self.at_axis(axis, &mut |lists| {
            let (rows, content) = rows_of(lists)?;
            Ok(Nested::lists(&rows, content.clone()))
        });
        told("to_ragged", made)
    }

    /// The same lists and records with one number in place of each, of the type of each.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![1.5, f64::NAN], vec![]]);
    /// assert_eq!(rows.full_like(7)?.to_list()?.to_string(), "[[7.0, 7.0], []]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// Elements are texts, or the value is one, or an array.
    #[track_caller]
    pub fn full_like(&self, value: impl Into<Term>) -> Result<Nested> {
        let value = value.into();
        elementwise(&[self], &mut |parts| told("full_like", filled_with(&parts[0], &value)))
    }

    /// Lists that are missing along an axis as empty ones.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([Some(vec![1]), None]);
    /// assert_eq!(rows.missing_as_empty(0)?.to_list()?.to_string(), "[[1], []]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis.
    #[track_caller]
    pub fn missing_as_empty(&self, axis: isize) -> Result<Nested> {
        if self.is_outermost(axis) {
            return told("missing_as_empty", emptied(self));
        }
        told("missing_as_empty", self.at_axis(axis, &mut |lists| lists.map_content(&mut emptied)))
    }
}

fn alone(nested: &Nested) -> Outcome<Nested> {
    Nested::fixed(nested.length, 1, nested.clone())
}

fn of_one_length(lists: &Nested) -> Outcome<Nested> {
    let (rows, content) = rows_of(lists)?;
    let lengths = rows.lengths().to_vec()?;
    let size = lengths.first().copied().unwrap_or(0);
    match lengths.iter().position(|&length| length != size) {
        Some(place) => fault(format!("list 0 has {size} elements, and list {place} {}", lengths[place])),
        None => Nested::fixed(lists.length, size as usize, content.clone()),
    }
}

fn filled_with(part: &Nested, value: &Term) -> Outcome<Nested> {
    if matches!(value, Term::Nested(_)) {
        return fault("an array is not one number");
    }
    let kind = column(part)?.kind();
    let value = literal(value, kind)?.cast(kind);
    Ok(Nested::leaf(Column::select(&Array::fill(true, &[part.length]), &value, &value)))
}

fn emptied(nested: &Nested) -> Outcome<Nested> {
    let is_missing = nested.parts().0.is_some();
    match nested.as_rows()? {
        Some((rows, content)) if is_missing => Ok(Nested::lists(&rows, content)),
        _ => Ok(nested.clone()),
    }
}
