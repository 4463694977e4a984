//! Sorts within the innermost lists.

use super::count::rows_of;
use crate::column::{Column, Typed, each_number};
use crate::fault::{Outcome, fault, told};
use crate::nested::{Layout, Nested};
use crate::rows::Rows;
use nestled_array::{Array, Ordered, Outside, Result};

impl Nested {
    /// Sorts the numbers of each list along an axis, the innermost: `ak.sort`. NaN comes after numbers, and what is missing after those, downward too.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![Some(2), None, Some(1)], vec![]]);
    /// assert_eq!(rows.sort(-1, true)?.to_list()?.to_string(), "[[1, 2, None], []]");
    /// assert_eq!(rows.sort(-1, false)?.to_list()?.to_string(), "[[2, 1, None], []]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis, it is not the innermost, or elements are no numbers.
    #[track_caller]
    pub fn sort(&self, axis: isize, ascending: bool) -> Result<Nested> {
        told("sort", self.ordered(axis, &mut |rows, content| content.take(&order(rows, content, ascending)?)))
    }

    /// For each list along an axis, the innermost, the places of its elements in the order of [`sort`](Nested::sort): `ak.argsort`. Equal elements keep their order.
    ///
    /// ```
    /// use nestled_nested::Nested;
    /// let rows = Nested::from_iter([vec![3, 1, 2], vec![]]);
    /// assert_eq!(rows.argsort(-1, true)?.to_list()?.to_string(), "[[1, 2, 0], []]");
    /// # Ok::<(), nestled_nested::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such axis, it is not the innermost, or elements are no numbers.
    #[track_caller]
    pub fn argsort(&self, axis: isize, ascending: bool) -> Result<Nested> {
        let places = self.ordered(axis, &mut |rows, content| {
            let order = order(rows, content, ascending)?;
            Ok(Nested::of(rows.places().take(0, &order, Outside::Clamp)))
        });
        told("argsort", places)
    }

    fn ordered(
        &self,
        axis: isize,
        make: &mut dyn FnMut(&Rows, &Nested) -> Outcome<Nested>,
    ) -> Outcome<Nested> {
        if self.is_outermost(axis) {
            return make(&Rows::single(self.length), self);
        }
        self.at_axis(axis, &mut |lists| {
            let (rows, _) = rows_of(lists)?;
            lists.map_content(&mut |content| make(&rows, content))
        })
    }
}

/// For each place in sorted lists where its element was.
fn order(rows: &Rows, content: &Nested, ascending: bool) -> Outcome<Array<i64>> {
    let (valid, present) = content.parts();
    let Layout::Leaf(column) = &present.layout else {
        return fault(format!("`{}` is no number, and only numbers are sorted", content.schema()));
    };
    let before = Array::<i64>::range(content.length);
    let sorted = order_of(rows, column, &before, ascending);
    let Some(valid) = valid else { return Ok(sorted) };
    let missing = (!valid).take(0, &sorted, Outside::Clamp);
    Ok(rows.ragged(&sorted).sort_by_key(&missing).flatten().clone())
}

fn order_of(rows: &Rows, column: &Column, before: &Array<i64>, ascending: bool) -> Array<i64> {
    fn of<K: Typed + Ordered>(
        rows: &Rows,
        keys: &Array<K>,
        before: &Array<i64>,
        ascending: bool,
    ) -> Array<i64> {
        let before = rows.ragged(before);
        let sorted = if ascending { before.sort_by_key(keys) } else { before.sort_by_key_descending(keys) };
        sorted.flatten().clone()
    }
    each_number!(column, keys => of(rows, keys, before, ascending))
}
