//! Missing values: asked for, filled, dropped, made.

use super::count::rows_of;
use super::filter::{in_lists, not_bool};
use super::join::joined;
use super::meant::{Meant, aligned};
use super::term::{Term, literal};
use crate::column::Column;
use crate::fault::{Outcome, fault, told};
use crate::nested::{Layout, Nested};
use crate::schema::Meaning;
use nestled_array::{Array, Result};

impl Nested {
    /// A truth value for each element along an axis, true if it is missing: `ak.is_none`. Deeper levels are left out.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([Some(vec![Some(1), None]), None]);
    /// assert_eq!(rows.is_missing(0)?.to_list()?.to_string(), "[false, true]");
    /// assert_eq!(rows.is_missing(1)?.to_list()?.to_string(), "[[false, true], None]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis.
    #[track_caller]
    pub fn is_missing(&self, axis: isize) -> Result<Nested> {
        if self.is_outermost(axis) {
            return Ok(self.missing());
        }
        told(
            "is_missing",
            self.at_axis(axis, &mut |lists| lists.map_content(&mut |content| Ok(content.missing()))),
        )
    }

    fn missing(&self) -> Nested {
        Nested::of(match self.parts() {
            (Some(valid), _) => !valid,
            (None, _) => Array::fill(false, &[self.length]),
        })
    }

    /// Puts a number, or a text, in place of numbers or texts that are missing: `ak.fill_none`. Lists and records that are missing stay so.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([Some(vec![Some(1), None]), None]);
    /// assert_eq!(rows.fill_missing(0)?.to_list()?.to_string(), "[[1, 0], None]");
    /// assert_eq!(rows.fill_missing(0.5)?.type_string(), "2 * option[var * float64]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// The value is of another kind than what is missing; and errors of evaluation, where it is a text.
    #[track_caller]
    pub fn fill_missing(&self, value: impl Into<Term>) -> Result<Nested> {
        told("fill_missing", self.filled(&value.into()))
    }

    fn filled(&self, value: &Term) -> Outcome<Nested> {
        match &self.layout {
            Layout::Leaf(_) | Layout::Category(..) | Layout::Meant(..) | Layout::Union(..) => {
                Ok(self.clone())
            }
            Layout::List(..) | Layout::Fixed(..) if !self.is_lists() => Ok(self.clone()),
            Layout::List(..) | Layout::Fixed(..) => self.map_content(&mut |content| content.filled(value)),
            Layout::Record(_) | Layout::Tuple(_) => {
                Ok(self.map_fields(&mut |field| field.filled(value))?.unwrap_or_else(|| self.clone()))
            }
            Layout::Option(valid, content) => content.filled_where(valid, value),
        }
    }

    /// Elements of which those are missing that a mask leaves out.
    fn filled_where(&self, valid: &Array<bool>, value: &Term) -> Outcome<Nested> {
        match (&self.layout, value) {
            (Layout::Leaf(column), _) => filled_column(column, valid, value),
            (Layout::Meant(meaning, _), _) => self.filled_meaning(meaning, valid, value),
            (Layout::List(..), Term::String(text)) if !self.is_lists() => {
                let word = Nested::from_values([text.as_str()])?;
                let nowhere = Array::scalar(self.length as i64);
                let both = joined(&[self.clone(), word])?;
                both.take(&valid.select(Array::<i64>::range(self.length), nowhere))
            }
            (Layout::List(..) | Layout::Category(..) | Layout::Union(..), _) if !self.is_lists() => {
                fault(format!("{} cannot stand for `{}`", what(value), self.schema()))
            }
            _ => {
                let filled = self.filled(value)?;
                match (&self.layout, &filled.layout) {
                    // The lists are the same, and empty already where they are missing.
                    (Layout::List(..), Layout::List(..)) => Ok(Nested::present(valid.clone(), filled)),
                    _ => filled.optional(valid),
                }
            }
        }
    }

    /// As [`filled_where`](Nested::filled_where), of integers that stand for something.
    fn filled_meaning(&self, meaning: &Meaning, valid: &Array<bool>, value: &Term) -> Outcome<Nested> {
        if matches!(value, Term::Nested(_)) {
            return fault("an array cannot stand for one value");
        }
        let (meaning, columns) = aligned(&[Meant::of(self)?, Meant::literal(value, meaning)?])?;
        Ok(Nested::meant(&meaning, &Column::select(valid, &columns[0], &columns[1])))
    }

    /// Drops the elements along an axis that are missing: `ak.drop_none`. Computes which at once.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([Some(vec![Some(1), None]), None]);
    /// assert_eq!(rows.drop_missing(1)?.to_list()?.to_string(), "[[1], None]");
    /// assert_eq!(rows.drop_missing(0)?.to_list()?.to_string(), "[[1, None]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis; and errors of evaluation.
    #[track_caller]
    pub fn drop_missing(&self, axis: isize) -> Result<Nested> {
        if self.is_outermost(axis) {
            return told("drop_missing", self.without_missing());
        }
        let dropped = self.at_axis(axis, &mut |lists| {
            let (rows, content) = rows_of(lists)?;
            match content.parts() {
                (Some(valid), present) => {
                    let kept = present.compress(valid)?;
                    Ok(Nested::lists(&rows.kept(valid, kept.length), kept))
                }
                (None, _) => Ok(lists.clone()),
            }
        });
        told("drop_missing", dropped)
    }

    /// Makes elements missing where a mask is false: `ak.mask`. The mask may have fewer levels of lists, or as many.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![1, 2], vec![3]]);
    /// assert_eq!(rows.mask(&rows.gt(1)?)?.to_list()?.to_string(), "[[None, 2], [3]]");
    /// assert_eq!(rows.mask(&rows.num(1)?.gt(1)?)?.to_list()?.to_string(), "[[1, 2], None]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// The mask is not of `bool`, or its lists differ in length from those of the array; and errors of evaluation.
    #[track_caller]
    pub fn mask(&self, mask: &Nested) -> Result<Nested> {
        told("mask", self.masked(mask))
    }

    fn masked(&self, mask: &Nested) -> Outcome<Nested> {
        if mask.length != self.length {
            return fault(format!("a mask of {} for {} elements", mask.length, self.length));
        }
        if let Layout::Leaf(column) = &mask.parts().1.layout {
            let Some(kept) = column.as_bool() else { return not_bool(mask) };
            let kept = match mask.parts().0 {
                Some(valid) => kept.and(valid),
                None => kept.clone(),
            };
            return self.optional(&kept);
        }
        in_lists(self, mask, &mut |content, mask| content.masked(mask))
    }

    /// The first element of each list along an axis, missing if it is empty: `ak.firsts`.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![1, 2], vec![]]);
    /// assert_eq!(rows.firsts(1)?.to_list()?.to_string(), "[1, None]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis, or it is the outermost; and errors of evaluation, where elements are lists.
    #[track_caller]
    pub fn firsts(&self, axis: isize) -> Result<Nested> {
        let firsts = self.at_axis(axis, &mut |lists| {
            let (rows, content) = rows_of(lists)?;
            let some = rows.lengths().gt(0);
            Ok(content.take(&some.select(rows.starts(), -1))?.blank_outside(some))
        });
        told("firsts", firsts)
    }

    /// A list of one for each element along an axis, an empty one if it is missing: `ak.singletons`. Computes at once what is missing.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// assert_eq!(Nested::from_iter([Some(1), None]).singletons(0)?.to_list()?.to_string(), "[[1], []]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis; and errors of evaluation.
    #[track_caller]
    pub fn singletons(&self, axis: isize) -> Result<Nested> {
        if self.is_outermost(axis) {
            return told("singletons", self.alone());
        }
        told("singletons", self.at_axis(axis, &mut |lists| lists.map_content(&mut |content| content.alone())))
    }

    fn alone(&self) -> Outcome<Nested> {
        let one = match self.parts().0 {
            Some(valid) => valid.cast::<i64>(),
            None => Array::fill(1, &[self.length]),
        };
        let kept = self.without_missing()?;
        Ok(Nested::lists(&crate::rows::Rows::known(&one, kept.length), kept))
    }
}

pub(super) fn what(value: &Term) -> String {
    match value {
        Term::Nested(nested) => format!("`{}`", nested.schema()),
        Term::Int(value) => value.to_string(),
        Term::Float(value) => value.to_string(),
        Term::Bool(value) => value.to_string(),
        Term::String(value) => format!("{value:?}"),
    }
}

fn filled_column(column: &Column, valid: &Array<bool>, value: &Term) -> Outcome<Nested> {
    if matches!(value, Term::Nested(_)) {
        return fault("an array cannot stand for one value");
    }
    let value = literal(value, column.kind())?;
    let common = column.kind().common(value.kind());
    Ok(Nested::leaf(Column::select(valid, &column.cast(common), &value.cast(common))))
}
