//! Equal elements of a list that follow one another, and with a sort its different elements.

use super::count::rows_of;
use super::differ::differ_from_before;
use super::flaw::Flaw;
use super::order::comparable;
use super::reduce::Part;
use crate::fault::{Outcome, told};
use crate::nested::{Layout, Nested};
use crate::rows::Rows;
use nestled_array::{Array, Outside, Result};
use std::sync::Arc;

/// Runs of equal elements: how many each list has, where they begin, and how long they are.
pub(super) struct Runs {
    pub rows: Rows,
    pub starts: Array<i64>,
    pub lengths: Array<i64>,
}

impl Runs {
    /// Runs that begin where lists do, and where a mask holds. Computes their number at once.
    pub fn of(rows: &Rows, differ: &Array<bool>) -> Outcome<Runs> {
        let begins = rows.places().eq(0).or(differ);
        let starts = Array::<i64>::range(rows.total()).compress(&begins)?;
        let count = starts.size();
        let next = Array::<i64>::range(count) + 1;
        let ends = starts.take(0, &next, Outside::Default(rows.total() as i64));
        Ok(Runs { rows: rows.kept(&begins, count), lengths: ends - &starts, starts })
    }
}

impl Nested {
    /// The number of equal elements that follow one another in each list along an axis: `ak.run_lengths`. A NaN is equal to none; what is missing is equal to what is missing.
    /// Records and lists are compared as a whole. Computes the number of runs at once.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![1, 1, 2, 1], vec![], vec![2]]);
    /// assert_eq!(rows.run_lengths(-1)?.to_list()?.to_string(), "[[2, 1, 1], [], [1]]");
    /// let pairs = Nested::from_iter([vec![1, 2], vec![1, 2], vec![1]]);
    /// assert_eq!(pairs.run_lengths(0)?.to_list()?.to_string(), "[2, 1]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis, or elements cannot be compared; and errors of evaluation.
    #[track_caller]
    pub fn run_lengths(&self, axis: isize) -> Result<Nested> {
        let runs = self.other_rows(axis, &mut |part| {
            let column = comparable(part.present)?;
            let differ = differ_from_before(&column, part.valid, false);
            // NaN in records and lists, whose codes are equal.
            let nan = Flaw::Nan
                .of(part.present)
                .map(|nan| part.valid.map_or_else(|| nan.clone(), |valid| nan.and(valid)));
            let runs = Runs::of(part.rows, &nan.map_or_else(|| differ.clone(), |nan| differ.or(nan)))?;
            Ok((runs.rows, Nested::of(runs.lengths)))
        });
        told("run_lengths", runs)
    }

    /// The different elements of each list along an axis, least first; NaN, then what is missing, come last, once. Records are in the order of their first fields, then of the next,
    /// lists in that of a dictionary. Computes the number of elements at once.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![3, 1, 3], vec![]]);
    /// assert_eq!(rows.unique(-1)?.to_list()?.to_string(), "[[1, 3], []]");
    /// let pairs = Nested::from_iter([vec![2, 1], vec![2], vec![2, 1], vec![]]);
    /// assert_eq!(pairs.unique(0)?.to_list()?.to_string(), "[[], [2], [2, 1]]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis, or elements cannot be compared; and errors of evaluation.
    #[track_caller]
    pub fn unique(&self, axis: isize) -> Result<Nested> {
        let unique = self.other_rows(axis, &mut |part| {
            let (values, runs) = different(part)?;
            Ok((runs.rows, values))
        });
        told("unique", unique)
    }

    /// The different elements of each list along an axis, as [`unique`](Nested::unique) has them, and how often each appears: records with `value` and `count`.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec!["mu", "e", "mu"], vec![]]);
    /// let counts = rows.value_counts(-1)?;
    /// assert_eq!(counts.to_list()?.to_string(), r#"[[{value: "e", count: 1}, {value: "mu", count: 2}], []]"#);
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis, or elements cannot be compared; and errors of evaluation.
    #[track_caller]
    pub fn value_counts(&self, axis: isize) -> Result<Nested> {
        let counts = self.other_rows(axis, &mut |part| {
            let (values, runs) = different(part)?;
            let fields = vec![(Arc::from("value"), values), (Arc::from("count"), Nested::of(runs.lengths))];
            Ok((runs.rows, Nested { length: runs.starts.size(), layout: Layout::Record(fields) }))
        });
        told("value_counts", counts)
    }

    /// A function of the lists along an axis that gives other lists.
    fn other_rows(
        &self,
        axis: isize,
        make: &mut dyn FnMut(&Part) -> Outcome<(Rows, Nested)>,
    ) -> Outcome<Nested> {
        let mut on = |rows: &Rows, content: &Nested| {
            let (valid, present) = content.parts();
            make(&Part { rows, present, valid, index: rows.places() })
        };
        if self.is_outermost(axis) {
            return Ok(on(&Rows::single(self.length), self)?.1);
        }
        self.at_axis(axis, &mut |lists| {
            let (rows, content) = rows_of(lists)?;
            let (rows, made) = on(&rows, content)?;
            Ok(Nested::lists(&rows, made))
        })
    }
}

/// The different elements of each row in their order, and their runs in the sorted row.
fn different(part: &Part) -> Outcome<(Nested, Runs)> {
    if let Some(sorted) = part.sorted_numbers(true) {
        let valid = part.valid.map(|valid| part.sorted_validity(valid));
        let runs = Runs::of(part.rows, &differ_from_before(&sorted, valid.as_ref(), true))?;
        let values = Nested::leaf(sorted.take(&runs.starts));
        return Ok((values.present_if(valid.map(|valid| valid.take(0, &runs.starts, Outside::Clamp))), runs));
    }
    let column = comparable(part.present)?;
    let order = part.order_by(&column, true);
    let column = column.take(&order);
    let valid = part.valid.map(|valid| valid.take(0, &order, Outside::Clamp));
    let runs = Runs::of(part.rows, &differ_from_before(&column, valid.as_ref(), true))?;
    let from = order.take(0, &runs.starts, Outside::Clamp);
    let values = part.present.take(&from)?;
    Ok((values.present_if(valid.map(|valid| valid.take(0, &runs.starts, Outside::Clamp))), runs))
}
