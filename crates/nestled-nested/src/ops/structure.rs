//! Levels of lists taken away and put around: flatten, ravel, unflatten.

use super::count::rows_of;
use crate::fault::{Outcome, fault, told};
use crate::nested::{Face, Layout, Nested};
use crate::rows::Rows;
use nestled_array::{Array, Outside, Result};

impl Nested {
    /// Takes the lists along an axis away, their elements following one another: `ak.flatten`. Lists that are missing vanish. Along the outermost axis it only drops
    /// what is missing, which computes at once.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let deep = Nested::from_iter([vec![vec![1], vec![2, 3]], vec![vec![]]]);
    /// assert_eq!(deep.flatten(1)?.to_list()?.to_string(), "[[1], [2, 3], []]");
    /// assert_eq!(deep.flatten(2)?.to_list()?.to_string(), "[[1, 2, 3], []]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis; and errors of evaluation, where lists of one length may be missing.
    #[track_caller]
    pub fn flatten(&self, axis: isize) -> Result<Nested> {
        if self.is_outermost(axis) {
            return told("flatten", self.without_missing());
        }
        told("flatten", self.flattened(axis))
    }

    fn flattened(&self, axis: isize) -> Outcome<Nested> {
        let (least, most) = self.levels();
        let axis = if axis < 0 && least == most { 1 + most as isize + axis } else { axis };
        if axis == 1
            && let Some((_, content)) = self.as_rows()?
        {
            return Ok(content);
        }
        // The lists around those that are taken away.
        self.at_axis(axis - 1, &mut |outer| {
            let (rows, content) = rows_of(outer)?;
            match content.as_rows()? {
                Some((inner, content)) => Ok(Nested::lists(&rows.joined(&inner), content)),
                None => fault(format!("`{}` has no lists to flatten", content.schema())),
            }
        })
    }

    /// All numbers or texts, one after another, without lists and what is missing: `ak.ravel`. Dropping what is missing computes at once.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([Some(vec![Some(1), None]), None, Some(vec![Some(2)])]);
    /// assert_eq!(rows.ravel()?.to_list()?.to_string(), "[1, 2]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There are records, whose fields have no order; and errors of evaluation.
    #[track_caller]
    pub fn ravel(&self) -> Result<Nested> {
        told("ravel", self.raveled())
    }

    pub(super) fn raveled(&self) -> Outcome<Nested> {
        if let Some((_, content)) = self.as_rows()? {
            return content.raveled();
        }
        match &self.layout {
            Layout::Option(_, content) if matches!(content.layout, Layout::Record(_) | Layout::Tuple(_)) => {
                content.raveled()
            }
            Layout::Record(_) | Layout::Tuple(_) => {
                fault(format!("`{}` is a record: choose a field", self.schema()))
            }
            _ => self.without_missing(),
        }
    }

    /// The elements that are not missing.
    pub(super) fn without_missing(&self) -> Outcome<Nested> {
        match &self.layout {
            Layout::Option(valid, content) => content.compress(valid),
            _ => Ok(self.clone()),
        }
    }

    /// Cuts the elements into lists of these lengths: `ak.unflatten`. Computes their sum at once. Lists in place of lengths say that the elements are cut as theirs are,
    /// and compute nothing.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([1, 2, 3]).unflatten(&Nested::from_iter([2, 0, 1]))?;
    /// assert_eq!(rows.to_list()?.to_string(), "[[1, 2], [], [3]]");
    /// assert_eq!(Nested::from_iter([7, 8, 9]).unflatten(&rows)?.to_list()?.to_string(), "[[7, 8], [], [9]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// The lengths are no integers, one is negative, or they do not come to the number of elements; and errors of evaluation.
    #[track_caller]
    pub fn unflatten(&self, lengths: &Nested) -> Result<Nested> {
        told("unflatten", self.cut_into(lengths))
    }

    /// Lists of these lengths cut out of the lists along an axis, within which they stay. Computes their number at once.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![1, 2, 3], vec![4]]);
    /// let cut = rows.unflatten_along(&Nested::from_iter([2, 1, 1]), 1)?;
    /// assert_eq!(cut.to_list()?.to_string(), "[[[1, 2], [3]], [[4]]]");
    /// assert!(rows.unflatten_along(&Nested::from_iter([2, 2]), 1).is_err());
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis, lengths are no integers or do not come to the number of elements, or a new list would reach into two; and errors of evaluation.
    #[track_caller]
    pub fn unflatten_along(&self, lengths: &Nested, axis: isize) -> Result<Nested> {
        if self.is_outermost(axis) {
            return self.unflatten(lengths);
        }
        let cut = self.at_axis(axis, &mut |lists| {
            let (outer, content) = rows_of(lists)?;
            let cut = content.cut_into(lengths)?;
            let (inner, _) = rows_of(&cut)?;
            Ok(Nested::lists(&cut_within(&outer, &inner)?, cut))
        });
        told("unflatten_along", cut)
    }

    fn cut_into(&self, lengths: &Nested) -> Outcome<Nested> {
        let lengths: Array<i64> = match &lengths.layout {
            Layout::List(Face::List, rows, _) => return self.cut_by(rows.clone()),
            Layout::Leaf(column) if !column.kind().is_float() => {
                crate::column::each!(column, x => x.cast())
            }
            _ => return fault(format!("lengths are integers, not `{}`", lengths.schema())),
        };
        self.cut_by(Rows::of(&lengths)?)
    }

    fn cut_by(&self, rows: Rows) -> Outcome<Nested> {
        if rows.total() != self.length {
            return fault(format!(
                "the lengths come to {}, but there are {} elements",
                rows.total(),
                self.length
            ));
        }
        Ok(Nested::list(Face::List, &rows, self.clone()))
    }
}

/// How many of the inner lists lie in each of the outer ones. Empty ones between two lists go with the one before.
fn cut_within(outer: &Rows, inner: &Rows) -> Outcome<Rows> {
    let first = inner.starts().clone();
    let last = &first + inner.lengths() - 1;
    let owner = |place: &Array<i64>| outer.owners().take(0, place, Outside::Default(0));
    let owners = last.ge(0).select(owner(&last), 0);
    let crosses = inner.lengths().gt(0).and(owner(&first).ne(&owners));
    if crosses.any().item()? {
        let place = crosses.to_vec()?.iter().position(|&crosses| crosses).unwrap_or(0);
        return fault(format!("new list {place} would reach into two lists"));
    }
    if outer.count() == 0 && inner.count() > 0 {
        return fault("there is no list to cut");
    }
    Ok(Rows::known(&owners.histogram(outer.count()), inner.count()))
}
